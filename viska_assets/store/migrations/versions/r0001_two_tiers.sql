CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS dagster;

-- Raw sources: every document once, every delivery of it, and what went wrong on the way.
CREATE SCHEMA raw;

CREATE TABLE raw.document (
    document_id    text PRIMARY KEY CHECK (document_id ~ '^[0-9a-f]{64}$'),
    name           text NOT NULL,
    bytes          bigint NOT NULL CHECK (bytes >= 0),
    status         text NOT NULL CHECK (status IN ('received', 'ingested', 'failed')),
    error          text NOT NULL DEFAULT '',
    media_type     text NOT NULL DEFAULT '',
    cover          jsonb NOT NULL DEFAULT '{}',
    notices        jsonb NOT NULL DEFAULT '[]',
    entity         text,
    entity_names   text[] NOT NULL DEFAULT '{}',
    asserter       text NOT NULL DEFAULT '',
    source_concept text NOT NULL DEFAULT '',
    authentication text NOT NULL DEFAULT 'not applicable',
    namespace      text NOT NULL DEFAULT 'default',
    needs_ocr      boolean NOT NULL DEFAULT false,
    withdrawn      boolean NOT NULL DEFAULT false,
    known_at       timestamptz NOT NULL,
    recorded_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX document_status ON raw.document (status);
CREATE INDEX document_entity ON raw.document (entity, known_at);

CREATE TABLE raw.delivery (
    delivery_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id text NOT NULL REFERENCES raw.document,
    feed        text NOT NULL,
    path        text NOT NULL,
    fingerprint text NOT NULL DEFAULT '',
    received_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (feed, path, document_id)
);

CREATE TABLE raw.incident (
    incident_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    document_id text,
    path        text NOT NULL DEFAULT '',
    detail      text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (kind, document_id, path, detail)
);

-- Retrieval tier: cleaned text, chunks, evidence, postings and embeddings.
CREATE SCHEMA retrieval;

CREATE TABLE retrieval.document_text (
    document_id text PRIMARY KEY REFERENCES raw.document,
    text        text NOT NULL,
    text_sha256 text NOT NULL,
    offsets     jsonb NOT NULL
);

CREATE TABLE retrieval.chunk (
    chunk_no       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunk_id       text NOT NULL UNIQUE,
    document_id    text NOT NULL REFERENCES raw.document,
    namespace      text NOT NULL DEFAULT 'default',
    ordinal        integer NOT NULL,
    kind           text NOT NULL,
    start_char     integer NOT NULL,
    end_char       integer NOT NULL CHECK (end_char >= start_char),
    text           text NOT NULL,
    prefix         text NOT NULL DEFAULT '',
    headings       text[] NOT NULL DEFAULT '{}',
    page           integer,
    tokens         integer NOT NULL DEFAULT 0,
    terms          integer NOT NULL DEFAULT 0,
    numbers        integer NOT NULL DEFAULT 0,
    text_sha256    text NOT NULL,
    UNIQUE (document_id, ordinal)
);

CREATE TABLE retrieval.evidence (
    chunk_id     text NOT NULL REFERENCES retrieval.chunk (chunk_id) ON DELETE CASCADE,
    start_char   integer NOT NULL,
    end_char     integer NOT NULL,
    value        numeric NOT NULL,
    unit         text NOT NULL,
    concept      text,
    period_start date,
    period_end   date,
    record       jsonb NOT NULL,
    PRIMARY KEY (chunk_id, start_char, end_char)
);
CREATE INDEX evidence_concept ON retrieval.evidence (concept, period_end) WHERE concept IS NOT NULL;

CREATE TABLE retrieval.term (
    namespace text NOT NULL,
    term      text NOT NULL,
    term_no   bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    df        integer NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, term)
);

CREATE TABLE retrieval.posting (
    namespace text NOT NULL,
    term_no   bigint NOT NULL,
    chunk_no  bigint NOT NULL,
    tf        smallint NOT NULL,
    terms     integer NOT NULL,
    PRIMARY KEY (namespace, term_no, chunk_no) INCLUDE (tf, terms)
);

CREATE TABLE retrieval.corpus (
    namespace text PRIMARY KEY,
    chunks    bigint NOT NULL DEFAULT 0,
    terms     bigint NOT NULL DEFAULT 0
);

CREATE TABLE retrieval.embedding_384 (
    model       text NOT NULL,
    chunk_id    text NOT NULL REFERENCES retrieval.chunk (chunk_id) ON DELETE CASCADE,
    embedding   halfvec(384) NOT NULL,
    PRIMARY KEY (model, chunk_id)
);

CREATE TABLE retrieval.embedding_1024 (
    model       text NOT NULL,
    chunk_id    text NOT NULL REFERENCES retrieval.chunk (chunk_id) ON DELETE CASCADE,
    embedding   halfvec(1024) NOT NULL,
    PRIMARY KEY (model, chunk_id)
);

-- Synthesis tier: drafts, the claims that were accepted and the versions of each page.
CREATE SCHEMA registry;

CREATE TABLE registry.draft (
    draft_id    text PRIMARY KEY,
    document_id text NOT NULL REFERENCES raw.document,
    concept_id  text NOT NULL,
    drafter     text NOT NULL,
    delta       jsonb NOT NULL,
    status      text NOT NULL CHECK (status IN ('pending', 'accepted', 'quarantined', 'discarded', 'replaced')),
    known_at    timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX draft_concept ON registry.draft (concept_id, status);
CREATE INDEX draft_document ON registry.draft (document_id);
CREATE INDEX draft_status ON registry.draft (status);

CREATE TABLE registry.drafted (
    document_id text NOT NULL REFERENCES raw.document,
    drafter     text NOT NULL,
    drafts      integer NOT NULL,
    PRIMARY KEY (document_id, drafter)
);

CREATE TABLE registry.page_version (
    concept_id     text NOT NULL,
    content_sha256 text NOT NULL,
    type           text NOT NULL,
    title          text NOT NULL,
    description    text NOT NULL DEFAULT '',
    text           text NOT NULL,
    known_at       timestamptz NOT NULL,
    engine         text NOT NULL,
    live           boolean NOT NULL DEFAULT true,
    recorded_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (concept_id, content_sha256)
);
CREATE UNIQUE INDEX page_live ON registry.page_version (concept_id) WHERE live;

CREATE TABLE registry.claim (
    claim_id      text PRIMARY KEY,
    concept_id    text NOT NULL,
    claim         jsonb NOT NULL,
    chunk_id      text NOT NULL,
    live          boolean NOT NULL DEFAULT true
);
CREATE INDEX claim_concept ON registry.claim (concept_id);

CREATE TABLE registry.citation (
    concept_id  text NOT NULL,
    source_id   text NOT NULL,
    chunk_id    text NOT NULL,
    document_id text NOT NULL,
    locator     jsonb NOT NULL,
    PRIMARY KEY (concept_id, source_id)
);
CREATE INDEX citation_document ON registry.citation (document_id);

CREATE TABLE registry.alias (
    alias      text NOT NULL,
    kind       text NOT NULL,
    concept_id text NOT NULL,
    learned_from text NOT NULL,
    PRIMARY KEY (alias, kind)
);

CREATE TABLE registry.event (
    event_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day         date NOT NULL,
    verb        text NOT NULL,
    text        text NOT NULL,
    document_id text NOT NULL DEFAULT '',
    recorded_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (day, verb, text)
);

CREATE TABLE registry.bundle_commit (
    commit_hash text PRIMARY KEY,
    pages       integer NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- The gate: verdicts, quarantine and what became of it. Rows are only ever added.
CREATE SCHEMA gate;

CREATE TABLE gate.verdict (
    draft_id    text NOT NULL REFERENCES registry.draft,
    engine      text NOT NULL,
    passed      boolean NOT NULL,
    codes       text[] NOT NULL,
    verdict     jsonb NOT NULL,
    page_text   text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (draft_id, engine)
);

CREATE TABLE gate.quarantine (
    quarantine_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    draft_id      text NOT NULL UNIQUE REFERENCES registry.draft,
    concept_id    text NOT NULL,
    document_id   text NOT NULL,
    source_ids    text[] NOT NULL,
    codes         text[] NOT NULL,
    delta         jsonb NOT NULL,
    page_text     text NOT NULL,
    engine        text NOT NULL,
    quarantined_at timestamptz NOT NULL
);

CREATE TABLE gate.resolution (
    resolution_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    quarantine_id bigint NOT NULL REFERENCES gate.quarantine,
    action        text NOT NULL CHECK (action IN ('resubmitted', 'accepted', 'refused', 'discarded')),
    reason        text NOT NULL,
    actor         text NOT NULL,
    payload       jsonb,
    recorded_at   timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION gate.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused: its rows are a trail and are only ever added',
        TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME;
END $$;

CREATE TRIGGER quarantine_is_a_trail BEFORE UPDATE OR DELETE ON gate.quarantine
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();
CREATE TRIGGER resolution_is_a_trail BEFORE UPDATE OR DELETE ON gate.resolution
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();
CREATE TRIGGER verdict_is_a_trail BEFORE UPDATE OR DELETE ON gate.verdict
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();

CREATE VIEW gate.open_quarantine AS
SELECT q.* FROM gate.quarantine q
WHERE NOT EXISTS (
    SELECT 1 FROM gate.resolution r
    WHERE r.quarantine_id = q.quarantine_id AND r.action IN ('accepted', 'discarded'));

-- Lint and parity: one row a run, with the full report.
CREATE SCHEMA lint;

CREATE TABLE lint.report (
    report_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bundle_commit text NOT NULL,
    engine        text NOT NULL,
    as_of         timestamptz NOT NULL,
    pages         integer NOT NULL,
    findings      jsonb NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT now()
);

CREATE SCHEMA parity;

CREATE TABLE parity.run (
    run_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    engine        text NOT NULL,
    bundle_commit text NOT NULL,
    eval_set      text NOT NULL,
    verdict       text NOT NULL CHECK (verdict IN ('PASS', 'FAIL', 'INCONCLUSIVE', 'NOT_ELIGIBLE')),
    summary       jsonb NOT NULL,
    answers       jsonb NOT NULL,
    recorded_at   timestamptz NOT NULL DEFAULT now()
);
