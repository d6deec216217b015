"""Market data pulled as CSV over HTTP: one document a changed file."""

import csv
import io
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from viska_assets.ingest.feeds.conditional import get_if_changed
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError, Fetched, Item
from viska_assets.store.blobs import content_hash


def fetch_market_data(feed: Feed, cursor: Cursor, client: Client) -> Fetched:
    """The table at the feed's address, if it changed.

    Raises:
        FeedError: where what came is no whole table.
    """
    answer = get_if_changed(feed, cursor, client)
    if answer.status == 304:
        return Fetched((), cursor, unchanged=True)
    check_table(answer.body, feed.name, delimited=answer.delimited)
    fingerprint = content_hash(answer.body)
    following = Cursor(answer.etag, answer.modified)
    if client.known.has_content(fingerprint):
        return Fetched((), following, unchanged=True)
    path = urlsplit(feed.url).path or "/"
    name = PurePosixPath(path).name
    item = Item(path, name if name.lower().endswith(".csv") else f"{feed.name}.csv", answer.body, fingerprint)
    return Fetched((item,), following)


def check_table(body: bytes, name: str, *, delimited: bool) -> None:
    """Refuses what is no table or was cut off: half a number is a wrong number.

    Args:
        body: what came.
        name: the feed's name.
        delimited: whether the far side told where the body ends; if not, the last line must have an end.

    Raises:
        FeedError: naming the feed and what is wrong.
    """
    text = body.decode("utf-8-sig", errors="replace")
    if text.lstrip()[:1] in ("<", "{", "["):
        raise FeedError(f"{name}: a page or an object came instead of a table; check the address and the token")
    opening = text[:4096].partition("\n")[0]
    delimiter = max(",;\t|", key=opening.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    except csv.Error as error:
        raise FeedError(f"{name}: the table cannot be read ({error})") from error
    if len(rows) < 2 or len(rows[0]) < 2:
        raise FeedError(f"{name}: no table of at least two columns and two rows came")
    if not delimited and not text.endswith("\n"):
        raise FeedError(f"{name}: the last line has no end and no length was told; the table may be cut off")
    if len(rows[-1]) < len(rows[-2]):
        raise FeedError(
            f"{name}: the last row has {len(rows[-1])} cells, the one before {len(rows[-2])}; the table was cut off"
        )
