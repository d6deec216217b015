"""A folder of files behind any fsspec address: local, in memory, or an object store."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import fsspec

from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError, Fetched, Item, Remark

NOT_DOCUMENTS = frozenset({"dns.json"})
STABLE_SECONDS = 2.0
MOST_BYTES = 256 << 20
_VERSIONS = ("ETag", "etag", "versionId", "mtime", "LastModified", "last_modified", "updated", "created")


def fetch_folder(feed: Feed, cursor: Cursor, client: Client) -> Fetched:
    """The files that are new or changed since they were delivered, oldest path first, within the feed's limits.

    A file that is still being written waits for the next check; one that leads out of the folder is refused.

    Raises:
        FeedError: where the folder cannot be listed.
    """
    try:
        files, root = fsspec.core.url_to_fs(feed.url)
        files.invalidate_cache()
        listed: dict[str, dict[str, Any]] = files.find(root, detail=True)
    except (OSError, ValueError, ImportError) as error:
        raise FeedError(f"{feed.name}: the folder cannot be listed ({error}); check the address") from error
    items: list[Item] = []
    remarks: list[Remark] = []
    started = client.clock()
    now = started.timestamp()
    for place, state in sorted(listed.items()):
        path = place.removeprefix(root).lstrip("/") or place.rsplit("/", 1)[-1]
        fingerprint = fingerprint_of_state(state)
        if _is_passed_over(path) or client.known.has(path, fingerprint) or _is_fresh(state, now):
            continue
        if int(state.get("size") or 0) > feed.max_bytes:
            remarks.append(Remark("unreadable_file", path, f"over the limit of {feed.max_bytes:,} bytes"))
            continue
        if "file" in _protocols(files) and not Path(place).resolve().is_relative_to(Path(root).resolve()):
            remarks.append(Remark("unreadable_file", path, "the path leads out of the folder; deliver the file itself"))
            continue
        try:
            with files.open(place, "rb") as stream:
                data = bytes(stream.read(feed.max_bytes + 1))
        except OSError as error:
            remarks.append(
                Remark("unreadable_file", path, f"cannot be read ({error.strerror or type(error).__name__})")
            )
            continue
        if len(data) != int(state.get("size") or 0):
            continue  # it grew or shrank while it was read; the next check sees it at rest
        items.append(Item(path, path.rsplit("/", 1)[-1], data, fingerprint))
        size = sum(len(item.data) for item in items)
        if len(items) >= feed.max_items or size > MOST_BYTES or client.out_of_time(started):
            break
    return Fetched(tuple(items), cursor, tuple(remarks), unchanged=not items and not remarks)


def fingerprint_of_state(state: Mapping[str, Any]) -> str:
    """A file's size and what its store says of its version, by which it is known again unread."""
    version = next((state[key] for key in _VERSIONS if state.get(key)), "")
    shown = version.isoformat() if isinstance(version, datetime) else str(version)
    return f"{state.get('size', 0)}:{shown}"


def _is_passed_over(path: str) -> bool:
    parts = path.split("/")
    return any(part.startswith(".") for part in parts) or parts[-1] in NOT_DOCUMENTS or parts[-1].endswith(".partial")


def _is_fresh(state: Mapping[str, Any], now: float) -> bool:
    changed = state.get("mtime")
    return isinstance(changed, int | float) and 0 <= now - changed < STABLE_SECONDS


def _protocols(files: Any) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)
