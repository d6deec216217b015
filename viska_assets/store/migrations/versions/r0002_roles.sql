-- Writers are roles. Nobody logs in as one of these by name: a deployment grants them to its own logins.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['viska_reader', 'viska_ingestion', 'viska_maintainer', 'viska_operator'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA raw, retrieval, registry, gate, lint, parity
    TO viska_reader, viska_ingestion, viska_maintainer, viska_operator;
GRANT SELECT ON ALL TABLES IN SCHEMA raw, retrieval, registry, gate, lint, parity
    TO viska_reader, viska_ingestion, viska_maintainer, viska_operator;

GRANT INSERT, UPDATE ON raw.document, raw.delivery, raw.incident TO viska_ingestion;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA retrieval TO viska_ingestion;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA registry TO viska_maintainer;
GRANT INSERT ON gate.verdict, gate.quarantine TO viska_maintainer;
GRANT INSERT ON gate.resolution TO viska_operator;
GRANT INSERT ON lint.report, parity.run TO viska_maintainer;
