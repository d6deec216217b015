-- By rule its gravity and how many findings it made (null where it did not run), and how long drafts have waited.
ALTER TABLE lint.report ADD COLUMN rules jsonb NOT NULL DEFAULT '[]';
ALTER TABLE lint.report ADD COLUMN waiting_days integer[] NOT NULL DEFAULT '{}';

-- What a page was found to be, under the code and rules of one version; derived, and made again where it is missing.
-- JSON as text: nothing asks into it, and jsonb refuses the control characters that a page may hold.
CREATE TABLE lint.page_state (
    path        text PRIMARY KEY,
    version     text NOT NULL,
    summary     text NOT NULL,
    verdict_key text[],
    verdict     text
);

-- A live version with codes is kept and not shown: no file, no index line, no node of the graph.
ALTER TABLE registry.page_version ADD COLUMN withheld text[] NOT NULL DEFAULT '{}';

CREATE TABLE lint.withholding (
    withholding_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    concept_id     text NOT NULL,
    action         text NOT NULL CHECK (action IN ('withheld', 'restored')),
    codes          text[] NOT NULL DEFAULT '{}',
    content_sha256 text NOT NULL,
    engine         text NOT NULL,
    as_of          timestamptz NOT NULL,
    recorded_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX withholding_concept ON lint.withholding (concept_id);
CREATE TRIGGER withholding_is_a_trail BEFORE UPDATE OR DELETE ON lint.withholding
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();

-- The roles of r0002, where they are.
DO $$
DECLARE
    role record;
BEGIN
    FOR role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('viska_reader', 'viska_ingestion', 'viska_maintainer', 'viska_operator') LOOP
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA lint TO %I', role.rolname);
    END LOOP;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_maintainer') THEN
        GRANT INSERT ON lint.withholding TO viska_maintainer;
        GRANT INSERT, UPDATE, DELETE ON lint.page_state TO viska_maintainer;
    END IF;
END $$;
