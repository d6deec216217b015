-- Governance's tables, the audit trail, and the functions that stand between writers and rows.
-- Every function that runs with its owner's rights pins its search path.

CREATE TABLE governance.writer (
    writer    text PRIMARY KEY CHECK (writer IN ('ingestion', 'nous', 'plutus', 'mastra', 'governance', 'hades')),
    role_name name NOT NULL UNIQUE
);

CREATE TABLE governance.flags_log (
    flag_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    flag         text NOT NULL,
    value        boolean NOT NULL,
    reason       text NOT NULL CHECK (reason <> ''),
    requested_by text NOT NULL CHECK (requested_by <> ''),
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE governance.flag_cell (
    flag    text PRIMARY KEY CHECK (flag IN ('ingestion_active', 'nous_active', 'plutus_active', 'mastra_active',
        'nous_rate_limit')),
    value   boolean NOT NULL,
    flag_no bigint NOT NULL REFERENCES governance.flags_log
);
CREATE TABLE governance.resume_request (
    request_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    flag         text NOT NULL REFERENCES governance.flag_cell,
    requested_by text NOT NULL CHECK (requested_by <> ''),
    reason       text NOT NULL CHECK (reason <> ''),
    LIKE governance.written INCLUDING COMMENTS
);
CREATE TABLE governance.incident (
    incident_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('gibberish', 'loop', 'risk_breach', 'write_failure', 'mastra_outage',
        'injection', 'queue_backup', 'model_drift', 'expired', 'audit_chain_broken', 'silence', 'paused', 'killed',
        'daemon_failure')),
    severity    text NOT NULL CHECK (severity IN ('low', 'medium', 'high')),
    detector    text NOT NULL CHECK (detector <> ''),
    evidence    jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(evidence) = 'object'),
    detail      text NOT NULL CHECK (detail <> ''),
    LIKE governance.written INCLUDING COMMENTS
);
CREATE INDEX incident_kind ON governance.incident (kind, recorded_at);
CREATE TABLE governance.metric (
    metric_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name      text NOT NULL CHECK (name <> ''),
    value     double precision NOT NULL,
    labels    jsonb NOT NULL DEFAULT '{}',
    LIKE governance.written INCLUDING COMMENTS
);
CREATE INDEX metric_name ON governance.metric (name, recorded_at);
CREATE TABLE governance.policy (
    policy_sha256 text PRIMARY KEY,
    policy        jsonb NOT NULL,
    LIKE governance.written INCLUDING COMMENTS
);

CREATE TABLE audit.entry (
    entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor    text NOT NULL,
    action   text NOT NULL,
    object   text NOT NULL,
    detail   jsonb NOT NULL
);
CREATE INDEX entry_xid ON audit.entry (xid);
CREATE INDEX entry_object ON audit.entry (object);
CREATE TABLE audit.seal (
    seq       bigint PRIMARY KEY,
    entry_id  bigint NOT NULL UNIQUE REFERENCES audit.entry,
    prev      bytea NOT NULL,
    hash      bytea NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE audit.horizon (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    sealed_before xid8 NOT NULL
);
INSERT INTO audit.horizon (sealed_before) VALUES ('0');

-- Who writes: the login of the session, whatever SET ROLE or a definer function makes of current_user.
CREATE FUNCTION governance.session_writer() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT writer FROM governance.writer WHERE role_name = session_user::name
$$;
CREATE FUNCTION governance.session_actor() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(governance.session_writer(), 'login:' || session_user)
$$;

CREATE FUNCTION audit.write(action text, object text, detail jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO audit.entry (actor, action, object, detail)
    VALUES (governance.session_actor(), action, object, detail)
$$;
-- The writers' door to the trail: their words are marked as their own, so that they cannot pass for the database's.
CREATE FUNCTION audit.append(action text, object text, detail jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF octet_length(action || object || detail::text) > 65536 THEN
        RAISE EXCEPTION 'an audit entry holds at most 64 kB' USING ERRCODE = '22001';
    END IF;
    PERFORM audit.write('said:' || action, object, detail);
END $$;

CREATE FUNCTION audit.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused: its rows are only ever added', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'VK004';
END $$;

-- After a row: its key, the named columns and a hash of the whole row. Arguments: key column, then columns to show.
CREATE FUNCTION audit.note_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    whole jsonb := to_jsonb(NEW);
BEGIN
    PERFORM audit.write(lower(TG_OP), format('%s.%s:%s', TG_TABLE_SCHEMA, TG_TABLE_NAME, whole ->> TG_ARGV[0]),
        (SELECT coalesce(jsonb_object_agg(shown, whole -> shown), '{}') FROM unnest(TG_ARGV[1:]) AS shown)
        || jsonb_build_object('row_sha256', encode(sha256(convert_to(whole::text, 'UTF8')), 'hex')));
    RETURN NULL;
END $$;
CREATE FUNCTION audit.note_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM audit.write('insert', 'raw.document', jsonb_build_object('documents', jsonb_agg(document_id)))
    FROM added HAVING count(*) > 0;
    RETURN NULL;
END $$;

-- Before a row: writer and time, whatever the caller says. Argument 'anyone': a login that is no writer is let in.
CREATE FUNCTION governance.stamp() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_NARGS = 0 AND governance.session_writer() IS NULL THEN
        RAISE EXCEPTION 'the login % is no writer; connect as one (see docs/supervise.md)', session_user
            USING ERRCODE = 'VK002';
    END IF;
    NEW.written_by := governance.session_actor();
    NEW.recorded_at := clock_timestamp();
    RETURN NEW;
END $$;

-- The flag of the session's writer, or of the namespace's (the argument) where the session is no writer's. Where there
-- is neither, the guards let pass and the stamp refuses. Governance has no flag: what pauses others must not pause.
CREATE FUNCTION governance.flag_of_session(otherwise text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(governance.session_writer() || '_active', otherwise)
$$;
CREATE FUNCTION governance.refuse_paused(flag text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'paused: % is not true; nothing is written', flag
        USING ERRCODE = 'VK001', HINT = 'viska status says who paused it; viska resume lifts it';
END $$;
CREATE FUNCTION governance.guard_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted text := governance.flag_of_session(TG_ARGV[0]);
BEGIN
    IF wanted <> 'governance_active'
        AND (SELECT value FROM governance.flag_cell WHERE flag = wanted) IS NOT TRUE THEN
        PERFORM governance.refuse_paused(wanted);
    END IF;
    RETURN NULL;
END $$;
-- At commit the flag is read again under a share lock, so that no pause falls between the check and the commit.
CREATE FUNCTION governance.guard_commit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wanted text := governance.flag_of_session(TG_ARGV[0]);
    active boolean;
BEGIN
    IF wanted <> 'governance_active' THEN
        SELECT value INTO active FROM governance.flag_cell WHERE flag = wanted FOR SHARE;
        IF active IS NOT TRUE THEN
            PERFORM governance.refuse_paused(wanted);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION governance.announce() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify('viska_new', format('%s.%s:%s', TG_TABLE_SCHEMA, TG_TABLE_NAME, to_jsonb(NEW) ->> TG_ARGV[0]));
    RETURN NULL;
END $$;

-- Flags. A writer that made its flag check early and then sits on the lock loses its session, not the pause its effect.
CREATE FUNCTION governance.set_flag(wanted text, to_value boolean, why text, who text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '50ms' AS $$
DECLARE
    number bigint;
    attempt integer := 0;
BEGIN
    INSERT INTO governance.flags_log (flag, value, reason, requested_by) VALUES (wanted, to_value, why, who)
        RETURNING flag_no INTO number;
    LOOP
        BEGIN
            INSERT INTO governance.flag_cell AS cell (flag, value, flag_no) VALUES (wanted, to_value, number)
                ON CONFLICT (flag) DO UPDATE SET value = EXCLUDED.value, flag_no = EXCLUDED.flag_no;
            RETURN number;
        EXCEPTION WHEN lock_not_available THEN
            attempt := attempt + 1;
            IF attempt > 40 THEN
                RAISE;
            END IF;
            PERFORM pg_terminate_backend(activity.pid) FROM governance.writer w
                JOIN pg_stat_get_activity(NULL) activity
                    ON activity.usesysid = (SELECT oid FROM pg_roles WHERE rolname = w.role_name)
                WHERE w.writer || '_active' = wanted
                    AND (activity.state LIKE 'idle in transaction%' OR attempt > 4);
            PERFORM pg_stat_clear_snapshot();
        END;
    END LOOP;
END $$;
-- The Slack-facing writer may pause these two, and nothing else.
CREATE FUNCTION governance.pause_writer(writer text, why text, who text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF writer IS NULL OR writer NOT IN ('nous', 'plutus') THEN
        RAISE EXCEPTION 'only nous and plutus may be paused from here, not %', writer USING ERRCODE = '42501';
    END IF;
    RETURN governance.set_flag(writer || '_active', false, why, who);
END $$;

-- The credential plane. Each step commits by itself: a login between disabling and ending is found by the next look.
CREATE FUNCTION governance.role_of(wanted text) RETURNS name
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found name;
BEGIN
    SELECT role_name INTO found FROM governance.writer w
        WHERE w.writer = wanted AND wanted IN ('ingestion', 'nous', 'plutus', 'mastra', 'governance');
    IF found IS NULL THEN
        RAISE EXCEPTION 'no writer % that may be disabled', wanted USING ERRCODE = '42501';
    END IF;
    RETURN found;
END $$;
CREATE FUNCTION governance.disable_writer(wanted text, why text, who text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER ROLE %I NOLOGIN', governance.role_of(wanted));
    PERFORM audit.write('disable', 'writer:' || wanted, jsonb_build_object('reason', why, 'requested_by', who));
END $$;
CREATE FUNCTION governance.enable_writer(wanted text, why text, who text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER ROLE %I LOGIN', governance.role_of(wanted));
    PERFORM audit.write('enable', 'writer:' || wanted, jsonb_build_object('reason', why, 'requested_by', who));
END $$;
CREATE FUNCTION governance.end_sessions(wanted text) RETURNS SETOF integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT found.pid FROM (SELECT pid FROM pg_stat_get_activity(NULL)
        WHERE usesysid = (SELECT oid FROM pg_roles WHERE rolname = governance.role_of(wanted)) OFFSET 0) AS found,
        LATERAL pg_terminate_backend(found.pid) AS sent
$$;
CREATE FUNCTION audit.write_kill(wanted text, sessions integer, milliseconds integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT audit.write('killed', 'writer:' || wanted,
        jsonb_build_object('sessions_ended', sessions, 'milliseconds', milliseconds))
$$;

-- The seal. A row lock serialises sealers: an advisory lock could be taken by any writer.
CREATE FUNCTION audit.canonical(e audit.entry) RETURNS bytea
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT convert_to(audit.netstrings(e.entry_id::text, e.xid::text,
        to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.actor, e.action, e.object,
        e.detail::text), 'UTF8')
$$;
CREATE FUNCTION audit.seal_entries(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    since xid8;
    upto xid8;
    last_seq bigint;
    last_hash bytea;
    new_hash bytea;
    sealed integer := 0;
    e audit.entry;
BEGIN
    SELECT sealed_before INTO since FROM audit.horizon FOR UPDATE;
    upto := pg_snapshot_xmin(pg_current_snapshot());
    SELECT seq, hash INTO last_seq, last_hash FROM audit.seal ORDER BY seq DESC LIMIT 1;
    last_seq := coalesce(last_seq, 0);
    last_hash := coalesce(last_hash, sha256(''));
    FOR e IN SELECT * FROM audit.entry n WHERE n.xid >= since AND n.xid < upto
        AND NOT EXISTS (SELECT 1 FROM audit.seal s WHERE s.entry_id = n.entry_id)
        ORDER BY n.entry_id LIMIT most
    LOOP
        new_hash := sha256(last_hash || audit.canonical(e));
        last_seq := last_seq + 1;
        INSERT INTO audit.seal (seq, entry_id, prev, hash) VALUES (last_seq, e.entry_id, last_hash, new_hash);
        last_hash := new_hash;
        sealed := sealed + 1;
    END LOOP;
    IF sealed < most THEN
        UPDATE audit.horizon SET sealed_before = upto WHERE sealed_before < upto;
    END IF;
    RETURN sealed;
END $$;
