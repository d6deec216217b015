"""Messages for Slack from rows. Whatever a row says is escaped, so that it can mention nobody and link nowhere."""

from collections.abc import Mapping
from typing import Any

from viska_assets.store.supervised.outbox_rows import NewRow
from viska_assets.text.clean import clean

LONGEST_PART = 600
LONGEST_BODY = 30_000


def escape(text: str) -> str:
    """Text as Slack shows it literally: hidden characters out, ``&``, ``<`` and ``>`` escaped.

    Source: https://docs.slack.dev/messaging/formatting-message-text (escaping text).
    """
    return clean(text).text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shorten(text: str, longest: int = LONGEST_PART) -> str:
    """Text of at most so many characters, cut at a space."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else plain[:longest].rsplit(" ", 1)[0] + " …"


def message_of(row: NewRow) -> str:
    """The message that a row makes."""
    kind = row.key.partition(":")[0]
    return {"signal": _signal, "report": _report, "incident": _incident}[kind](row.columns)[:LONGEST_BODY]


def _signal(row: Mapping[str, Any]) -> str:
    return "\n".join(
        (
            f"*High signal {row['artifact_id']}: {_say(row['headline'])}*",
            f"{_say(row['concept_id'])}, {row['direction']}; {len(row['citations'])} citations",
            _say(row["rationale"]),
            f"Reviewed by {_say(row['reviewed_by'])}: {_say(row['verdict_excerpt'])}",
        )
    )


def _report(row: Mapping[str, Any]) -> str:
    lines = [escape(line) for line in str(row["body"]).splitlines()]
    return "\n".join((f"*{_say(row['title'])}*", *lines))


def _incident(row: Mapping[str, Any]) -> str:
    return f"*Incident {row['incident_id']}, {row['kind']}*: {_say(row['detail'])}\nNoticed by {_say(row['detector'])}"


def _say(value: object) -> str:
    return escape(shorten(str(value)))
