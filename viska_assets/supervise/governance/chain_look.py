"""A look at the audit trail's newest end, cheap enough for every cycle; the whole chain is verified elsewhere."""

from viska_assets.store.database import Connection
from viska_assets.store.supervised.audit_rows import Head, hash_of, newest_links
from viska_assets.store.supervised.audit_rows import head as chain_head
from viska_assets.store.supervised.metric_rows import latest
from viska_assets.supervise.auditing import verify_tail

HEAD = "audit_head"
MOST_NAMED = 5


def look_at_chain(connection: Connection, links: int) -> tuple[Head, tuple[str, ...]]:
    """The head, and what is wrong: with the last links, or with the head that the last cycle saw.

    Args:
        connection: as governance.
        links: how many of the last links are recomputed.
    """
    faults = [f"{broken.place}: {broken.detail}" for broken in verify_tail(newest_links(connection, links))]
    seen = latest(connection, HEAD)
    if seen and seen.value and hash_of(connection, int(seen.value)) != seen.labels.get("hash"):
        faults.append(f"link {seen.value:.0f} is not the one that an earlier cycle saw")
    return chain_head(connection), tuple(faults[:MOST_NAMED])
