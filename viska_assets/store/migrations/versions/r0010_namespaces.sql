CREATE SCHEMA privacy;
COMMENT ON SCHEMA privacy IS 'which namespaces there are, who has opened a private one, and what must be told of it';

CREATE TABLE privacy.namespace (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    private     boolean NOT NULL,
    description text NOT NULL
);
COMMENT ON TABLE privacy.namespace IS 'every namespace; one that is not listed here is private';
INSERT INTO privacy.namespace (name, private, description) VALUES
    ('default', false, 'the desk''s documents: filings, notes, mail, news, market data'),
    ('strategic', false, 'vault: decisions and direction'),
    ('technical', false, 'vault: how things are built'),
    ('creative', false, 'vault: drafts and ideas'),
    ('operational', false, 'vault: how the desk runs'),
    ('wisdom', false, 'vault: what was learnt'),
    ('horizon', false, 'vault: what may come'),
    ('second-brain', true, 'private vault: personal notes'),
    ('health', true, 'private vault'),
    ('business', true, 'private vault'),
    ('relational', true, 'private vault');

-- A scope on private namespaces: one row before anything is read, one with what was found before it leaves.
CREATE TABLE privacy.scope (
    token        uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    caller       text NOT NULL CHECK (caller <> ''),
    login        text NOT NULL DEFAULT session_user,
    namespaces   text[] NOT NULL CHECK (cardinality(namespaces) > 0),
    reason       text NOT NULL CHECK (reason <> ''),
    query_sha256 text NOT NULL CHECK (query_sha256 ~ '^[0-9a-f]{64}$'),
    written_in   xid8 NOT NULL DEFAULT pg_current_xact_id(),
    opened_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE privacy.scope_result (
    token       uuid PRIMARY KEY REFERENCES privacy.scope,
    hits        text[] NOT NULL,
    returned_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE privacy.notice (
    notice_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      text NOT NULL CHECK (kind IN ('private_scope', 'contradiction')),
    key       text NOT NULL CHECK (key <> ''),
    payload   jsonb NOT NULL,
    noted_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (kind, key)
);
COMMENT ON TABLE privacy.scope IS 'who opened which private namespaces, when and why; opening is impossible without a row';
COMMENT ON TABLE privacy.scope_result IS 'the ids of what a private scope was shown';
COMMENT ON TABLE privacy.notice IS 'what others must be told: private scopes to the sentinel, contradictions to the operational vault';

CREATE FUNCTION privacy.only_added() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'rows of %.% are only ever added', TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = '42501';
END $$;
CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON privacy.scope FOR EACH ROW EXECUTE FUNCTION privacy.only_added();
CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON privacy.scope_result FOR EACH ROW EXECUTE FUNCTION privacy.only_added();
CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON privacy.notice FOR EACH ROW EXECUTE FUNCTION privacy.only_added();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON privacy.scope FOR EACH STATEMENT EXECUTE FUNCTION privacy.only_added();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON privacy.scope_result FOR EACH STATEMENT EXECUTE FUNCTION privacy.only_added();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON privacy.notice FOR EACH STATEMENT EXECUTE FUNCTION privacy.only_added();

-- The caller names itself, its namespaces and its reason; who logged in and when is not for it to say.
CREATE FUNCTION privacy.stamp_scope() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.token := gen_random_uuid();
    NEW.login := session_user;
    NEW.written_in := pg_current_xact_id();
    NEW.opened_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER stamped BEFORE INSERT ON privacy.scope FOR EACH ROW EXECUTE FUNCTION privacy.stamp_scope();

-- The token of the scope that this very transaction has written: it may be used once that is committed.
CREATE FUNCTION privacy.own_scope() RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT token FROM privacy.scope WHERE written_in = pg_current_xact_id_if_assigned() ORDER BY opened_at DESC LIMIT 1
$$;

-- What this transaction may see: the public namespaces, and those of a scope whose row is committed already, so that
-- nothing private can be read in a transaction that takes its own log back.
CREATE FUNCTION privacy.visible() RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seen   text[] := ARRAY(SELECT name FROM privacy.namespace WHERE NOT private);
    wanted text := nullif(current_setting('viska.scope', true), '');
    opened text[];
BEGIN
    IF wanted IS NULL THEN
        RETURN seen;
    END IF;
    SELECT s.namespaces INTO opened FROM privacy.scope s
    WHERE s.token::text = wanted AND s.login = session_user AND s.opened_at > clock_timestamp() - interval '10 minutes'
        AND s.written_in IS DISTINCT FROM pg_current_xact_id_if_assigned();
    RETURN seen || coalesce(opened, '{}');
END $$;
COMMENT ON FUNCTION privacy.visible() IS 'the namespaces of which this transaction may see rows';

-- Row security holds for every role but the owner. Where a table has no namespace of its own, its row is seen where
-- the row that it belongs to is seen.
ALTER TABLE raw.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON raw.document USING (namespace = ANY ((SELECT privacy.visible())::text[]));
ALTER TABLE raw.delivery ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_document ON raw.delivery
    USING (EXISTS (SELECT 1 FROM raw.document d WHERE d.document_id = delivery.document_id));
ALTER TABLE raw.incident ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_document ON raw.incident
    USING (document_id IS NULL OR EXISTS (SELECT 1 FROM raw.document d WHERE d.document_id = incident.document_id));
ALTER TABLE retrieval.document_text ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_document ON retrieval.document_text
    USING (EXISTS (SELECT 1 FROM raw.document d WHERE d.document_id = document_text.document_id));
ALTER TABLE retrieval.chunk ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON retrieval.chunk USING (namespace = ANY ((SELECT privacy.visible())::text[]));
ALTER TABLE retrieval.evidence ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_chunk ON retrieval.evidence
    USING (EXISTS (SELECT 1 FROM retrieval.chunk c WHERE c.chunk_id = evidence.chunk_id));
ALTER TABLE retrieval.segment ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON retrieval.segment USING (namespace = ANY ((SELECT privacy.visible())::text[]));
ALTER TABLE retrieval.posting_list ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_segment ON retrieval.posting_list
    USING (segment_no = ANY (ARRAY(SELECT s.segment_no FROM retrieval.segment s)));
ALTER TABLE retrieval.segment_document ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_segment ON retrieval.segment_document
    USING (segment_no = ANY (ARRAY(SELECT s.segment_no FROM retrieval.segment s)));
ALTER TABLE retrieval.term ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON retrieval.term USING (namespace = ANY ((SELECT privacy.visible())::text[]));
ALTER TABLE retrieval.corpus ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON retrieval.corpus USING (namespace = ANY ((SELECT privacy.visible())::text[]));
ALTER TABLE retrieval.document_frequency ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_namespace ON retrieval.document_frequency
    USING (namespace = ANY ((SELECT privacy.visible())::text[]));

CREATE FUNCTION privacy.protect_embeddings(wanted text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE retrieval.%I ENABLE ROW LEVEL SECURITY', wanted);
    EXECUTE format('CREATE POLICY by_text ON retrieval.%1$I USING (EXISTS (
        SELECT 1 FROM retrieval.chunk c WHERE c.text_key = %1$I.text_key))', wanted);
END $$;
COMMENT ON FUNCTION privacy.protect_embeddings(text) IS 'a vector is seen where a chunk of its text is seen';
SELECT privacy.protect_embeddings(table_name) FROM retrieval.embedding_model;

-- Notes of a vault are searched in their namespace; the desk's pages are never drafted from them.
ALTER TABLE raw.document DROP CONSTRAINT document_status_check;
ALTER TABLE raw.document ADD CONSTRAINT document_status_check
    CHECK (status IN ('received', 'ingested', 'failed', 'vault'));
ALTER TABLE raw.document ADD CONSTRAINT document_of_vault CHECK ((status = 'vault') = (namespace <> 'default'));

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA privacy FROM PUBLIC;
GRANT USAGE ON SCHEMA privacy TO PUBLIC;
GRANT EXECUTE ON FUNCTION privacy.visible() TO PUBLIC;
CREATE INDEX scope_written_in ON privacy.scope (written_in);
GRANT SELECT ON privacy.namespace TO PUBLIC;
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_reader') THEN
        GRANT SELECT ON ALL TABLES IN SCHEMA raw, retrieval, registry, gate, lint, parity TO viska_reader;
        GRANT INSERT (caller, namespaces, reason, query_sha256) ON privacy.scope TO viska_reader;
        GRANT EXECUTE ON FUNCTION privacy.own_scope() TO viska_reader;
        GRANT INSERT (token, hits) ON privacy.scope_result TO viska_reader;
        GRANT INSERT (kind, key, payload) ON privacy.notice TO viska_reader;
        GRANT SELECT (kind, key) ON privacy.notice TO viska_reader;
    END IF;
END $$;
