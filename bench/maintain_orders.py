"""Whether the order of delivery matters: the same documents in several orders, and what the pages then say."""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.maintainer import maintain, receive
from viska_assets.store.home import Home
from viska_assets.store.registry import live_claims
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

BATCHES = 4
SEED = 20251128
RECEIVED = datetime(2026, 1, 1, tzinfo=UTC)


def order_independence(pack: Path, entries: Sequence[dict[str, Any]], orders: int) -> dict[str, Any]:
    """Delivers the documents of issuers with several, in four batches a time: as listed, backwards, then shuffled.

    Returns:
        ``order_independent`` (the same claims whatever the order) and ``order_same_bytes`` (the same files).
    """
    issuers = Counter(entry["ticker"] for entry in entries if entry["ticker"])
    paths = [pack / entry["path"] for entry in entries if entry["ticker"] and issuers[entry["ticker"]] > 1]
    found = [_deliver(order) for order in _orders(paths, orders)]
    claims, files = zip(*found, strict=True)
    return {
        "order_independent": all(other == claims[0] for other in claims),
        "order_same_bytes": all(other == files[0] for other in files),
        "order": {"documents": len(paths), "orders": len(found), "claims": len(claims[0]), "batches": BATCHES},
    }


def _orders(paths: list[Path], count: int) -> list[list[Path]]:
    shuffler = random.Random(SEED)
    shuffled = [shuffler.sample(paths, len(paths)) for _ in range(max(0, count - 2))]
    return [paths, paths[::-1], *shuffled][:count]


def _deliver(paths: list[Path]) -> tuple[frozenset[tuple[str, ...]], dict[str, str]]:
    print(f"delivering {len(paths)} documents in an order of their own", file=sys.stderr)
    size = -(-len(paths) // BATCHES)
    with tempfile.TemporaryDirectory() as scratch:
        # A document that states no date is known when it is received: at one moment in every order.
        home = Home(Settings(home=Path(scratch), now=RECEIVED))
        for start in range(0, len(paths), size):
            receive(home, paths[start : start + size])
            maintain(home)
        with home.database.transaction() as connection:
            claims = frozenset(
                (c.concept_id, repr(c.key), str(c.low), str(c.high), c.value)
                for c in live_claims(connection)
                if c.superseded_by is None
            )
        files = home.bundle.files()
        home.close()
        EmbeddedServer(Path(scratch)).stop()
    return claims, files
