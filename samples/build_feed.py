"""Builds ``samples/feed/`` and ``samples/dns.json``: ``python samples/build_feed.py [FOLDER]``."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from samples.annual_report import build_annual_report
from samples.broker_notes import FIRST, SECOND, THIRD, build_hostile_note, build_signed_note, dns_answers
from samples.portfolio import build_earlier_holdings, build_holdings, build_news, build_prices
from samples.press_release import build_press_release
from samples.quarterly_report import build_quarterly_report

FEED: Mapping[str, Callable[[], bytes]] = {
    "aapl-10-k-2024-11-01.html": build_annual_report,
    "aapl-news-2024-11-12.txt": build_news,
    "amzn-earnings-2025-02-06.pdf": build_press_release,
    "fjordland-aapl-2024-11-04-1.eml": lambda: build_signed_note(FIRST),
    "fjordland-aapl-2024-11-04-2.eml": lambda: build_signed_note(SECOND),
    "harbour-lane-aapl-2024-11-20.eml": lambda: build_signed_note(THIRD),
    "holdings-2024-11-04.csv": build_earlier_holdings,
    "holdings.csv": build_holdings,
    "hostile-aapl-2024-11-21.eml": build_hostile_note,
    "nvda-10-q-2025-08-27.html": build_quarterly_report,
    "prices.csv": build_prices,
}


def build_feed() -> dict[str, bytes]:
    """Every file of the feed by name, and ``../dns.json`` for what lies beside it."""
    files = {name: build() for name, build in FEED.items()}
    files["../dns.json"] = (json.dumps(dns_answers(), indent=2, sort_keys=True) + "\n").encode()
    return files


def write_feed(folder: Path) -> None:
    """Write the feed to a folder, and the DNS answers beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in build_feed().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    write_feed(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "feed")
