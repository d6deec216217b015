"""``viska feeds``: which feeds there are and how they fare, and one check by hand."""

import click

from viska_assets.cli.output import Exit, as_json, console, print_json, print_table, refuse
from viska_assets.ingest.feeds.checking import check_now
from viska_assets.ingest.feeds.configuration import load_feeds
from viska_assets.store.feeds import FeedState, deliveries_by_feed, feed_checks
from viska_assets.store.home import Home


def feed_rows(home: Home) -> list[dict[str, object]]:
    """One row a feed of feeds.yaml: its state (a paused feed says so, checked or not), the last check, deliveries."""
    with home.reading.transaction() as connection:
        checks, deliveries = feed_checks(connection), deliveries_by_feed(connection)
    rows: list[dict[str, object]] = []
    for feed in load_feeds(home.settings):
        check = checks.get(feed.name)
        state = FeedState.PAUSED.value if feed.paused else check.state.value if check else "not checked yet"
        detail = feed.pause_reason if feed.paused else check.detail if check else ""
        rows.append(
            {
                "feed": feed.name,
                "kind": feed.kind.value,
                "state": state,
                "detail": detail,
                "failures": check.failures if check and not feed.paused else 0,
                "deliveries": deliveries.get(feed.name, 0),
                "checked_at": check.checked_at.isoformat() if check else "",
            }
        )
    return rows


def print_feeds(rows: list[dict[str, object]]) -> None:
    """The rows as a table."""
    columns = ("feed", "kind", "state", "detail", "deliveries", "checked_at")
    print_table(columns, [[row[column] for column in columns] for row in rows])


@click.group()
def feeds() -> None:
    """Look at the feeds of feeds.yaml, or check one by hand."""


@feeds.command("list")
@as_json
def list_feeds(json_out: bool) -> None:
    """List the feeds: state, last check, deliveries."""
    rows = feed_rows(Home())
    if json_out:
        print_json({"feeds": rows})
    elif rows:
        print_feeds(rows)
    else:
        console.print("There are no feeds; docs/feeds.md says how to describe one.")


@feeds.command()
@click.argument("name")
@as_json
def check(name: str, json_out: bool) -> None:
    """Check one feed now and deliver what is new; reading it is left to the next ingest run."""
    home = Home()
    feed = next((feed for feed in load_feeds(home.settings) if feed.name == name), None)
    if feed is None:
        refuse(f"there is no feed {name!r} in {home.settings.feeds_path}", Exit.USAGE)
    found = check_now(home, feed, None)
    if json_out:
        print_json({"feed": name, "state": found.state.value, "detail": found.detail, "new": found.new})
    else:
        console.print(f"{name}: {found.state.value}: {found.detail}")
    if found.state is FeedState.FAILING:
        raise SystemExit(int(Exit.REFUSED))
