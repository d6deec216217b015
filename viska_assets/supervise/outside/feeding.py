"""From approved rows to the outbox, as mastra: high ones at once, the rest through the digest."""

from viska_assets.store.database import Database
from viska_assets.store.policy_governance import OutsideSection
from viska_assets.store.supervised.content import unbound
from viska_assets.store.supervised.flags import Flag, is_set
from viska_assets.store.supervised.outbox_rows import letters, new_rows, put_in_outbox
from viska_assets.supervise.outside.wording import message_of


class UnboundError(RuntimeError):
    """An approved row has other content than was reviewed; nothing of it leaves."""


def feed(database: Database, channel: str, policy: OutsideSection) -> int:
    """Makes the messages that are due, each once, and returns how many were new.

    Args:
        database: mastra's.
        channel: the id of the operators' channel.
        policy: how far back is looked.

    Raises:
        UnboundError: where the content of an approved signal is not what its hash says.
    """
    with database.transaction() as connection:
        found = new_rows(connection, policy.lookback_days)
        signals = [int(row.columns["artifact_id"]) for row in found if row.key.startswith("signal:")]
        if bad := unbound(connection, "signals.approved", signals):
            raise UnboundError(f"signals {bad}: the content is not what was reviewed; see `viska audit verify`")
        return sum(put_in_outbox(connection, row.key, channel, row.severity, message_of(row)) for row in found)


def is_anything_due(database: Database, policy: OutsideSection) -> bool:
    """Whether a message is to be made or delivered, and mastra may do so."""
    with database.transaction() as connection:
        return is_set(connection, Flag.MASTRA_ACTIVE) and bool(
            new_rows(connection, policy.lookback_days) or letters(connection, policy.most_attempts)
        )
