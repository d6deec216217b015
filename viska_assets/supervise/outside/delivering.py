"""From the outbox to Slack, each message once, and what became of it on record."""

from dataclasses import dataclass

from viska_assets.store.database import Database
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.outbox_rows import REFUSED, Letter, begin_try, end_try, letters
from viska_assets.supervise.outside.slack_api import Slack, SlackAway, SlackBusy, SlackRefused


@dataclass
class Delivered:
    """How many messages were posted, were found to be there, were refused; and why the rest still waits."""

    posted: int = 0
    found: int = 0
    refused: int = 0
    away: str = ""


def deliver(database: Database, slack: Slack, policy: OutsideSection) -> Delivered:
    """Posts what waits. A try is recorded before the post; one whose end is not known is looked for in the channel.

    So a message is posted again only where Slack's own history does not have it.

    Args:
        database: mastra's.
        slack: the workspace.
        policy: how often a message is tried, and when a try is doubtful.
    """
    done = Delivered()
    with database.transaction() as connection:
        waiting = letters(connection, policy.most_attempts)
    due = [one for one in waiting if one.doubtful_seconds is None or one.doubtful_seconds >= policy.doubt_seconds]
    if not due:
        return done
    try:
        slack.check()
        for letter in due:
            _send(database, slack, letter, done)
    except (SlackAway, SlackBusy) as error:
        done.away = str(error)
    return done


def _send(database: Database, slack: Slack, letter: Letter, done: Delivered) -> None:
    if letter.doubtful_seconds is not None and (stamp := _seen(slack, letter)):
        _end(database, letter, f"found ts={stamp}", delivered=True)
        done.found += 1
        return
    with database.transaction() as connection:
        is_ours = begin_try(connection, letter)
    if not is_ours:
        return
    try:
        stamp = slack.post(letter.channel, letter.body, letter.message_key)
    except SlackBusy as error:
        _end(database, letter, f"not posted: {error}", delivered=False)
        raise
    except SlackRefused as error:
        _end(database, letter, f"{REFUSED}{error}", delivered=False)
        done.refused += 1
        return
    _end(database, letter, f"ts={stamp}", delivered=True)
    done.posted += 1


def _seen(slack: Slack, letter: Letter) -> str:
    """Where Slack does not let us look, the message is posted again: told twice is better than not told."""
    try:
        return slack.find(letter.channel, letter.message_key, letter.recorded_at)
    except SlackRefused:
        return ""


def _end(database: Database, letter: Letter, detail: str, *, delivered: bool) -> None:
    with database.transaction() as connection:
        end_try(connection, letter, detail, delivered=delivered)
