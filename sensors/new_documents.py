"""Watches the drop folder and asks for one ingest run per batch of files that have come to rest."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.home import HomeResource
from sensors.feeds import translate
from viska_assets.ingest.feeds.checking import check_now, drop_feed
from viska_assets.ingest.receiving import fingerprint_of
from viska_assets.store.documents import add_incident, known_fingerprints

LARGEST_BATCH = 500
NOT_DOCUMENTS = frozenset({"dns.json"})


@dataclass(frozen=True)
class Listing:
    """What lies in the drop folder: files to ask for, files still being written, files that may not be read."""

    ready: dict[str, str]
    unstable: tuple[str, ...]
    unreadable: tuple[str, ...]


def read_cursor(cursor: str | None) -> dict[str, str]:
    """The fingerprints of files asked for already; a cursor that cannot be read means to start over."""
    try:
        seen = json.loads(cursor or "{}")
    except json.JSONDecodeError:
        return {}
    return seen if isinstance(seen, dict) else {}


def list_drop(folder: Path, seen: Mapping[str, str], *, now: float, stable_seconds: float) -> Listing:
    """Sorts the drop folder's files into ready, unstable and unreadable; those asked for before are left out.

    Args:
        folder: the drop folder.
        seen: path to fingerprint of files asked for before.
        now: seconds since the epoch.
        stable_seconds: how long a file must have been left alone to count as fully written.
    """
    ready: dict[str, str] = {}
    unstable: list[str] = []
    unreadable: list[str] = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            state = path.stat()
        except OSError:
            unreadable.append(name)
            continue
        fingerprint = fingerprint_of(state)
        if seen.get(name) == fingerprint:
            continue
        if not os.access(path, os.R_OK):
            unreadable.append(name)
        elif 0 <= now - state.st_mtime < stable_seconds:
            unstable.append(name)
        else:
            ready[name] = fingerprint
    return Listing(ready, tuple(unstable), tuple(unreadable))


def _files(folder: Path) -> Iterable[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.name not in NOT_DOCUMENTS and (path.is_file() or path.is_symlink()):
            yield path


@dg.sensor(
    job_name="ingest_documents",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=20,
)
def new_documents(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult | dg.SkipReason:
    """Sees new files in the drop folder and requests one ingest run for all that are fully written."""
    settings = home.settings
    if settings.drop_url:
        return translate("drop", check_now(home.open(), drop_feed(settings), context.cursor))
    folder = settings.drop_path
    if not folder.is_dir():
        return dg.SkipReason(f"The drop folder {folder} does not exist; create it or set VISKA_DROP.")
    seen = read_cursor(context.cursor)
    with home.open().database.transaction() as connection:
        delivered = known_fingerprints(connection, "drop")
    listing = list_drop(folder, delivered | seen, now=settings.wall_clock(), stable_seconds=settings.stable_seconds)
    if listing.unreadable:
        _report_unreadable(home, listing.unreadable)
    batch = dict(list(listing.ready.items())[:LARGEST_BATCH])
    if not batch:
        return dg.SkipReason(_why_nothing(listing))
    config = {"ops": {"raw_sources": {"config": {"paths": sorted(batch)}}}}
    key = hashlib.sha256(json.dumps(batch, sort_keys=True).encode()).hexdigest()[:16]
    request = dg.RunRequest(run_key=f"drop-{key}", run_config=config, tags={"viska/files": str(len(batch))})
    return dg.SensorResult(run_requests=[request], cursor=json.dumps(seen | batch, sort_keys=True))


def _report_unreadable(home: HomeResource, names: tuple[str, ...]) -> None:
    with home.open().database.transaction() as connection:
        for name in names:
            add_incident(connection, "unreadable_file", "the file may not be read; grant read permission", path=name)


def _why_nothing(listing: Listing) -> str:
    reasons = []
    if listing.unstable:
        reasons.append(f"still being written: {', '.join(listing.unstable[:5])}")
    if listing.unreadable:
        reasons.append(f"may not be read (an incident is recorded): {', '.join(listing.unreadable[:5])}")
    return "No new files." if not reasons else f"No file is ready; {'; '.join(reasons)}."
