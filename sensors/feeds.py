"""Watches the feeds of ``feeds.yaml``, one sensor a feed: checks it, and asks for one ingest run for what came."""

import hashlib

import dagster as dg

from resources.home import HomeResource
from viska_assets.ingest.feeds.checking import LARGEST_BATCH, Check, check_now
from viska_assets.ingest.feeds.configuration import Feed, FeedKind, load_feeds


def build_feed_sensors(feeds: tuple[Feed, ...]) -> list[dg.SensorDefinition]:
    """One sensor a feed, named ``feed_NAME``."""
    return [_build(feed.name, feed.kind, feed.interval_seconds) for feed in feeds]


def translate(feed: str, check: Check) -> dg.SensorResult:
    """A check in Dagster's words: one run request for all documents that wait, or the reason why there is none."""
    cursor = check.cursor.to_text()
    batch = check.waiting[:LARGEST_BATCH]
    if not batch:
        return dg.SensorResult(skip_reason=f"{feed}: {check.detail}.", cursor=cursor)
    key = hashlib.sha256("\n".join(batch).encode()).hexdigest()[:16]
    request = dg.RunRequest(
        run_key=f"{feed}-{key}",
        run_config={"ops": {"raw_sources": {"config": {"feeds": [feed]}}}},
        tags={"viska/feed": feed, "viska/files": str(len(batch))},
    )
    return dg.SensorResult(run_requests=[request], cursor=cursor)


def _build(name: str, kind: FeedKind, seconds: int) -> dg.SensorDefinition:
    @dg.sensor(
        name=f"feed_{name}",
        description=f"Checks the feed {name} ({kind.value}) and requests one ingest run for the documents that came.",
        job_name="ingest_documents",
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=seconds,
    )
    def watch(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult | dg.SkipReason:
        # Read anew each time, so that pausing a feed or changing a limit needs no reload.
        feed = next((feed for feed in load_feeds(home.settings) if feed.name == name), None)
        if feed is None:
            return dg.SkipReason(f"{name} is no longer in feeds.yaml; reload the code location to remove this sensor.")
        return translate(name, check_now(home.open(), feed, context.cursor, home.web()))

    return watch
