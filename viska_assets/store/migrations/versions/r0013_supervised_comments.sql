-- What each table and column of the loop holds. A line is 'schema.table: what it is' or 'place.column: what it holds';
-- a place of * stands for every table of the loop that has such a column and no comment of its own.
DO $$
DECLARE
    line text;
    place text;
    said text;
    col text;
    t record;
    lines text := $said$
nous.run_queue: what nous is asked to look at; the one table whose rows change, by functions alone, each change audited
nous.trace: a run of nous that has begun
nous.trace_end: how a run of nous ended, and on what words
nous.cancellation: runs that governance called off
signals.candidate: signals as nous proposes them
signals.approved: signals that passed the review, their content copied from the candidate; what the desk may read
signals.rejected: signals that the review turned away
strategies.draft: strategies as nous drafts them
strategies.approved: strategies that passed the review, their content copied from the draft
strategies.rejected: strategies that the review turned away
review.session: a sitting of the reviewer
review.transcript: what was said in a session, line by line
review.artifact: every candidate and draft with its hash, registered by the database
review.check_result: the four checks of an artifact, each with its own word
review.sign_off: an operator's word on an artifact above the risk class that the reviewer may pass alone
review.verdict: the one verdict on an artifact, written by the database from what was approved, rejected or expired
review.expired: artifacts whose wait was ended without a review
backtests.requested: backtests that nous asks for
backtests.trial: every trial, entered before its result is shown, failures too
backtests.result: results with what makes them again
backtests.holdout_read: the one look at sealed data that a strategy has
reports.report: digests, alerts and answers
slack.thread: what was said in Slack, each event once
slack.outbox: messages to be sent, each once
slack.delivery: tries to send them
governance.writer: which role of the server is which writer, entered by viska roles apply
governance.flags_log: every word on a flag
governance.flag_cell: what each flag says now; one row a flag, to be locked at commit
governance.resume_request: wishes from Slack to resume a writer, for governance to decide
governance.incident: what went wrong and who noticed
governance.metric: figures of the loop over time
governance.policy: the numbers that were in force
audit.entry: what was done, by whom; sealed later
audit.seal: the chain: each link hashes the one before and an entry
audit.horizon: up to which transaction entries have been sealed
raw.flagged_document: documents that ingestion holds worth a look by nous
*.artifact_id: the candidate's or draft's number, drawn from one sequence for both
*.content_sha256: hash of the content as netstrings, under which it is reviewed
*.queue_id: the run of the queue
*.trace_id: the run of nous
*.reason: why, in words
*.detail: more about it
*.reviewed_by: the writer that judged, set by the database
*.review_session_id: the session in which it was judged
*.verdict_excerpt: the words of the verdict that a reader is shown
*.requested_by: on whose word, such as human:NAME or slack:USER
*.cause: the one cause of the refusal, of a closed set
*.citations: list of {chunk_id, locator, …}: the passages and figures that the claim stands on
*.payload: figures and inputs of the generator, free in form
*.source_domain: whence the document came, such as example.org; empty where unknown
*.severity: low, medium or high
*.data_sha256: hash of the data that was used
*.params_sha256: hash of the parameters
*.family: strategies that are tried against each other, counted together
*.request_id: number of the request
*.outbox_id: number of the message
*.trial_id: number of the trial
*.kind: what sort it is
*.channel: Slack's id of the channel
*.flag: the flag's name
*.value: what it says
*.flag_no: number of the word on a flag
*.outcome: how it ended
nous.run_queue.request_key: the asker's own key of the request; asked twice, it stands once
nous.run_queue.kind: research, review_request or flagged_document
nous.run_queue.subject: the concept or document to look at
nous.run_queue.request: what is asked, in full
nous.run_queue.priority: higher goes first
nous.run_queue.not_before: when it may be claimed at the earliest
nous.run_queue.status: waiting, claimed, done, cancelled or dead
nous.run_queue.attempts: how often it was claimed
nous.run_queue.claimed_at: when it was last claimed
nous.run_queue.lease_until: until when the claim holds; afterwards governance gives it back
nous.run_queue.outcome: the last words on it
nous.trace.engine: which generator and version
nous.trace.model_pinned: the exact model id that must answer; empty for the deterministic generator
nous.trace.run_id: the Dagster run
nous.trace.token_budget: tokens that the run may use
nous.trace_end.model_answered: the model id that the responses carried
nous.trace_end.prompt_tokens: tokens read
nous.trace_end.completion_tokens: tokens written
nous.trace_end.reasoning: the reasoning as it was
signals.candidate.concept_id: what it is about, such as issuers/acme
signals.approved.concept_id: what it is about, such as issuers/acme
*.direction: long, short or neutral; in Slack, in or out
*.headline: one line
*.rationale: why, in prose, with figures that the citations hold
*.confidence: 0 to 1, as the generator states it
*.horizon_days: over how many days
*.title: one line
*.thesis: the argument
*.legs: list of {instrument, side, weight, …}
*.risk: figures that the risk check is about, such as gross exposure and drawdown
*.risk_class: low, medium or high
*.signals: list of the artifact ids it builds on
review.session.reviewer: the reviewer's engine and version, or a person
review.transcript.transcript_id: order in the transcript
review.transcript.said: the line
review.check_result.check_no: number of the check
review.check_result.check_name: sanity, risk, provenance or injection
review.check_result.passed: whether it holds
review.sign_off.signed_by: who
review.verdict.outcome: approved, rejected or expired
backtests.requested.spec: universe, rules, costs, dates
backtests.trial.outcome: completed, failed or aborted
backtests.trial.sharpe: Sharpe ratio a year, where it completed
backtests.result.result_id: number of the result
backtests.result.code_sha256: hash of the harness and the versions it ran with
backtests.result.result_sha256: hash of the result, rounded to 12 digits
backtests.result.manifest: everything that makes the result again
backtests.result.metrics: return, volatility, drawdown and so on
backtests.result.trials: trials of the family when this was judged
backtests.result.deflated_sharpe: probability that the Sharpe ratio is real, given the trials
backtests.result.pbo: probability of backtest overfitting
backtests.result.contaminated: whether the window reaches before the model's cut-off date
backtests.result.accepted: whether it may support an approval
reports.report.report_id: number of the report
reports.report.kind: daily_digest, alert, review_summary or answer
reports.report.day: the day it is about
reports.report.body: markdown
reports.report.artifacts: list of the artifact ids it speaks of
slack.thread.thread_id: number of the line
slack.thread.event_id: Slack's id of the event, by which a repeated delivery is known
slack.thread.thread_ts: Slack's id of the thread
slack.thread.user_id: Slack's id of the user
slack.thread.said: the text
slack.outbox.message_key: what the message is about, by which it is sent once
slack.outbox.body: the text, escaped
slack.outbox.about: the row it is about, schema.table:key
slack.delivery.delivery_id: number of the try
slack.delivery.delivered: whether Slack took it
governance.writer.writer: the writer
governance.writer.role_name: its role on this server
governance.resume_request.request_id: number of the wish
governance.incident.incident_id: number of the incident
governance.incident.detector: who noticed
governance.incident.evidence: ids and figures
governance.metric.metric_id: number of the figure
governance.metric.name: such as plutus_queue_depth
governance.metric.labels: what it was measured of
governance.policy.policy_sha256: hash of the policy
governance.policy.policy: the policy
audit.entry.entry_id: order of entry; not of commit
audit.entry.xid: the transaction, by which the sealer knows that it is over
audit.entry.at: when, by the clock
audit.entry.actor: the writer of the session, or login:NAME
audit.entry.action: insert, update, disable and so on; said:… where a writer chose the word
audit.entry.object: schema.table:key, or writer:NAME
audit.entry.detail: columns of the row and a hash of all of it
audit.seal.seq: number of the link, from 1 without gaps
audit.seal.entry_id: the entry that is sealed
audit.seal.prev: hash of the link before; of nothing for the first
audit.seal.hash: sha256 of prev and the entry's canonical bytes
audit.seal.sealed_at: when
audit.horizon.one: there is one row
audit.horizon.sealed_before: transactions before this one have been sealed
$said$;
BEGIN
    FOREACH line IN ARRAY string_to_array(trim(lines, E'\n'), E'\n') LOOP
        place := split_part(line, ': ', 1);
        said := substr(line, length(place) + 3);
        IF place LIKE '*.%' THEN
            CONTINUE;
        ELSIF place LIKE '%.%.%' THEN
            EXECUTE format('COMMENT ON COLUMN %s IS %L', place, said);
        ELSE
            EXECUTE format('COMMENT ON TABLE %s IS %L', place, said);
        END IF;
    END LOOP;
    FOREACH line IN ARRAY string_to_array(trim(lines, E'\n'), E'\n') LOOP
        CONTINUE WHEN line NOT LIKE '*.%';
        col := substr(split_part(line, ': ', 1), 3);
        said := substr(line, length(col) + 5);
        FOR t IN SELECT a.attrelid::regclass AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE a.attname = col AND c.relkind = 'r' AND c.relnamespace::regnamespace::text = ANY (ARRAY['signals',
                'strategies', 'review', 'backtests', 'reports', 'governance', 'nous', 'slack', 'audit'])
                AND col_description(c.oid, a.attnum) IS NULL
        LOOP
            EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', t.name, col, said);
        END LOOP;
    END LOOP;
    COMMENT ON COLUMN raw.flagged_document.document_id IS 'the document';
    COMMENT ON COLUMN raw.flagged_document.reason IS 'why it is worth a look';
END $$;
