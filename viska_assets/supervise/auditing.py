"""The audit chain: sealed by governance, verified here by a reckoning of its own, held against heads kept elsewhere.

The hashes are made by the database and checked without asking it: a verifying function in the database could be made
to lie by whoever altered the rows.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

import psycopg

from viska_assets.store.database import Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.anchors import Anchor
from viska_assets.store.supervised.audit_rows import (
    Head,
    SealedEntry,
    chain,
    differing_rows,
    head,
    passed_over,
    seal_entries,
    waiting,
)
from viska_assets.store.supervised.content import netstrings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import Writer

GENESIS = hashlib.sha256(b"").digest()
START = Head(0, GENESIS.hex())
MOST = 100


class Fault(StrEnum):
    """What can be wrong with the chain."""

    GAP = "gap"
    PREV = "prev"
    CONTENT = "content"
    HEAD = "head"
    UNSEALED = "unsealed"
    ROW = "row"


@dataclass(frozen=True)
class Broken:
    """One fault: its kind, the link or row, and what is wrong in words."""

    fault: Fault
    place: str
    detail: str


@dataclass(frozen=True)
class ChainReport:
    """How far the chain goes, how many entries wait for a seal, how many heads it was held against, what is wrong."""

    head: Head
    links: int
    waiting: int
    anchors: int
    broken: tuple[Broken, ...]

    @property
    def is_intact(self) -> bool:
        """Whether nothing is wrong."""
        return not self.broken


def seal(settings: Settings, database: Database) -> tuple[int, Head]:
    """Seals as governance, or as the owner where the roles are not applied; returns how many, and the new head."""
    try:
        with psycopg.connect(address_of(settings, database.url, Writer.GOVERNANCE)) as connection:
            return seal_entries(connection), head(connection)
    except (RolesError, psycopg.OperationalError):
        with database.transaction() as connection:
            return seal_entries(connection), head(connection)


def verify(database: Database, anchors: Collection[Anchor]) -> ChainReport:
    """Reads the whole chain and the rows it speaks of, as the owner."""
    with database.transaction() as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found = verify_chain(chain(connection), anchors)
        unsealed = [
            Broken(Fault.UNSEALED, f"entry {entry}", "the sealer went past it: it was put in behind its back")
            for entry in passed_over(connection)
        ]
        rows = [Broken(Fault.ROW, *text.split(": ", 1)) for text in differing_rows(connection)]
        left = waiting(connection)
    broken = (*found.broken, *unsealed, *rows)
    return ChainReport(found.head, found.links, left, len(anchors), broken)


def verify_tail(links: list[SealedEntry]) -> tuple[Broken, ...]:
    """Recomputes the last links; that the first of them follows what is before it is not looked at."""
    if not links:
        return ()
    return verify_chain(links, (), after=Head(links[0].seq - 1, links[0].prev.hex())).broken


def verify_chain(links: Iterable[SealedEntry], anchors: Collection[Anchor], *, after: Head = START) -> ChainReport:
    """Recomputes every link and compares the chain with the heads that others remember.

    Args:
        links: the links in order.
        anchors: the heads that others remember.
        after: the link that the first one must follow.
    """
    broken: list[Broken] = []
    remembered: dict[int, list[Anchor]] = {}
    for anchor in anchors:
        remembered.setdefault(anchor.seq, []).append(anchor)
    prev, expected, count, last = bytes.fromhex(after.hash), after.seq + 1, 0, Head(0, "")
    for link in links:
        count += 1
        if len(broken) < MOST:
            broken += _faults(link, prev, expected)
        for anchor in remembered.pop(link.seq, ()):
            if anchor.hash != link.hash.hex():
                broken.append(_other_head(anchor, f"the chain has {link.hash.hex()[:16]}… there: it was made anew"))
        prev, expected, last = link.hash, link.seq + 1, Head(link.seq, link.hash.hex())
    for anchors_of_seq in remembered.values():
        for anchor in anchors_of_seq:
            broken.append(_other_head(anchor, f"the chain ends at {last.seq}: its end was cut off"))
    return ChainReport(last, count, 0, len(anchors), tuple(broken))


def _faults(link: SealedEntry, prev: bytes, expected: int) -> list[Broken]:
    place = f"link {link.seq}"
    found = []
    if link.seq != expected:
        found.append(Broken(Fault.GAP, place, f"link {expected} is missing"))
    if link.prev != prev:
        found.append(Broken(Fault.PREV, place, "it does not follow the link before it"))
    if link.xid is None or link.at is None:
        found.append(Broken(Fault.CONTENT, place, f"entry {link.entry_id} is gone"))
    elif hashlib.sha256(link.prev + canonical(link)).digest() != link.hash:
        found.append(Broken(Fault.CONTENT, place, f"entry {link.entry_id} is not what was sealed"))
    return found


def canonical(link: SealedEntry) -> bytes:
    """The bytes of an entry that are hashed: its fields as netstrings, the time in UTC to the microsecond."""
    at = link.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if link.at else None
    fields = (link.entry_id, link.xid, at, link.actor, link.action, link.object, link.detail)
    return netstrings(fields)


def _other_head(anchor: Anchor, detail: str) -> Broken:
    return Broken(Fault.HEAD, f"link {anchor.seq}", f"{anchor.source} remembers {anchor.hash[:16]}…; {detail}")
