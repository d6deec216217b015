-- Rules of the loop: content bound by hash, one verdict an artifact, the queue's life, and the triggers of every table.

CREATE FUNCTION review.bind_signal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.artifact_id := nextval('review.artifact_id');
    NEW.content_sha256 := review.content_sha256('signal', NEW.kind, NEW.concept_id, NEW.direction, NEW.severity,
        NEW.headline, NEW.rationale, NEW.confidence::text, NEW.horizon_days::text, NEW.payload::text,
        NEW.citations::text, NEW.source_domain, NEW.queue_id::text, NEW.trace_id::text);
    RETURN NEW;
END $$;
CREATE FUNCTION review.bind_strategy() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.artifact_id := nextval('review.artifact_id');
    NEW.content_sha256 := review.content_sha256('strategy', NEW.title, NEW.thesis, NEW.legs::text, NEW.risk::text,
        NEW.risk_class, NEW.signals::text, NEW.payload::text, NEW.citations::text, NEW.source_domain,
        NEW.queue_id::text, NEW.trace_id::text);
    RETURN NEW;
END $$;
-- Argument: the kind. Runs after the row stands, so that a replayed write registers nothing.
CREATE FUNCTION review.register() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO review.artifact (artifact_id, kind, content_sha256, source_domain)
    VALUES (NEW.artifact_id, TG_ARGV[0], NEW.content_sha256, NEW.source_domain);
    RETURN NULL;
END $$;

-- Before a verdict's row: the artifact exists, is of the kind (the argument; '' takes any) and has the hash given.
CREATE FUNCTION review.bind_verdict() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found review.artifact;
BEGIN
    SELECT * INTO found FROM review.artifact WHERE artifact_id = NEW.artifact_id;
    IF found.artifact_id IS NULL OR TG_ARGV[0] NOT IN ('', found.kind) THEN
        RAISE EXCEPTION 'there is no artifact % to judge here', NEW.artifact_id USING ERRCODE = '23503';
    END IF;
    IF NEW.content_sha256 IS DISTINCT FROM found.content_sha256 THEN
        RAISE EXCEPTION 'the verdict is about other content than artifact % has', NEW.artifact_id
            USING ERRCODE = '23503';
    END IF;
    NEW.reviewed_by := governance.session_actor();
    RETURN NEW;
END $$;
-- Before an approval: a finished trace and all four checks passed in this session, on this content; then the content
-- is copied from the candidate, never from the reviewer. Argument: the table of candidates.
CREATE FUNCTION review.copy_approved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    candidate jsonb;
    passed integer;
BEGIN
    EXECUTE format('SELECT to_jsonb(c) FROM %s c WHERE artifact_id = $1', TG_ARGV[0])
        INTO candidate USING NEW.artifact_id;
    IF NOT EXISTS (SELECT 1 FROM nous.trace_end e
        WHERE e.trace_id = (candidate ->> 'trace_id')::bigint AND e.outcome = 'completed') THEN
        RAISE EXCEPTION 'artifact % has no completed trace', NEW.artifact_id USING ERRCODE = 'VK003';
    END IF;
    SELECT count(*) INTO passed FROM review.check_result r WHERE r.artifact_id = NEW.artifact_id
        AND r.review_session_id = NEW.review_session_id AND r.passed AND r.content_sha256 = NEW.content_sha256;
    IF passed <> 4 THEN
        RAISE EXCEPTION 'artifact % passed % of the four checks in this session', NEW.artifact_id, passed
            USING ERRCODE = 'VK003';
    END IF;
    NEW := jsonb_populate_record(NEW, candidate - ARRAY['op_id', 'event_at', 'written_by', 'recorded_at']);
    RETURN NEW;
END $$;
CREATE FUNCTION review.record_verdict() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given jsonb := to_jsonb(NEW);
BEGIN
    INSERT INTO review.verdict (artifact_id, kind, outcome, content_sha256, cause, reason, reviewed_by,
        review_session_id, verdict_excerpt)
    SELECT a.artifact_id, a.kind, TG_ARGV[0], NEW.content_sha256, CASE WHEN TG_ARGV[0] = 'approved' THEN '' ELSE
        given ->> 'cause' END, coalesce(given ->> 'reason', ''), NEW.reviewed_by, NEW.review_session_id,
        NEW.verdict_excerpt
    FROM review.artifact a WHERE a.artifact_id = NEW.artifact_id;
    RETURN NULL;
END $$;

-- The queue. A claim is exclusive and has a lease; what is flagged among raw documents is claimed where nothing waits.
CREATE FUNCTION nous.claim_run(lease interval) RETURNS SETOF nous.run_queue
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    claimed nous.run_queue;
BEGIN
    UPDATE nous.run_queue q SET status = 'claimed', claimed_at = clock_timestamp(),
        lease_until = clock_timestamp() + lease, attempts = q.attempts + 1
    WHERE q.queue_id = (SELECT w.queue_id FROM nous.run_queue w
        WHERE w.status = 'waiting' AND w.not_before <= clock_timestamp()
        ORDER BY w.priority DESC, w.queue_id FOR UPDATE SKIP LOCKED LIMIT 1)
    RETURNING * INTO claimed;
    IF claimed.queue_id IS NULL THEN
        INSERT INTO nous.run_queue (request_key, kind, subject, requested_by, status, claimed_at, lease_until, attempts)
        SELECT 'flagged:' || f.document_id, 'flagged_document', f.document_id, f.written_by, 'claimed',
            clock_timestamp(), clock_timestamp() + lease, 1
        FROM raw.flagged_document f WHERE NOT EXISTS (
            SELECT 1 FROM nous.run_queue q WHERE q.request_key = 'flagged:' || f.document_id)
        ORDER BY f.recorded_at, f.document_id FOR UPDATE OF f SKIP LOCKED LIMIT 1
        ON CONFLICT (request_key) DO NOTHING
        RETURNING * INTO claimed;
    END IF;
    IF claimed.queue_id IS NOT NULL THEN
        RETURN NEXT claimed;
    END IF;
END $$;
CREATE FUNCTION nous.finish_run(wanted bigint, done boolean, said text, most_attempts integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    became text;
BEGIN
    UPDATE nous.run_queue q SET outcome = said, lease_until = NULL, status = CASE WHEN done THEN 'done'
        WHEN q.attempts >= most_attempts THEN 'dead' ELSE 'waiting' END
    WHERE q.queue_id = wanted AND q.status = 'claimed' RETURNING status INTO became;
    IF became IS NULL THEN
        RAISE EXCEPTION 'run % is not claimed', wanted USING ERRCODE = 'VK005';
    END IF;
    RETURN became;
END $$;
CREATE FUNCTION nous.cancel_run(wanted bigint, why text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE nous.run_queue SET status = 'cancelled', outcome = why, lease_until = NULL
        WHERE queue_id = wanted AND status IN ('waiting', 'claimed');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'run % is neither waiting nor claimed', wanted USING ERRCODE = 'VK005';
    END IF;
    INSERT INTO nous.cancellation (queue_id, reason) VALUES (wanted, why) ON CONFLICT DO NOTHING;
END $$;
CREATE FUNCTION nous.requeue_expired(most_attempts integer) RETURNS SETOF nous.run_queue
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE nous.run_queue SET lease_until = NULL, outcome = 'the lease passed',
        status = CASE WHEN attempts >= most_attempts THEN 'dead' ELSE 'waiting' END
    WHERE queue_id IN (SELECT queue_id FROM nous.run_queue
        WHERE status = 'claimed' AND lease_until < clock_timestamp() FOR UPDATE SKIP LOCKED)
    RETURNING *
$$;

-- Triggers, by what a table needs: (table, key column, columns shown in the audit, who may write, whether guarded).
DO $$
DECLARE
    t record;
    shown text;
BEGIN
    FOR t IN SELECT * FROM (VALUES
        ('nous.run_queue', 'queue_id', 'request_key,kind,subject,requested_by,status,attempts,outcome', false, true),
        ('nous.trace', 'trace_id', 'queue_id,engine,model_pinned', false, true),
        ('nous.trace_end', 'trace_id', 'outcome,model_answered,prompt_tokens,completion_tokens', false, true),
        ('nous.cancellation', 'queue_id', 'reason', true, false),
        ('signals.candidate', 'artifact_id', 'kind,concept_id,severity,content_sha256,trace_id', false, true),
        ('signals.approved', 'artifact_id', 'content_sha256', false, true),
        ('signals.rejected', 'artifact_id', 'content_sha256', false, true),
        ('strategies.draft', 'artifact_id', 'title,risk_class,content_sha256,trace_id', false, true),
        ('strategies.approved', 'artifact_id', 'content_sha256', false, true),
        ('strategies.rejected', 'artifact_id', 'content_sha256', false, true),
        ('review.expired', 'artifact_id', 'content_sha256', false, true),
        ('review.artifact', 'artifact_id', '', false, false),
        ('review.session', 'review_session_id', 'reviewer', false, true),
        ('review.transcript', 'transcript_id', 'review_session_id,artifact_id', false, true),
        ('review.check_result', 'check_no', 'artifact_id,check_name,review_session_id,passed,content_sha256', false, true),
        ('review.sign_off', 'artifact_id', 'content_sha256,signed_by,reason', true, false),
        ('review.verdict', 'artifact_id', 'kind,outcome,content_sha256,cause,reason,reviewed_by,review_session_id,'
            'verdict_excerpt', false, false),
        ('backtests.requested', 'request_id', 'artifact_id,family', false, true),
        ('backtests.trial', 'trial_id', 'family,params_sha256,data_sha256,outcome,sharpe', false, true),
        ('backtests.result', 'result_id', 'request_id,result_sha256,accepted,reason', false, true),
        ('backtests.holdout_read', 'artifact_id', 'request_id', false, true),
        ('reports.report', 'report_id', 'kind,day,title', false, true),
        ('slack.thread', 'thread_id', 'event_id,channel,direction', false, true),
        ('slack.outbox', 'outbox_id', 'message_key,channel,severity,about', false, true),
        ('slack.delivery', 'delivery_id', 'outbox_id,delivered', false, true),
        ('raw.flagged_document', 'document_id', 'reason', true, true),
        ('governance.flags_log', 'flag_no', 'flag,value,reason,requested_by', true, false),
        ('governance.resume_request', 'request_id', 'flag,requested_by,reason', true, false),
        ('governance.incident', 'incident_id', 'kind,severity,detector,evidence,detail', true, false),
        ('governance.metric', 'metric_id', 'name,value', true, false),
        ('governance.policy', 'policy_sha256', '', true, false)
    ) AS listed (name, key, shown, anyone, guarded)
    LOOP
        SELECT string_agg(', ' || quote_literal(word), '') INTO shown
            FROM unnest(string_to_array(t.shown, ',')) AS word WHERE word <> '';
        EXECUTE format('CREATE UNIQUE INDEX ON %s (op_id)', t.name);
        EXECUTE format('CREATE TRIGGER stamped BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION governance.stamp(%s)',
            t.name, CASE WHEN t.anyone THEN quote_literal('anyone') ELSE '' END);
        EXECUTE format('CREATE TRIGGER noted AFTER INSERT OR UPDATE ON %s FOR EACH ROW '
            'EXECUTE FUNCTION audit.note_row(%L%s)', t.name, t.key, coalesce(shown, ''));
        IF t.name <> 'nous.run_queue' THEN
            EXECUTE format('CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON %s FOR EACH ROW '
                'EXECUTE FUNCTION audit.refuse_change()', t.name);
        ELSE
            CREATE TRIGGER never_deleted BEFORE DELETE ON nous.run_queue
                FOR EACH ROW EXECUTE FUNCTION audit.refuse_change();
        END IF;
        EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON %s EXECUTE FUNCTION audit.refuse_change()',
            t.name);
        IF t.guarded THEN
            EXECUTE format('CREATE TRIGGER flag_at_statement BEFORE INSERT OR UPDATE OR DELETE ON %s '
                'FOR EACH STATEMENT EXECUTE FUNCTION governance.guard_statement(%s)', t.name,
                CASE WHEN t.name LIKE 'raw.%' THEN quote_literal('ingestion_active') ELSE '' END);
            EXECUTE format('CREATE CONSTRAINT TRIGGER flag_at_commit AFTER INSERT OR UPDATE ON %s '
                'DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION governance.guard_commit(%s)', t.name,
                CASE WHEN t.name LIKE 'raw.%' THEN quote_literal('ingestion_active') ELSE '' END);
        END IF;
    END LOOP;
    FOREACH shown IN ARRAY ARRAY['audit.entry', 'audit.seal'] LOOP
        EXECUTE format('CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON %s FOR EACH ROW '
            'EXECUTE FUNCTION audit.refuse_change()', shown);
        EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON %s EXECUTE FUNCTION audit.refuse_change()',
            shown);
    END LOOP;
    -- Ingestion's own tables keep their upserts; a pause stops them, whichever login ingests.
    FOREACH shown IN ARRAY ARRAY['raw.document', 'raw.delivery', 'retrieval.document_text', 'retrieval.chunk'] LOOP
        EXECUTE format('CREATE TRIGGER flag_at_statement BEFORE INSERT OR UPDATE OR DELETE ON %s '
            'FOR EACH STATEMENT EXECUTE FUNCTION governance.guard_statement(''ingestion_active'')', shown);
    END LOOP;
    FOREACH shown IN ARRAY ARRAY['raw.document', 'raw.delivery', 'retrieval.document_text'] LOOP
        EXECUTE format('CREATE CONSTRAINT TRIGGER flag_at_commit AFTER INSERT OR UPDATE ON %s DEFERRABLE INITIALLY '
            'DEFERRED FOR EACH ROW EXECUTE FUNCTION governance.guard_commit(''ingestion_active'')', shown);
    END LOOP;
END $$;

CREATE TRIGGER noted AFTER INSERT ON raw.document REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION audit.note_documents();

CREATE TRIGGER content_bound BEFORE INSERT ON signals.candidate FOR EACH ROW EXECUTE FUNCTION review.bind_signal();
CREATE TRIGGER content_bound BEFORE INSERT ON strategies.draft FOR EACH ROW EXECUTE FUNCTION review.bind_strategy();
CREATE TRIGGER registered AFTER INSERT ON signals.candidate FOR EACH ROW EXECUTE FUNCTION review.register('signal');
CREATE TRIGGER registered AFTER INSERT ON strategies.draft FOR EACH ROW EXECUTE FUNCTION review.register('strategy');
CREATE TRIGGER a_bound BEFORE INSERT ON signals.approved FOR EACH ROW EXECUTE FUNCTION review.bind_verdict('signal');
CREATE TRIGGER a_bound BEFORE INSERT ON strategies.approved
    FOR EACH ROW EXECUTE FUNCTION review.bind_verdict('strategy');
CREATE TRIGGER a_bound BEFORE INSERT ON signals.rejected FOR EACH ROW EXECUTE FUNCTION review.bind_verdict('signal');
CREATE TRIGGER a_bound BEFORE INSERT ON strategies.rejected
    FOR EACH ROW EXECUTE FUNCTION review.bind_verdict('strategy');
CREATE TRIGGER a_bound BEFORE INSERT ON review.expired FOR EACH ROW EXECUTE FUNCTION review.bind_verdict('');
CREATE TRIGGER b_copied BEFORE INSERT ON signals.approved
    FOR EACH ROW EXECUTE FUNCTION review.copy_approved('signals.candidate');
CREATE TRIGGER b_copied BEFORE INSERT ON strategies.approved
    FOR EACH ROW EXECUTE FUNCTION review.copy_approved('strategies.draft');
CREATE TRIGGER judged AFTER INSERT ON signals.approved FOR EACH ROW EXECUTE FUNCTION review.record_verdict('approved');
CREATE TRIGGER judged AFTER INSERT ON strategies.approved
    FOR EACH ROW EXECUTE FUNCTION review.record_verdict('approved');
CREATE TRIGGER judged AFTER INSERT ON signals.rejected FOR EACH ROW EXECUTE FUNCTION review.record_verdict('rejected');
CREATE TRIGGER judged AFTER INSERT ON strategies.rejected
    FOR EACH ROW EXECUTE FUNCTION review.record_verdict('rejected');
CREATE TRIGGER judged AFTER INSERT ON review.expired FOR EACH ROW EXECUTE FUNCTION review.record_verdict('expired');
CREATE TRIGGER announced AFTER INSERT ON signals.approved
    FOR EACH ROW EXECUTE FUNCTION governance.announce('artifact_id');
CREATE TRIGGER announced AFTER INSERT ON strategies.approved
    FOR EACH ROW EXECUTE FUNCTION governance.announce('artifact_id');
CREATE TRIGGER announced AFTER INSERT ON reports.report FOR EACH ROW EXECUTE FUNCTION governance.announce('report_id');
CREATE TRIGGER announced AFTER INSERT ON governance.incident
    FOR EACH ROW EXECUTE FUNCTION governance.announce('incident_id');

DROP TABLE review.refused, review.reviewed, governance.written;
DO $$
DECLARE
    flag text;
BEGIN
    FOREACH flag IN ARRAY ARRAY['ingestion_active', 'nous_active', 'plutus_active', 'mastra_active'] LOOP
        PERFORM governance.set_flag(flag, true, 'the schema is new', 'migration');
    END LOOP;
    PERFORM governance.set_flag('nous_rate_limit', false, 'the schema is new', 'migration');
END $$;
