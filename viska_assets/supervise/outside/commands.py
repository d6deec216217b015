"""``/viska pause|resume|status|research`` from Slack, as mastra: each once, and answered with who said what when."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import psycopg
from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection, Database
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.flags import Flag, FlagState, flags
from viska_assets.store.supervised.outbox_rows import add_line, ask_for_run, ask_to_resume, line, runs_asked_for
from viska_assets.supervise.connecting import is_paused
from viska_assets.supervise.outside.wording import escape, shorten
from viska_assets.text.clean import clean

STOPPABLE = ("nous", "plutus")
LONGEST_SUBJECT = 500
HELP = (
    "`/viska status`, `/viska pause nous|plutus [reason]`, `/viska resume nous|plutus [reason]` (asks an operator), "
    "`/viska research QUESTION`"
)


class Verb(StrEnum):
    """What can be asked for."""

    PAUSE = "pause"
    RESUME = "resume"
    STATUS = "status"
    RESEARCH = "research"


@dataclass(frozen=True)
class Command:
    """A slash command as Slack sent it; ``trigger_id`` is Slack's own id of this call."""

    trigger_id: str
    user: str
    team: str
    channel: str
    text: str

    @classmethod
    def of(cls, form: Mapping[str, str]) -> "Command":
        """A command from the fields of Slack's form."""
        return cls(
            trigger_id=_field(form, "trigger_id"),
            user=_field(form, "user_id"),
            team=_field(form, "team_id"),
            channel=_field(form, "channel_id"),
            text=clean(form.get("text", "")[:4000]).text.strip(),
        )

    @property
    def requester(self) -> str:
        """Who asks, as it stands in the database."""
        return f"slack:{self.team}:{self.user}"


def run_command(database: Database, command: Command, policy: OutsideSection) -> str:
    """Does what is asked in one transaction with its record, and returns the reply; the same call again is not done.

    Args:
        database: mastra's.
        command: what came.
        policy: who may ask, and how much.
    """
    started = time.monotonic()
    try:
        with database.transaction() as connection:
            if not add_line(
                connection, f"command:{command.trigger_id}", command.channel, command.user, command.text, inward=True
            ):
                return line(connection, f"reply:{command.trigger_id}")
            reply = _reply(connection, command, policy)
            add_line(connection, f"reply:{command.trigger_id}", command.channel, command.user, reply, inward=False)
            taken = round((time.monotonic() - started) * 1000, 1)
            connection.execute(
                "SELECT audit.append('answered', 'slack:command', %s)",
                (Jsonb({"milliseconds": taken, "verb": command.text.split(" ")[0][:20]}),),
            )
            return reply
    except psycopg.Error as error:
        if not is_paused(error):
            raise
    return _while_mastra_is_paused(database, command, policy)


def _while_mastra_is_paused(database: Database, command: Command, policy: OutsideSection) -> str:
    """A pause must work whoever is paused: it needs no row of mastra's. Everything else waits."""
    verb, _, rest = command.text.partition(" ")
    if verb != Verb.PAUSE or not _may(command, policy):
        return "mastra is paused: only `/viska pause` works, and is not kept in the thread's record."
    with database.transaction() as connection:
        return _pause(connection, command, rest)


def _reply(connection: Connection, command: Command, policy: OutsideSection) -> str:
    verb, _, rest = command.text.partition(" ")
    if verb == Verb.STATUS:
        return _status(connection)
    if verb not in list(Verb):
        return HELP
    if not _may(command, policy):
        return f"<@{command.user}> is not among the operators of this desk."
    if verb == Verb.PAUSE:
        return _pause(connection, command, rest)
    if verb == Verb.RESUME:
        return _resume(connection, command, rest)
    return _research(connection, command, rest, policy)


def _pause(connection: Connection, command: Command, rest: str) -> str:
    writer, _, reason = rest.strip().partition(" ")
    if writer not in STOPPABLE:
        return f"Name one of {', '.join(STOPPABLE)}. {HELP}"
    before = _state(connection, writer)
    if before and not before.value:
        return (
            f"{writer} is paused already, by {escape(before.requested_by)} at {_at(before.at)}: {escape(before.reason)}"
        )
    why = shorten(reason) or "no reason given"
    connection.execute("SELECT governance.pause_writer(%s, %s, %s)", (writer, why, command.requester))
    return f"{writer} was paused by <@{command.user}> at {_at(datetime.now(tz=UTC))}: {escape(why)}"


def _resume(connection: Connection, command: Command, rest: str) -> str:
    writer, _, reason = rest.strip().partition(" ")
    if writer not in STOPPABLE:
        return f"Name one of {', '.join(STOPPABLE)}. {HELP}"
    before = _state(connection, writer)
    if before and before.value:
        return f"{writer} is not paused."
    ask_to_resume(connection, f"{writer}_active", command.requester, shorten(reason) or "no reason given")
    return (
        f"<@{command.user}> asked at {_at(datetime.now(tz=UTC))} that {writer} go on. An operator decides: "
        f"`viska governance status`, `viska resume {writer} --reason …`"
    )


def _research(connection: Connection, command: Command, rest: str, policy: OutsideSection) -> str:
    subject = shorten(rest, LONGEST_SUBJECT)
    if not subject:
        return f"Say what is to be looked into. {HELP}"
    if runs_asked_for(connection, command.requester) >= policy.research_per_hour:
        return f"<@{command.user}> asked for {policy.research_per_hour} runs within an hour; that is all for now."
    ask_for_run(connection, f"slack:{command.trigger_id}", subject, command.requester, {"channel": command.channel})
    return f"<@{command.user}> asked at {_at(datetime.now(tz=UTC))} for: {escape(subject)}"


def _status(connection: Connection) -> str:
    lines = [f"Status at {_at(datetime.now(tz=UTC))}"]
    for state in flags(connection):
        if state.flag is Flag.NOUS_RATE_LIMIT:
            said = "nous is slowed" if state.value else "nous runs at its own pace"
        else:
            said = f"{state.flag.value.removesuffix('_active')} is {'active' if state.value else 'PAUSED'}"
        lines.append(f"• {said}, since {_at(state.at)} by {escape(state.requested_by)}: {escape(state.reason)}")
    return "\n".join(lines)


def _state(connection: Connection, writer: str) -> FlagState | None:
    return next((state for state in flags(connection) if state.flag.value == f"{writer}_active"), None)


def _field(form: Mapping[str, str], name: str) -> str:
    return form.get(name, "").strip()[:200]


def _may(command: Command, policy: OutsideSection) -> bool:
    return not policy.operators or command.user in policy.operators


def _at(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
