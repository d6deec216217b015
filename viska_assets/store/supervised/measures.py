"""What the governance daemon looks at, read in one transaction as governance; no judgement is made here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from viska_assets.store.database import Connection
from viska_assets.store.supervised.flags import Flag
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import Cause


@dataclass(frozen=True)
class FlagWord:
    """A flag as it stands, and the last word on it."""

    value: bool
    at: datetime
    flag_no: int = 0
    requested_by: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Disabled:
    """A writer whose role may not log in, and the entry of the audit that says so (0 where there is none)."""

    writer: Writer
    entry_id: int


@dataclass(frozen=True)
class OpenTrace:
    """A trace that has not ended; ``queue_id`` is None where no run was claimed for it."""

    trace_id: int
    queue_id: int | None
    seconds: float


@dataclass(frozen=True)
class Refusal:
    """An artifact that was not approved, and why."""

    artifact_id: int
    cause: Cause


@dataclass(frozen=True)
class Scrubbed:
    """A source of which candidates were turned away as injected; the domain is empty where unknown."""

    domain: str
    artifacts: tuple[int, ...]


@dataclass(frozen=True)
class Waiting:
    """Work that waits for a writer, and since when that writer has done none; seconds are 0 where nothing waits."""

    count: int = 0
    oldest: int = 0
    seconds: float = 0.0
    idle_seconds: float = 0.0


@dataclass(frozen=True)
class Measures:
    """Everything a cycle judges.

    Attributes:
        at: the database's clock.
        flags: every flag that is set; a missing one counts as paused.
        pending: artifacts without a verdict, and the review's idleness.
        runs: runs that could be claimed, and nous's idleness.
        messages: messages that Slack does not have, and mastra's idleness.
        judged_since: from when verdicts are counted: the window's start, or when nous was last let go on.
        approved: approvals since then.
        rejections: artifacts rejected since then.
        refusals: artifacts in the window that were rejected or expired, with the cause, whoever paused meanwhile.
        scrubbed: sources with injected candidates in their window.
        open_traces: traces without an end whose run was not cancelled.
        drifted: traces in the window that ended because another model answered.
        runaway: traces in the window that ended over their budget of tokens or their time.
        disabled: writers whose role may not log in.
        depths: the review queue's depth in the last cycles, newest first, this one not among them.
        told: by detector, when it last added an incident.
        spool: files in the spool.
        oldest_spooled: the oldest file's name.
        spool_aside: files of the spool that were kept aside: torn, altered or refused.
        chain_faults: what is wrong with the newest links of the audit chain.
        chain_alarms: what others told of the chain since nous was last let go on.
        resume_requests: flags that somebody asks to raise and that are not raised.
        latencies: 95th percentiles by class; the name carries the unit.
    """

    at: datetime
    flags: Mapping[Flag, FlagWord]
    pending: Waiting = Waiting()
    runs: Waiting = Waiting()
    messages: Waiting = Waiting()
    judged_since: datetime | None = None
    approved: int = 0
    rejections: tuple[int, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    scrubbed: tuple[Scrubbed, ...] = ()
    open_traces: tuple[OpenTrace, ...] = ()
    drifted: tuple[int, ...] = ()
    runaway: tuple[int, ...] = ()
    disabled: tuple[Disabled, ...] = ()
    depths: tuple[int, ...] = ()
    told: Mapping[str, datetime] = field(default_factory=dict)
    spool: int = 0
    oldest_spooled: str = ""
    spool_aside: tuple[str, ...] = ()
    chain_faults: tuple[str, ...] = ()
    chain_alarms: tuple[str, ...] = ()
    resume_requests: int = 0
    latencies: Mapping[str, float] = field(default_factory=dict)

    def is_active(self, writer: Writer) -> bool:
        """Whether a writer's flag lets it write."""
        word = self.flags.get(Flag(f"{writer.value}_active"))
        return bool(word and word.value)

    @property
    def rejection_rate(self) -> float | None:
        """The share of rejections among verdicts; None where there are no verdicts."""
        verdicts = self.approved + len(self.rejections)
        return len(self.rejections) / verdicts if verdicts else None


DEPTH = "plutus_queue_depth"


def read_measures(
    connection: Connection,
    *,
    window: timedelta,
    domain_window: timedelta,
    latency_window: timedelta,
    calm_cycles: int,
    spool: tuple[str, ...] = (),
    spool_aside: tuple[str, ...] = (),
    chain_faults: tuple[str, ...] = (),
) -> Measures:
    """Reads the measures.

    Args:
        connection: as governance.
        window: how far back verdicts and drifted traces are counted.
        domain_window: how far back scrubbed candidates are counted.
        latency_window: over how long the percentiles are taken.
        calm_cycles: how many earlier depths are read.
        spool: the names of the spool's files, oldest first.
        spool_aside: the names of those kept aside.
        chain_faults: what a look at the audit chain found.
    """
    at: datetime = _row(connection, "SELECT clock_timestamp()")[0]
    flags = _flags(connection)
    nous = flags.get(Flag.NOUS_ACTIVE)
    resumed = nous.at if nous and nous.value else None
    since = max(at - window, resumed) if resumed else at - window
    verdicts = connection.execute(
        "SELECT artifact_id, outcome FROM review.verdict WHERE recorded_at > %s ORDER BY artifact_id", (since,)
    ).fetchall()
    return Measures(
        at=at,
        flags=flags,
        pending=Waiting(
            *_row(
                connection,
                """
                SELECT count(*), coalesce(min(artifact_id), 0),
                    coalesce(extract(epoch FROM %(at)s - min(recorded_at)), 0)::float,
                    (SELECT coalesce(extract(epoch FROM %(at)s - max(recorded_at)), 'infinity')::float
                    FROM review.check_result)
                FROM review.pending
                """,
                {"at": at},
            )
        ),
        runs=Waiting(
            *_row(
                connection,
                """
                SELECT count(*), coalesce(min(queue_id), 0),
                    coalesce(extract(epoch FROM %(at)s - min(greatest(recorded_at, not_before))), 0)::float,
                    (SELECT coalesce(extract(epoch FROM %(at)s - max(claimed_at)), 'infinity')::float
                    FROM nous.run_queue)
                FROM nous.run_queue WHERE status = 'waiting' AND not_before <= %(at)s
                """,
                {"at": at},
            )
        ),
        messages=Waiting(
            *_row(
                connection,
                """
                SELECT count(*), coalesce(min(outbox_id), 0),
                    coalesce(extract(epoch FROM %(at)s - min(recorded_at)), 0)::float,
                    (SELECT coalesce(extract(epoch FROM %(at)s - max(recorded_at)), 'infinity')::float
                    FROM slack.delivery)
                FROM slack.undelivered
                """,
                {"at": at},
            )
        ),
        judged_since=since,
        approved=sum(outcome == "approved" for _, outcome in verdicts),
        rejections=tuple(number for number, outcome in verdicts if outcome == "rejected"),
        refusals=tuple(
            Refusal(number, Cause(cause))
            for number, cause in connection.execute(
                "SELECT artifact_id, cause FROM review.verdict WHERE outcome <> 'approved' AND recorded_at > %s "
                "ORDER BY artifact_id",
                (at - window,),
            )
        ),
        scrubbed=_scrubbed(connection, max(at - domain_window, resumed) if resumed else at - domain_window),
        open_traces=_open_traces(connection, at),
        drifted=_ended(connection, at - window, "drifted"),
        runaway=_ended(connection, at - window, "over_budget", "timed_out"),
        disabled=_disabled(connection),
        depths=tuple(
            int(row[0])
            for row in connection.execute(
                "SELECT value FROM governance.metric WHERE name = %s AND written_by = 'governance' "
                "ORDER BY recorded_at DESC LIMIT %s",
                (DEPTH, calm_cycles),
            )
        ),
        told=dict(
            connection.execute(
                "SELECT detector, max(recorded_at) FROM governance.incident WHERE recorded_at > %s GROUP BY 1",
                (at - max(window, domain_window),),
            ).fetchall()
        ),
        spool=len(spool),
        oldest_spooled=spool[0] if spool else "",
        spool_aside=spool_aside,
        chain_faults=chain_faults,
        chain_alarms=tuple(
            row[0]
            for row in connection.execute(
                "SELECT detail FROM governance.incident WHERE kind = 'audit_chain_broken' "
                "AND NOT starts_with(detector, 'governance:') AND recorded_at > %s ORDER BY incident_id",
                (resumed or at - window,),
            )
        ),
        resume_requests=len(resume_requests(connection)),
        latencies=_latencies(connection, at - latency_window),
    )


def resume_requests(connection: Connection) -> list[dict[str, Any]]:
    """What somebody asked to raise since the flag was lowered, oldest first; an operator decides."""
    rows = connection.execute(
        """
        SELECT r.request_id, r.flag, r.requested_by, r.reason, r.recorded_at, l.requested_by, l.reason
        FROM governance.resume_request r JOIN governance.flag_cell c USING (flag)
        JOIN governance.flags_log l USING (flag_no)
        WHERE NOT c.value AND r.recorded_at > l.recorded_at ORDER BY r.request_id
        """
    )
    names = ("request_id", "flag", "requested_by", "reason", "at", "paused_by", "paused_because")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _flags(connection: Connection) -> dict[Flag, FlagWord]:
    rows = connection.execute(
        """
        SELECT c.flag, c.value, l.recorded_at, l.flag_no, l.requested_by, l.reason
        FROM governance.flag_cell c JOIN governance.flags_log l USING (flag_no)
        """
    )
    return {Flag(flag): FlagWord(*rest) for flag, *rest in rows}


def _ended(connection: Connection, since: datetime, *outcomes: str) -> tuple[int, ...]:
    """The traces that ended in one of some ways since an instant."""
    rows = connection.execute(
        "SELECT trace_id FROM nous.trace_end WHERE outcome = ANY(%s) AND recorded_at > %s ORDER BY 1",
        (list(outcomes), since),
    )
    return tuple(row[0] for row in rows)


def _disabled(connection: Connection) -> tuple[Disabled, ...]:
    rows = connection.execute(
        """
        SELECT w.writer, coalesce((SELECT max(entry_id) FROM audit.entry e
            WHERE e.object = 'writer:' || w.writer AND e.action = 'disable'), 0)
        FROM governance.writer w JOIN pg_roles r ON r.rolname = w.role_name WHERE NOT r.rolcanlogin ORDER BY 1
        """
    )
    return tuple(Disabled(Writer(writer), entry_id) for writer, entry_id in rows)


def _scrubbed(connection: Connection, since: datetime) -> tuple[Scrubbed, ...]:
    """Also what failed the injection check and was turned away for a graver cause counts."""
    rows = connection.execute(
        """
        SELECT a.source_domain, array_agg(a.artifact_id ORDER BY a.artifact_id) FROM review.artifact a
        WHERE a.artifact_id IN (
            SELECT v.artifact_id FROM review.verdict v
            WHERE v.outcome = 'rejected' AND v.cause = 'injection' AND v.recorded_at > %(since)s
            UNION SELECT c.artifact_id FROM review.check_result c
            WHERE c.check_name = 'injection' AND NOT c.passed AND c.recorded_at > %(since)s)
        GROUP BY 1 ORDER BY 1
        """,
        {"since": since},
    )
    return tuple(Scrubbed(domain, tuple(numbers)) for domain, numbers in rows)


def _open_traces(connection: Connection, at: datetime) -> tuple[OpenTrace, ...]:
    rows = connection.execute(
        """
        SELECT trace_id, queue_id, extract(epoch FROM %s - recorded_at)::float FROM nous.open_trace t
        WHERE NOT EXISTS (SELECT 1 FROM nous.cancellation c WHERE c.queue_id = t.queue_id) ORDER BY trace_id
        """,
        (at,),
    )
    return tuple(OpenTrace(*row) for row in rows)


_LATENCIES = {
    "signal_p95_seconds": """
        SELECT extract(epoch FROM e.recorded_at - t.recorded_at) FROM nous.trace_end e
        JOIN nous.trace t USING (trace_id) WHERE e.recorded_at > %(since)s""",
    "review_p95_seconds": """
        SELECT extract(epoch FROM v.recorded_at - a.recorded_at) FROM review.verdict v
        JOIN review.artifact a USING (artifact_id) WHERE v.recorded_at > %(since)s""",
    "delivery_p95_seconds": """
        SELECT extract(epoch FROM d.recorded_at - o.recorded_at) FROM slack.delivery d
        JOIN slack.outbox o USING (outbox_id) WHERE d.delivered AND d.recorded_at > %(since)s""",
    "chat_p95_milliseconds": """
        SELECT (detail ->> 'milliseconds')::numeric FROM audit.entry
        WHERE object = 'slack:command' AND action = 'said:answered' AND actor = 'mastra' AND at > %(since)s""",
    "kill_p95_milliseconds": """
        SELECT (detail ->> 'milliseconds')::numeric FROM audit.entry
        WHERE object LIKE 'writer:%%' AND action = 'killed' AND at > %(since)s""",
    "ingestion_p95_seconds": """
        SELECT (detail ->> 'seconds')::numeric FROM audit.entry
        WHERE object = 'raw.document' AND action = 'said:ingested' AND at > %(since)s""",
}


def _latencies(connection: Connection, since: datetime) -> dict[str, float]:
    found = {}
    for name, query in _LATENCIES.items():
        value = _row(
            connection,
            f"SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY v) FROM ({query}) AS taken (v)",  # noqa: S608
            {"since": since},
        )[0]
        if value is not None:
            found[name] = float(value)
    return found


def _row(connection: Connection, query: str, parameters: Mapping[str, object] | None = None) -> tuple[Any, ...]:
    row = connection.execute(query.encode(), parameters).fetchone()
    assert row is not None
    return row
