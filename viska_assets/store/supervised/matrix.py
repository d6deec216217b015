"""Who may do what: one table of writer, table and action, from which both the grants and the attacks are made."""

from collections.abc import Mapping
from enum import StrEnum


class Writer(StrEnum):
    """The writers of the loop; each is one database role, one address and one Dagster resource."""

    INGESTION = "ingestion"
    NOUS = "nous"
    PLUTUS = "plutus"
    MASTRA = "mastra"
    GOVERNANCE = "governance"
    HADES = "hades"


class Action(StrEnum):
    """What can be done to a table by grant."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"


S, I, U, D = Action.SELECT, Action.INSERT, Action.UPDATE, Action.DELETE  # noqa: E741
READ = frozenset({S})
ADD = frozenset({S, I})
KEEP = frozenset({S, I, U})
OWN = frozenset({S, I, U, D})

PAUSABLE = (Writer.INGESTION, Writer.NOUS, Writer.PLUTUS, Writer.MASTRA)
KILLABLE = (*PAUSABLE, Writer.GOVERNANCE)

# A name that ends in .* stands for every table of the schema that is not named itself; its views may be read.
TABLES: Mapping[Writer, Mapping[str, frozenset[Action]]] = {
    Writer.INGESTION: {
        "raw.*": KEEP,
        "raw.flagged_document": ADD,
        "retrieval.*": OWN,
        "governance.flag_cell": READ,
    },
    Writer.NOUS: {
        "nous.document": READ,
        "nous.chunk": READ,
        "nous.evidence": READ,
        "nous.run_queue": READ,
        "nous.trace": ADD,
        "nous.trace_end": ADD,
        "nous.cancellation": READ,
        "signals.candidate": ADD,
        "strategies.draft": ADD,
        "backtests.requested": ADD,
        "backtests.result": READ,
        "governance.flag_cell": READ,
    },
    Writer.PLUTUS: {
        "raw.document": READ,
        "raw.incident": READ,
        "retrieval.document_text": READ,
        "retrieval.chunk": READ,
        "retrieval.evidence": READ,
        "nous.run_queue": ADD,
        "nous.trace": READ,
        "nous.trace_end": READ,
        "nous.open_trace": READ,
        "nous.cancellation": READ,
        "signals.candidate": READ,
        "signals.approved": ADD,
        "signals.rejected": ADD,
        "strategies.draft": READ,
        "strategies.approved": ADD,
        "strategies.rejected": ADD,
        "review.artifact": READ,
        "review.pending": READ,
        "review.session": ADD,
        "review.transcript": ADD,
        "review.check_result": ADD,
        "review.sign_off": READ,
        "review.expired": ADD,
        "review.verdict": READ,
        "backtests.requested": READ,
        "backtests.trial": ADD,
        "backtests.result": ADD,
        "backtests.holdout_read": ADD,
        "reports.report": ADD,
        "governance.flag_cell": READ,
        "governance.flags_log": READ,
        "governance.incident": ADD,
        "governance.metric": ADD,
        "governance.policy": READ,
        "audit.entry": READ,
        "audit.seal": READ,
    },
    Writer.MASTRA: {
        "signals.approved": READ,
        "strategies.approved": READ,
        "reports.report": READ,
        "governance.incident": READ,
        "governance.flag_cell": READ,
        "governance.flags_log": READ,
        "governance.resume_request": ADD,
        "nous.run_queue": ADD,
        "slack.thread": ADD,
        "slack.outbox": ADD,
        "slack.delivery": ADD,
        "slack.undelivered": READ,
    },
    Writer.GOVERNANCE: {
        "governance.flags_log": READ,
        "governance.flag_cell": READ,
        "governance.resume_request": READ,
        "governance.incident": ADD,
        "governance.metric": ADD,
        "governance.policy": ADD,
        "governance.writer": READ,
        "nous.run_queue": READ,
        "nous.trace": READ,
        "nous.trace_end": READ,
        "nous.open_trace": READ,
        "nous.cancellation": READ,
        "review.artifact": READ,
        "review.pending": READ,
        "review.verdict": READ,
        "review.check_result": READ,
        "review.sign_off": ADD,
        "slack.outbox": READ,
        "slack.delivery": READ,
        "slack.undelivered": READ,
        "audit.entry": READ,
        "audit.seal": READ,
        "audit.horizon": READ,
    },
    Writer.HADES: {},
}

# What row security by namespace needs of everyone, and nothing of anybody's rows.
OPEN_TABLES: Mapping[str, frozenset[Action]] = {"privacy.namespace": READ}
OPEN_FUNCTIONS = frozenset({"privacy.visible"})

# Columns that a writer never gives: the database sets them.
SET_BY_DATABASE = frozenset({"written_by", "recorded_at", "reviewed_by"})
QUEUE_LIFE = frozenset({"status", "attempts", "claimed_at", "lease_until", "outcome"})
BOUND = frozenset({"artifact_id", "content_sha256"})
SET_BY_DATABASE_IN: Mapping[str, frozenset[str]] = {
    "nous.run_queue": QUEUE_LIFE,
    "signals.candidate": BOUND,
    "strategies.draft": BOUND,
}
# Of an approval the reviewer gives only these; the content is copied from what was reviewed.
GIVEN_IN: Mapping[str, frozenset[str]] = {
    table: frozenset({"artifact_id", "content_sha256", "review_session_id", "verdict_excerpt", "op_id", "event_at"})
    for table in ("signals.approved", "strategies.approved")
}

ALL_BUT_HADES = frozenset(Writer) - {Writer.HADES}
FUNCTIONS: Mapping[str, frozenset[Writer]] = {
    "audit.append": ALL_BUT_HADES,
    "audit.netstrings": ALL_BUT_HADES,
    "audit.seal_entries": frozenset({Writer.GOVERNANCE}),
    "audit.canonical": frozenset({Writer.GOVERNANCE, Writer.PLUTUS}),
    "audit.write_kill": frozenset({Writer.HADES}),
    "review.content_sha256": frozenset({Writer.NOUS, Writer.PLUTUS, Writer.MASTRA, Writer.GOVERNANCE}),
    "review.are_citations": frozenset({Writer.NOUS, Writer.PLUTUS}),
    "nous.claim_run": frozenset({Writer.NOUS}),
    "nous.finish_run": frozenset({Writer.NOUS}),
    "nous.is_run_waiting": frozenset({Writer.NOUS}),
    "nous.cancel_run": frozenset({Writer.GOVERNANCE}),
    "nous.requeue_expired": frozenset({Writer.GOVERNANCE}),
    "governance.set_flag": frozenset({Writer.GOVERNANCE}),
    "governance.pause_writer": frozenset({Writer.MASTRA}),
    "governance.disable_writer": frozenset({Writer.HADES}),
    "governance.enable_writer": frozenset({Writer.HADES}),
    "governance.end_sessions": frozenset({Writer.HADES}),
}


def allowed(writer: Writer, table: str, *, is_table: bool = True) -> frozenset[Action]:
    """What a writer may do to a table or view, named ``schema.name``; nothing where neither it nor its schema stands.

    A table of the loop that the matrix forgets is therefore closed.
    """
    own = TABLES[writer]
    if table in own or table in OPEN_TABLES:
        return own.get(table, OPEN_TABLES.get(table, frozenset()))
    whole = own.get(f"{table.partition('.')[0]}.*", frozenset())
    return whole if is_table else whole & READ


def may_call(writer: Writer, function: str) -> bool:
    """Whether a writer may call a function, named ``schema.name``."""
    return function in OPEN_FUNCTIONS or writer in FUNCTIONS.get(function, ())


def schemas_of(writer: Writer) -> frozenset[str]:
    """The schemas that a writer needs to enter for its tables and functions."""
    tables = {table.partition(".")[0] for table in TABLES[writer]}
    functions = {name.partition(".")[0] for name, writers in FUNCTIONS.items() if writer in writers}
    return frozenset(tables | functions)


def is_given(table: str, column: str) -> bool:
    """Whether a writer who may insert into the table may give this column."""
    if table in GIVEN_IN:
        return column in GIVEN_IN[table]
    return column not in SET_BY_DATABASE and column not in SET_BY_DATABASE_IN.get(table, frozenset())
