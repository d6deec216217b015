"""A mailbox over IMAP and TLS: every mail once, nothing changed on the server, no password in a message."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ingest.feeds.conftest import client, delivered
from tests.ingest.feeds.imap_server import Mailbox
from viska_assets.ingest.feeds.checking import Check, fetch
from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Cursor, FeedError
from viska_assets.store.feeds import FeedState
from viska_assets.store.home import Home


def mail(number: int, size: int = 0) -> bytes:
    return f"From: a@b.com\r\nSubject: {number}\r\n\r\nTarget {number}.\r\n{'x' * size}".encode()


def feed_at(mailbox: Mailbox, **changes: object) -> Feed:
    values = {
        "name": "desk_mail",
        "kind": "imap",
        "url": f"imaps://127.0.0.1:{mailbox.port}/INBOX",
        "username": "desk",
        "password_env": "DESK_MAIL",
        "ca_file": mailbox.ca_file,
        "timeout_seconds": 10,
    }
    return Feed.model_validate(values | changes)


def test_mails_come_in_order_and_nothing_is_changed(mailbox: Mailbox) -> None:
    mailbox.mails = {3: mail(3), 5: mail(5)}
    found = fetch(feed_at(mailbox), Cursor(), client())
    assert [(item.path, item.data) for item in found.items] == [
        ("INBOX;uidvalidity=7;uid=3", mail(3)),
        ("INBOX;uidvalidity=7;uid=5", mail(5)),
    ]
    assert (found.cursor.uid_validity, found.cursor.uid) == (7, 5)
    said = " ".join(mailbox.commands)
    assert "EXAMINE" in said
    assert not any(word in said for word in ("STORE", "EXPUNGE", "MOVE", "COPY", "BODY[]"))


def test_only_newer_mails_are_asked_for(mailbox: Mailbox) -> None:
    mailbox.mails = {3: mail(3), 5: mail(5)}
    found = fetch(feed_at(mailbox), Cursor(uid_validity=7, uid=5), client())
    assert (found.items, found.unchanged) == ((), True)
    mailbox.mails[9] = mail(9)
    assert [item.path[-5:] for item in fetch(feed_at(mailbox), found.cursor, client()).items] == ["uid=9"]


@pytest.mark.database
def test_a_lost_cursor_and_a_new_uidvalidity_deliver_nothing_twice(
    mailbox: Mailbox, home: Home, check: Callable[..., Check]
) -> None:
    mailbox.mails = {1: mail(1), 2: mail(2)}
    found = check(feed_at(mailbox))
    check(feed_at(mailbox))
    mailbox.validity = 8
    again = check(feed_at(mailbox), found.cursor)
    assert len(delivered(home, "desk_mail")) == 2
    assert again.cursor.uid_validity == 8


@pytest.mark.database
def test_a_connection_that_breaks_keeps_what_came_and_goes_on_there(
    mailbox: Mailbox, home: Home, check: Callable[..., Check]
) -> None:
    mailbox.mails = {1: mail(1), 2: mail(2, size=5000), 3: mail(3)}
    mailbox.cut_at = 2
    first = check(feed_at(mailbox))
    assert (first.state, first.cursor.uid) == (FeedState.FAILING, 1)
    mailbox.cut_at = None
    second = check(feed_at(mailbox), first.cursor)
    assert (second.state, second.cursor.uid) == (FeedState.OK, 3)
    assert [path[-5:] for path, _ in delivered(home, "desk_mail")] == ["uid=1", "uid=2", "uid=3"]


def test_more_mails_than_the_limit_and_too_large_ones(mailbox: Mailbox) -> None:
    mailbox.mails = {1: mail(1), 2: mail(2, size=5000), 3: mail(3), 4: mail(4)}
    found = fetch(feed_at(mailbox, max_items=2, max_bytes=1000), Cursor(), client())
    assert [item.path[-5:] for item in found.items] == ["uid=1", "uid=3"]
    assert [remark.kind for remark in found.remarks] == ["unreadable_mail"]
    assert found.cursor.uid == 3


def test_a_refused_login_says_so_without_the_password(mailbox: Mailbox) -> None:
    mailbox.password = "another"
    with pytest.raises(FeedError, match="refuses the login; check username and DESK_MAIL") as caught:
        fetch(feed_at(mailbox), Cursor(), client())
    assert "right" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(mailbox: Mailbox) -> None:
    with pytest.raises(FeedError, match="no folder 'Research'"):
        fetch(feed_at(mailbox, url=f"imaps://127.0.0.1:{mailbox.port}/Research"), Cursor(), client())


def test_a_server_that_nobody_vouches_for_is_refused(mailbox: Mailbox) -> None:
    mailbox.mails = {1: mail(1)}
    with pytest.raises(FeedError, match="no TLS connection"):
        fetch(feed_at(mailbox, ca_file=None), Cursor(), client())
    assert mailbox.commands == []


def test_a_port_where_nobody_listens(mailbox: Mailbox, tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="no TLS connection"):
        fetch(feed_at(mailbox, url="imaps://127.0.0.1:1/INBOX"), Cursor(), client())
