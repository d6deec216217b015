"""The feeds that the docs describe can be loaded as they stand."""

import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from viska_assets.ingest.feeds.configuration import Feed, parse_feeds
from viska_assets.store.policy import parse_policy

TEXT = (REPOSITORY / "docs" / "feeds.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


def test_the_feeds_are_whole() -> None:
    feeds = parse_feeds(BLOCKS[0], Path("feeds.yaml"))
    assert {feed.kind.value for feed in feeds} == {"rss", "imap", "csv", "folder"}


def test_the_policy_is_whole() -> None:
    assert parse_policy(BLOCKS[1], Path("policy.yaml")).mail.trusted_forwarders == ("lists.example.com",)


@pytest.mark.parametrize("name", sorted(Feed.model_fields))
def test_every_key_is_told_of(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXT)
