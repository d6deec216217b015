"""Flags: what they say, who set them, and how they are set; a flag that is not there counts as paused."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection
from viska_assets.store.supervised.matrix import Writer


class Flag(StrEnum):
    """Every flag there is. ``…_active`` stops a writer where it is not true; the rate limit slows nous where it is."""

    INGESTION_ACTIVE = "ingestion_active"
    NOUS_ACTIVE = "nous_active"
    PLUTUS_ACTIVE = "plutus_active"
    MASTRA_ACTIVE = "mastra_active"
    NOUS_RATE_LIMIT = "nous_rate_limit"


@dataclass(frozen=True)
class FlagState:
    """A flag as it stands, and the last word on it."""

    flag: Flag
    value: bool
    reason: str
    requested_by: str
    written_by: str
    at: datetime


@dataclass(frozen=True)
class WriterState:
    """A writer as the database sees it: whether its flag lets it write, whether it may log in, open sessions."""

    writer: Writer
    role: str
    active: bool | None
    can_log_in: bool
    sessions: int
    reason: str
    requested_by: str


def flag_of(writer: Writer) -> Flag:
    """The flag that pauses a writer."""
    return Flag(f"{writer.value}_active")


def set_flag(connection: Connection, flag: Flag, value: bool, *, reason: str, requested_by: str) -> int:
    """Sets a flag, with its reason and on whose word, and returns the number of the log's row."""
    row = connection.execute(
        "SELECT governance.set_flag(%s, %s, %s, %s)", (flag.value, value, reason, requested_by)
    ).fetchone()
    return int(row[0]) if row else 0


def flags(connection: Connection) -> list[FlagState]:
    """Every flag that is set."""
    rows = connection.execute(
        """
        SELECT c.flag, c.value, l.reason, l.requested_by, l.written_by, l.recorded_at
        FROM governance.flag_cell c JOIN governance.flags_log l USING (flag_no) ORDER BY c.flag
        """
    )
    return [FlagState(Flag(flag), *rest) for flag, *rest in rows]


def is_set(connection: Connection, flag: Flag) -> bool:
    """Whether a flag is true; one that is missing is not."""
    row = connection.execute("SELECT value FROM governance.flag_cell WHERE flag = %s", (flag.value,)).fetchone()
    return bool(row and row[0])


def may_write(connection: Connection, writer: Writer, occasion: str) -> bool:
    """Whether a writer is active; where not, the audit is told that it skipped this occasion (that stays writable).

    A cheap look at the start of a tick. The database asks again at every statement and at commit.
    """
    if is_set(connection, flag_of(writer)):
        return True
    connection.execute("SELECT audit.append('skip', %s, %s)", (occasion, Jsonb({"flag": flag_of(writer).value})))
    return False


def writer_states(connection: Connection) -> list[WriterState]:
    """Every writer whose role is applied; ``active`` is None for one that no flag pauses."""
    rows = connection.execute(
        """
        SELECT w.writer, w.role_name::text, CASE WHEN w.writer IN ('governance', 'hades') THEN NULL
            ELSE coalesce(c.value, false) END, r.rolcanlogin,
            (SELECT count(*) FROM pg_stat_activity a WHERE a.usename = w.role_name),
            coalesce(l.reason, ''), coalesce(l.requested_by, '')
        FROM governance.writer w JOIN pg_roles r ON r.rolname = w.role_name
        LEFT JOIN governance.flag_cell c ON c.flag = w.writer || '_active'
        LEFT JOIN governance.flags_log l USING (flag_no) ORDER BY w.writer
        """
    )
    return [WriterState(Writer(writer), *rest) for writer, *rest in rows]
