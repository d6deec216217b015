"""What leaves for Slack: rows that no message was made of yet, messages that wait, and what became of each try."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection
from viska_assets.store.supervised.incidents import Severity, op_id

POSTING = "posting"
REFUSED = "refused: "


@dataclass(frozen=True)
class NewRow:
    """A row that Slack should have: its key, such as ``signal:7``, and its columns."""

    key: str
    severity: Severity
    columns: Mapping[str, Any]


@dataclass(frozen=True)
class Letter:
    """A message that Slack does not have, as far as is known.

    Attributes:
        outbox_id: its number.
        message_key: what it is about; no second message has the same.
        channel: where it goes.
        body: its text.
        recorded_at: since when it waits.
        tries: how often it was begun.
        refusals: how often Slack refused it.
        doubtful_seconds: for how long a try has neither ended nor failed; None where none is open.
    """

    outbox_id: int
    message_key: str
    channel: str
    body: str
    recorded_at: datetime
    tries: int
    refusals: int
    doubtful_seconds: float | None


_NEW = {
    "signal": """
        SELECT artifact_id, severity, to_jsonb(t) FROM signals.approved t
        WHERE severity = 'high' AND recorded_at > clock_timestamp() - make_interval(days => %s) AND NOT EXISTS (
            SELECT 1 FROM slack.outbox o WHERE o.message_key = 'signal:' || t.artifact_id)
        ORDER BY artifact_id""",
    "report": """
        SELECT report_id, severity, to_jsonb(t) FROM reports.report t
        WHERE (kind IN ('daily_digest', 'review_summary') OR kind = 'alert' AND severity = 'high')
            AND recorded_at > clock_timestamp() - make_interval(days => %s) AND NOT EXISTS (
            SELECT 1 FROM slack.outbox o WHERE o.message_key = 'report:' || t.report_id)
        ORDER BY report_id""",
    "incident": """
        SELECT incident_id, severity, to_jsonb(t) FROM governance.incident t
        WHERE severity = 'high' AND recorded_at > clock_timestamp() - make_interval(days => %s) AND NOT EXISTS (
            SELECT 1 FROM slack.outbox o WHERE o.message_key = 'incident:' || t.incident_id)
        ORDER BY incident_id""",
}


def new_rows(connection: Connection, lookback_days: int) -> list[NewRow]:
    """High signals, digests and high incidents of which no message was made, as mastra.

    There is no watermark: a row that was committed late, behind a newer one, is found all the same.
    """
    found = []
    for kind, query in _NEW.items():
        rows = connection.execute(query.encode(), (lookback_days,))
        found += [NewRow(f"{kind}:{number}", Severity(severity), columns) for number, severity, columns in rows]
    return found


def put_in_outbox(connection: Connection, key: str, channel: str, severity: Severity, body: str) -> bool:
    """Adds a message once; false where there is one with this key."""
    done = connection.execute(
        """
        INSERT INTO slack.outbox (message_key, channel, severity, body, about) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (message_key) DO NOTHING
        """,
        (key, channel, severity.value, body, key),
    )
    return done.rowcount == 1


def letters(connection: Connection, most_refusals: int) -> list[Letter]:
    """The messages that wait, oldest first; those that Slack refused too often wait no longer."""
    rows = connection.execute(
        """
        SELECT o.outbox_id, o.message_key, o.channel, o.body, o.recorded_at, coalesce(d.tries, 0),
            coalesce(d.refusals, 0), CASE WHEN d.last_detail = %(posting)s
            THEN extract(epoch FROM clock_timestamp() - d.last_at)::float END
        FROM slack.undelivered o LEFT JOIN LATERAL (
            SELECT count(*) FILTER (WHERE detail = %(posting)s) AS tries,
                count(*) FILTER (WHERE starts_with(detail, %(refused)s)) AS refusals, max(recorded_at) AS last_at,
                (array_agg(detail ORDER BY delivery_id DESC))[1] AS last_detail
            FROM slack.delivery WHERE outbox_id = o.outbox_id
        ) d ON true
        WHERE coalesce(d.refusals, 0) < %(most)s ORDER BY o.outbox_id
        """,
        {"posting": POSTING, "refused": REFUSED, "most": most_refusals},
    )
    return [Letter(*row) for row in rows]


def begin_try(connection: Connection, letter: Letter) -> bool:
    """Begins the next try of a message; false where another process has begun it."""
    done = connection.execute(
        """
        INSERT INTO slack.delivery (outbox_id, delivered, detail, op_id) VALUES (%s, false, %s, %s)
        ON CONFLICT (op_id) DO NOTHING
        """,
        (letter.outbox_id, POSTING, op_id(f"post:{letter.outbox_id}:{letter.tries + 1}")),
    )
    return done.rowcount == 1


def end_try(connection: Connection, letter: Letter, detail: str, *, delivered: bool) -> None:
    """Records what became of a try; that a message was delivered is recorded once."""
    connection.execute(
        """
        INSERT INTO slack.delivery (outbox_id, delivered, detail) VALUES (%s, %s, %s)
        ON CONFLICT (outbox_id) WHERE delivered DO NOTHING
        """,
        (letter.outbox_id, delivered, detail),
    )


def add_line(connection: Connection, event_id: str, channel: str, user: str, said: str, *, inward: bool) -> bool:
    """Adds what was said to or by Slack, once an event; false where it stands."""
    done = connection.execute(
        """
        INSERT INTO slack.thread (event_id, channel, user_id, direction, said) VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (event_id) DO NOTHING
        """,
        (event_id, channel, user, "in" if inward else "out", said),
    )
    return done.rowcount == 1


def line(connection: Connection, event_id: str) -> str:
    """What was said under an event id, or an empty string."""
    row = connection.execute("SELECT said FROM slack.thread WHERE event_id = %s", (event_id,)).fetchone()
    return str(row[0]) if row else ""


def ask_for_run(connection: Connection, key: str, subject: str, requested_by: str, request: Mapping[str, Any]) -> None:
    """Puts a research request into the queue of nous."""
    connection.execute(
        """
        INSERT INTO nous.run_queue (request_key, kind, subject, request, requested_by)
        VALUES (%s, 'research', %s, %s, %s)
        """,
        (key, subject, Jsonb(dict(request)), requested_by),
    )


def runs_asked_for(connection: Connection, requested_by: str) -> int:
    """How many runs somebody asked for within the last hour."""
    row = connection.execute(
        """
        SELECT count(*) FROM nous.run_queue
        WHERE requested_by = %s AND recorded_at > clock_timestamp() - interval '1 hour'
        """,
        (requested_by,),
    ).fetchone()
    return int(row[0]) if row else 0


def ask_to_resume(connection: Connection, flag: str, requested_by: str, reason: str) -> None:
    """Files a request that an operator raise a flag; nothing is raised by it."""
    connection.execute(
        "INSERT INTO governance.resume_request (flag, requested_by, reason) VALUES (%s, %s, %s)",
        (flag, requested_by, reason),
    )


def newest_letters(connection: Connection, most: int = 100) -> list[dict[str, Any]]:
    """The newest messages with what became of them."""
    rows = connection.execute(
        """
        SELECT o.outbox_id, o.recorded_at, o.message_key, o.severity, coalesce((SELECT d.detail FROM slack.delivery d
            WHERE d.outbox_id = o.outbox_id ORDER BY d.delivery_id DESC LIMIT 1), 'waits'),
            EXISTS (SELECT 1 FROM slack.delivery d WHERE d.outbox_id = o.outbox_id AND d.delivered)
        FROM slack.outbox o ORDER BY o.outbox_id DESC LIMIT %s
        """,
        (most,),
    )
    names = ("outbox_id", "at", "message", "severity", "last", "delivered")
    return [dict(zip(names, row, strict=True)) for row in rows]
