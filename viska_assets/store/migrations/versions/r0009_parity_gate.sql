CREATE INDEX run_engine ON parity.run (engine, run_id DESC);
CREATE TRIGGER run_is_a_trail BEFORE UPDATE OR DELETE ON parity.run
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();

-- Each row hands the questions of synthesis shape from one tier to the other. The flag is the newest row.
CREATE TABLE parity.flip (
    flip_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action      text NOT NULL CHECK (action IN ('demote', 'rollback')),
    from_tier   text NOT NULL CHECK (from_tier IN ('retrieval', 'synthesis')),
    to_tier     text NOT NULL CHECK (to_tier IN ('retrieval', 'synthesis') AND to_tier <> from_tier),
    engine      text NOT NULL,
    run_id      bigint REFERENCES parity.run,
    actor       text NOT NULL CHECK (actor <> ''),
    reason      text NOT NULL CHECK (reason <> ''),
    recorded_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((action = 'demote') = (to_tier = 'synthesis')),
    CHECK (action = 'rollback' OR run_id IS NOT NULL)
);
CREATE TRIGGER flip_is_a_trail BEFORE UPDATE OR DELETE ON parity.flip
    FOR EACH ROW EXECUTE FUNCTION gate.refuse_change();

CREATE VIEW parity.router AS
SELECT coalesce((SELECT to_tier FROM parity.flip ORDER BY flip_no DESC LIMIT 1), 'retrieval') AS tier;

CREATE FUNCTION parity.check_flip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7411010);
    IF NEW.from_tier <> (SELECT tier FROM parity.router) THEN
        RAISE EXCEPTION 'the questions of synthesis shape are not answered by % now', NEW.from_tier;
    END IF;
    IF NEW.to_tier = 'synthesis' AND NOT EXISTS (
        SELECT 1 FROM (SELECT run_id, verdict FROM parity.run WHERE engine = NEW.engine
            ORDER BY run_id DESC LIMIT 1) newest
        WHERE newest.run_id = NEW.run_id AND newest.verdict = 'PASS') THEN
        RAISE EXCEPTION 'run % is not the newest run of engine % or did not pass', NEW.run_id, NEW.engine;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER flip_is_allowed BEFORE INSERT ON parity.flip
    FOR EACH ROW EXECUTE FUNCTION parity.check_flip();

-- The roles of r0002, where they are.
DO $$
DECLARE
    role record;
BEGIN
    FOR role IN SELECT rolname FROM pg_roles
        WHERE rolname IN ('viska_reader', 'viska_ingestion', 'viska_maintainer', 'viska_operator') LOOP
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA parity TO %I', role.rolname);
    END LOOP;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_operator') THEN
        GRANT INSERT ON parity.flip, parity.run TO viska_operator;
    END IF;
END $$;
