"""Delivering what a feed brought: bytes first, then the row, item by item, so that a crash repeats and never loses."""

from dataclasses import dataclass
from datetime import datetime

from viska_assets.ingest.feeds.configuration import Feed, FeedKind
from viska_assets.ingest.feeds.fetched import Fetched, Item
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import add_document, add_incident, feeds_of
from viska_assets.store.feeds import hold_feed


@dataclass(frozen=True)
class Delivered:
    """The ids of documents that are new, and of those that were known."""

    new: tuple[str, ...]
    known: tuple[str, ...]


def deliver(database: Database, blobs: RawBlobs, feed: Feed, fetched: Fetched, at: datetime) -> Delivered:
    """Stores the items and remarks of one check. Doing it again adds nothing.

    The cursor is not stored here: it moves only after this returned, so what was not delivered is fetched again.
    """
    new: list[str] = []
    known: list[str] = []
    for item in fetched.items:
        document_id = blobs.put(item.data)
        with database.transaction() as connection:
            added = _add(connection, feed, item, document_id, at)
        (new if added else known).append(document_id)
    with database.transaction() as connection:
        for remark in fetched.remarks:
            add_incident(connection, remark.kind, remark.detail, path=f"{feed.name}: {remark.path}")
    return Delivered(tuple(new), tuple(known))


def _add(connection: Connection, feed: Feed, item: Item, document_id: str, at: datetime) -> bool:
    hold_feed(connection, feed.name)
    # The same words under another id are one delivery; two files of a folder are two, whatever they hold.
    if feed.kind is not FeedKind.FOLDER and feed.name in feeds_of(connection, document_id):
        return False
    return add_document(
        connection,
        document_id,
        item.name,
        len(item.data),
        feed=feed.name,
        path=item.path,
        received_at=at,
        fingerprint=item.fingerprint,
    )
