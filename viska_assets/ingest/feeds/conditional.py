"""The conditional GET that web feeds share: what came, nothing new, or a failure with the time of the next try."""

from urllib.parse import urlsplit

from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError
from viska_assets.ingest.feeds.web import Answer, Request, WebError


def get_if_changed(feed: Feed, cursor: Cursor, client: Client) -> Answer:
    """The feed's document, or an answer of status 304.

    Raises:
        FeedError: where nothing usable came.
    """
    asked = {"If-None-Match": cursor.etag, "If-Modified-Since": cursor.modified}
    return get(feed, feed.url, client, {name: value for name, value in asked.items() if value})


def get(feed: Feed, url: str, client: Client, headers: dict[str, str]) -> Answer:
    """One document within the feed's limits (see ``get_if_changed``). The token goes to the feed's own host only."""
    agent = {"User-Agent": feed.user_agent} if feed.user_agent else {}
    own = urlsplit(url).netloc == urlsplit(feed.url).netloc
    token = {"Authorization": f"Bearer {client.secret(feed.token_env)}"} if feed.token_env and own else {}
    request = Request(
        url,
        feed.hosts,
        agent | headers | token,
        feed.requests_per_second,
        feed.timeout_seconds,
        feed.max_bytes,
    )
    try:
        return client.web.get(request)
    except WebError as error:
        raise FeedError(str(error), error.retry_at) from error
