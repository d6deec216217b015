-- The supervised loop's namespaces: candidates and drafts, their review, backtests, reports, the queue and Slack.
CREATE SCHEMA signals;
CREATE SCHEMA strategies;
CREATE SCHEMA review;
CREATE SCHEMA backtests;
CREATE SCHEMA reports;
CREATE SCHEMA governance;
CREATE SCHEMA nous;
CREATE SCHEMA slack;
CREATE SCHEMA audit;

-- New functions are executable by everyone unless this is said first.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- What every row of the loop carries; tables take it by LIKE, and it is dropped at the end.
CREATE TABLE governance.written (
    op_id       uuid,
    event_at    timestamptz,
    written_by  text NOT NULL,
    recorded_at timestamptz NOT NULL
);
COMMENT ON COLUMN governance.written.op_id IS 'the writer''s own id of this write; a replay with it adds nothing';
COMMENT ON COLUMN governance.written.event_at IS 'when it happened, where the row was written later from a spool';
COMMENT ON COLUMN governance.written.written_by IS 'the writer whose session wrote the row, set by the database';
COMMENT ON COLUMN governance.written.recorded_at IS 'when the row was written, set by the database';

-- Netstrings: each field as length, colon, text, comma; a null as a minus. No two field lists give the same bytes.
CREATE FUNCTION audit.netstrings(VARIADIC fields text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(coalesce(octet_length(field) || ':' || field || ',', '-'), '' ORDER BY place)
    FROM unnest(fields) WITH ORDINALITY AS f (field, place)
$$;

CREATE FUNCTION review.content_sha256(VARIADIC fields text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT encode(sha256(convert_to(audit.netstrings(VARIADIC fields), 'UTF8')), 'hex')
$$;

CREATE FUNCTION review.are_citations(citations jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_typeof(citations) = 'array' AND jsonb_array_length(citations) = jsonb_array_length(
        jsonb_path_query_array(citations, '$[*] ? (@.chunk_id.type() == "string" && @.locator.type() == "object")'))
$$;

-- The queue of runs is the one table whose rows change; only functions change them, and each change is audited.
CREATE TABLE nous.run_queue (
    queue_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_key  text NOT NULL UNIQUE CHECK (request_key <> ''),
    kind         text NOT NULL CHECK (kind IN ('research', 'review_request', 'flagged_document')),
    subject      text NOT NULL CHECK (subject <> ''),
    request      jsonb NOT NULL DEFAULT '{}',
    requested_by text NOT NULL CHECK (requested_by <> ''),
    priority     integer NOT NULL DEFAULT 0,
    not_before   timestamptz NOT NULL DEFAULT now(),
    status       text NOT NULL DEFAULT 'waiting'
        CHECK (status IN ('waiting', 'claimed', 'done', 'cancelled', 'dead')),
    attempts     integer NOT NULL DEFAULT 0,
    claimed_at   timestamptz,
    lease_until  timestamptz,
    outcome      text NOT NULL DEFAULT '',
    LIKE governance.written INCLUDING COMMENTS
);
CREATE INDEX run_queue_waiting ON nous.run_queue (priority DESC, queue_id) WHERE status = 'waiting';
CREATE INDEX run_queue_claimed ON nous.run_queue (lease_until) WHERE status = 'claimed';

CREATE TABLE nous.trace (
    trace_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue_id      bigint REFERENCES nous.run_queue,
    engine        text NOT NULL CHECK (engine <> ''),
    model_pinned  text NOT NULL DEFAULT '',
    run_id        text NOT NULL DEFAULT '',
    token_budget  integer NOT NULL CHECK (token_budget >= 0),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE nous.trace_end (
    trace_id          bigint PRIMARY KEY REFERENCES nous.trace,
    outcome           text NOT NULL
        CHECK (outcome IN ('completed', 'over_budget', 'timed_out', 'cancelled', 'failed', 'drifted')),
    model_answered    text NOT NULL DEFAULT '',
    prompt_tokens     integer NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
    completion_tokens integer NOT NULL DEFAULT 0 CHECK (completion_tokens >= 0),
    reasoning         text NOT NULL DEFAULT '',
    detail            jsonb NOT NULL DEFAULT '{}',
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE nous.cancellation (
    queue_id bigint PRIMARY KEY REFERENCES nous.run_queue,
    reason   text NOT NULL CHECK (reason <> ''),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE VIEW nous.open_trace AS
SELECT t.* FROM nous.trace t WHERE NOT EXISTS (SELECT 1 FROM nous.trace_end e WHERE e.trace_id = t.trace_id);

-- Candidates and drafts. The identity of both is drawn from one sequence, so that one table holds one verdict on each.
CREATE SEQUENCE review.artifact_id AS bigint;

CREATE TABLE signals.candidate (
    artifact_id    bigint NOT NULL,
    kind           text NOT NULL CHECK (kind ~ '^[a-z][a-z_]*$'),
    concept_id     text NOT NULL CHECK (concept_id <> ''),
    direction      text NOT NULL CHECK (direction IN ('long', 'short', 'neutral')),
    severity       text NOT NULL CHECK (severity IN ('low', 'medium', 'high')),
    headline       text NOT NULL CHECK (headline <> ''),
    rationale      text NOT NULL,
    confidence     numeric CHECK (confidence BETWEEN 0 AND 1),
    horizon_days   integer CHECK (horizon_days > 0),
    payload        jsonb NOT NULL DEFAULT '{}',
    citations      jsonb NOT NULL DEFAULT '[]' CHECK (review.are_citations(citations)),
    source_domain  text NOT NULL DEFAULT '',
    queue_id       bigint,
    trace_id       bigint,
    content_sha256 text NOT NULL CHECK (content_sha256 = review.content_sha256('signal', kind, concept_id, direction,
        severity, headline, rationale, confidence::text, horizon_days::text, payload::text, citations::text,
        source_domain, queue_id::text, trace_id::text)),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE strategies.draft (
    artifact_id    bigint NOT NULL,
    title          text NOT NULL CHECK (title <> ''),
    thesis         text NOT NULL,
    legs           jsonb NOT NULL CHECK (jsonb_typeof(legs) = 'array'),
    risk           jsonb NOT NULL CHECK (jsonb_typeof(risk) = 'object'),
    risk_class     text NOT NULL CHECK (risk_class IN ('low', 'medium', 'high')),
    signals        jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(signals) = 'array'),
    payload        jsonb NOT NULL DEFAULT '{}',
    citations      jsonb NOT NULL DEFAULT '[]' CHECK (review.are_citations(citations)),
    source_domain  text NOT NULL DEFAULT '',
    queue_id       bigint,
    trace_id       bigint,
    content_sha256 text NOT NULL CHECK (content_sha256 = review.content_sha256('strategy', title, thesis, legs::text,
        risk::text, risk_class, signals::text, payload::text, citations::text, source_domain, queue_id::text,
        trace_id::text)),
    LIKE governance.written INCLUDING COMMENTS
);

-- The review: sessions with a transcript, four checks an artifact, one verdict an artifact.
CREATE TABLE review.session (
    review_session_id text PRIMARY KEY CHECK (review_session_id <> ''),
    reviewer          text NOT NULL CHECK (reviewer <> ''),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE review.transcript (
    transcript_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    review_session_id text NOT NULL REFERENCES review.session,
    artifact_id       bigint,
    said              text NOT NULL,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE INDEX transcript_session ON review.transcript (review_session_id);

CREATE TABLE review.artifact (
    artifact_id    bigint PRIMARY KEY,
    kind           text NOT NULL CHECK (kind IN ('signal', 'strategy')),
    content_sha256 text NOT NULL,
    source_domain  text NOT NULL,
    LIKE governance.written INCLUDING COMMENTS,
    UNIQUE (artifact_id, kind, content_sha256)
);

CREATE TABLE review.check_result (
    check_no          bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    artifact_id       bigint NOT NULL REFERENCES review.artifact,
    check_name        text NOT NULL CHECK (check_name IN ('sanity', 'risk', 'provenance', 'injection')),
    review_session_id text NOT NULL REFERENCES review.session,
    passed            boolean NOT NULL,
    content_sha256    text NOT NULL,
    detail            jsonb NOT NULL DEFAULT '{}',
    LIKE governance.written INCLUDING COMMENTS,
    PRIMARY KEY (artifact_id, check_name, review_session_id)
);

CREATE TABLE review.sign_off (
    artifact_id    bigint PRIMARY KEY REFERENCES review.artifact,
    content_sha256 text NOT NULL,
    signed_by      text NOT NULL CHECK (signed_by <> ''),
    reason         text NOT NULL CHECK (reason <> ''),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE review.verdict (
    artifact_id       bigint PRIMARY KEY,
    kind              text NOT NULL,
    outcome           text NOT NULL CHECK (outcome IN ('approved', 'rejected', 'expired')),
    content_sha256    text NOT NULL,
    cause             text NOT NULL,
    reason            text NOT NULL,
    reviewed_by       text NOT NULL CHECK (reviewed_by <> ''),
    review_session_id text NOT NULL REFERENCES review.session,
    verdict_excerpt   text NOT NULL CHECK (verdict_excerpt <> ''),
    LIKE governance.written INCLUDING COMMENTS,
    FOREIGN KEY (artifact_id, kind, content_sha256) REFERENCES review.artifact (artifact_id, kind, content_sha256)
);
CREATE INDEX verdict_recorded ON review.verdict (recorded_at);

-- What every row that carries a verdict says of the review; tables take it by LIKE, and it is dropped at the end.
CREATE TABLE review.reviewed (
    reviewed_by       text NOT NULL CHECK (reviewed_by <> ''),
    review_session_id text NOT NULL CHECK (review_session_id <> ''),
    verdict_excerpt   text NOT NULL CHECK (verdict_excerpt <> '')
);
CREATE TABLE review.refused (
    artifact_id    bigint PRIMARY KEY,
    content_sha256 text NOT NULL,
    cause          text NOT NULL CHECK (cause IN ('sanity', 'risk', 'provenance', 'injection', 'missing_trace',
        'model_drift', 'over_budget', 'duplicate', 'operator', 'age')),
    reason         text NOT NULL CHECK (reason <> ''),
    LIKE review.reviewed INCLUDING CONSTRAINTS INCLUDING COMMENTS,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE signals.approved (
    LIKE signals.candidate INCLUDING CONSTRAINTS INCLUDING COMMENTS,
    LIKE review.reviewed INCLUDING CONSTRAINTS INCLUDING COMMENTS,
    PRIMARY KEY (artifact_id)
);
CREATE TABLE strategies.approved (
    LIKE strategies.draft INCLUDING CONSTRAINTS INCLUDING COMMENTS,
    LIKE review.reviewed INCLUDING CONSTRAINTS INCLUDING COMMENTS,
    PRIMARY KEY (artifact_id)
);
CREATE TABLE signals.rejected (LIKE review.refused INCLUDING ALL);
CREATE TABLE strategies.rejected (LIKE review.refused INCLUDING ALL);
CREATE TABLE review.expired (LIKE review.refused INCLUDING ALL);
ALTER TABLE signals.candidate ADD PRIMARY KEY (artifact_id),
    ADD FOREIGN KEY (queue_id) REFERENCES nous.run_queue, ADD FOREIGN KEY (trace_id) REFERENCES nous.trace;
ALTER TABLE strategies.draft ADD PRIMARY KEY (artifact_id),
    ADD FOREIGN KEY (queue_id) REFERENCES nous.run_queue, ADD FOREIGN KEY (trace_id) REFERENCES nous.trace;

CREATE VIEW review.pending AS
SELECT a.* FROM review.artifact a WHERE NOT EXISTS (
    SELECT 1 FROM review.verdict v WHERE v.artifact_id = a.artifact_id);

-- Backtests: what is asked for, every trial before its result is shown, results, and the one look at the holdout.
CREATE TABLE backtests.requested (
    request_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    artifact_id bigint NOT NULL REFERENCES review.artifact,
    family      text NOT NULL CHECK (family <> ''),
    spec        jsonb NOT NULL CHECK (jsonb_typeof(spec) = 'object'),
    trace_id    bigint REFERENCES nous.trace,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE backtests.trial (
    trial_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id    bigint REFERENCES backtests.requested,
    family        text NOT NULL CHECK (family <> ''),
    params_sha256 text NOT NULL,
    data_sha256   text NOT NULL,
    outcome       text NOT NULL CHECK (outcome IN ('completed', 'failed', 'aborted')),
    sharpe        double precision,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE INDEX trial_family ON backtests.trial (family);
CREATE TABLE backtests.result (
    result_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id    bigint NOT NULL REFERENCES backtests.requested,
    trial_id      bigint NOT NULL REFERENCES backtests.trial,
    data_sha256   text NOT NULL,
    code_sha256   text NOT NULL,
    params_sha256 text NOT NULL,
    result_sha256 text NOT NULL,
    manifest      jsonb NOT NULL,
    metrics       jsonb NOT NULL,
    trials        integer NOT NULL CHECK (trials > 0),
    deflated_sharpe double precision,
    pbo           double precision CHECK (pbo BETWEEN 0 AND 1),
    contaminated  boolean NOT NULL,
    accepted      boolean NOT NULL,
    reason        text NOT NULL,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE backtests.holdout_read (
    artifact_id bigint PRIMARY KEY REFERENCES review.artifact,
    request_id  bigint NOT NULL REFERENCES backtests.requested,
    data_sha256 text NOT NULL,
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE reports.report (
    report_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      text NOT NULL CHECK (kind IN ('daily_digest', 'alert', 'review_summary', 'answer')),
    day       date NOT NULL,
    title     text NOT NULL CHECK (title <> ''),
    body      text NOT NULL,
    artifacts jsonb NOT NULL DEFAULT '[]',
    severity  text NOT NULL DEFAULT 'low' CHECK (severity IN ('low', 'medium', 'high')),
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE slack.thread (
    thread_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id  text NOT NULL UNIQUE CHECK (event_id <> ''),
    channel   text NOT NULL,
    thread_ts text NOT NULL DEFAULT '',
    user_id   text NOT NULL DEFAULT '',
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    said      text NOT NULL,
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE slack.outbox (
    outbox_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_key text NOT NULL UNIQUE CHECK (message_key <> ''),
    channel     text NOT NULL,
    severity    text NOT NULL CHECK (severity IN ('low', 'medium', 'high')),
    body        text NOT NULL,
    about       text NOT NULL DEFAULT '',
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE slack.delivery (
    delivery_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    outbox_id   bigint NOT NULL REFERENCES slack.outbox,
    delivered   boolean NOT NULL,
    detail      text NOT NULL DEFAULT '',
    LIKE governance.written INCLUDING COMMENTS
);
CREATE UNIQUE INDEX delivered_once ON slack.delivery (outbox_id) WHERE delivered;
CREATE VIEW slack.undelivered AS
SELECT o.* FROM slack.outbox o WHERE NOT EXISTS (
    SELECT 1 FROM slack.delivery d WHERE d.outbox_id = o.outbox_id AND d.delivered);

-- A raw document that ingestion holds worth a look; a run may claim it where the queue is empty.
CREATE TABLE raw.flagged_document (
    document_id text PRIMARY KEY REFERENCES raw.document,
    reason      text NOT NULL CHECK (reason <> ''),
    LIKE governance.written INCLUDING COMMENTS
);

-- What the reasoning writer may read: cleaned text of standing, public documents; never bytes, paths or markup.
CREATE VIEW nous.document WITH (security_barrier = true) AS
SELECT d.document_id, d.name, d.media_type, d.entity, d.authentication, d.known_at, t.text, t.text_sha256
FROM raw.document d JOIN retrieval.document_text t USING (document_id)
WHERE d.status = 'ingested' AND NOT d.withdrawn AND d.namespace = 'default';
CREATE VIEW nous.chunk WITH (security_barrier = true) AS
SELECT c.chunk_id, c.document_id, c.ordinal, c.kind, c.start_char, c.end_char, c.text, c.headings, c.page,
    d.entity, d.known_at
FROM retrieval.chunk c JOIN raw.document d USING (document_id)
WHERE d.status = 'ingested' AND NOT d.withdrawn AND d.namespace = 'default' AND c.namespace = 'default';
CREATE VIEW nous.evidence WITH (security_barrier = true) AS
SELECT e.chunk_id, c.document_id, e.start_char, e.end_char, e.value, e.unit, e.concept, e.period_start, e.period_end,
    c.entity, c.known_at
FROM retrieval.evidence e JOIN nous.chunk c USING (chunk_id);
