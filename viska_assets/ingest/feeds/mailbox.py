"""A mailbox read over IMAP with TLS (RFC 9051): every mail once, nothing marked, moved or deleted."""

import imaplib
import re
import ssl
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from viska_assets.ingest.feeds.configuration import Feed
from viska_assets.ingest.feeds.fetched import Client, Cursor, FeedError, Fetched, Item, Remark

_PORT = 993
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")
_LITERAL = re.compile(rb"\{(\d+)\}\s*$")


def fetch_mailbox(feed: Feed, cursor: Cursor, client: Client) -> Fetched:
    """The mails that were not delivered yet, in the order of their arrival, within the feed's limits.

    A mail is known by the folder's UIDVALIDITY and its UID. If the connection breaks, the mails that came count.

    Raises:
        FeedError: where the mailbox cannot be opened.
    """
    try:
        connection = _connect(feed)
    except (OSError, imaplib.IMAP4.error) as error:
        raise FeedError(f"{feed.name}: no TLS connection to the mailbox ({error})") from error
    try:
        _open(feed, connection, client.secret(feed.password_env or ""))
        return _new_mails(feed, connection, cursor, client)
    except (OSError, imaplib.IMAP4.error) as error:
        raise FeedError(f"{feed.name}: the mailbox cannot be read ({error})") from error
    finally:
        _leave(connection)


def _connect(feed: Feed) -> imaplib.IMAP4_SSL:
    address = urlsplit(feed.url)
    context = ssl.create_default_context(cafile=str(feed.ca_file) if feed.ca_file else None)
    return imaplib.IMAP4_SSL(
        address.hostname or "", address.port or _PORT, ssl_context=context, timeout=feed.timeout_seconds
    )


def _open(feed: Feed, connection: imaplib.IMAP4_SSL, password: str) -> None:
    try:
        connection.login(feed.username, password)
    except imaplib.IMAP4.error as error:
        # What the server said is left out: some repeat the command, and with it the password.
        raise FeedError(
            f"{feed.name}: the mailbox refuses the login; check username and {feed.password_env}"
        ) from error
    status, _ = connection.select(f'"{_folder(feed)}"', readonly=True)
    if status != "OK":
        raise FeedError(f"{feed.name}: there is no folder {_folder(feed)!r} in the mailbox")


def _folder(feed: Feed) -> str:
    return unquote(urlsplit(feed.url).path.strip("/")).replace('"', "") or "INBOX"


def _new_mails(feed: Feed, connection: imaplib.IMAP4_SSL, cursor: Cursor, client: Client) -> Fetched:
    said = connection.response("UIDVALIDITY")[1][0]
    if said is None or not bytes(said).isdigit():
        raise FeedError(f"{feed.name}: the mailbox gives no UIDVALIDITY, so mails cannot be told apart")
    validity = int(said)
    last = cursor.uid if cursor.uid_validity == validity else 0
    _, found = connection.uid("SEARCH", f"UID {last + 1}:*")
    uids = sorted({int(uid) for part in found if part for uid in bytes(part).split()})
    items: list[Item] = []
    remarks: list[Remark] = []
    done, failure, started = last, "", client.clock()
    # "n:*" always names the newest mail, even one below n.
    for uid in (uid for uid in uids if uid > last):
        path = f"{_folder(feed)};uidvalidity={validity};uid={uid}"
        if not client.known.has(path, str(uid)):
            if len(items) >= feed.max_items or client.out_of_time(started):
                break
            try:
                data = _message(connection, uid, feed.max_bytes)
            except (OSError, imaplib.IMAP4.error, FeedError) as error:
                failure = f"{feed.name}: the mail {uid} did not come whole ({error})"
                break
            if data is None:
                remarks.append(Remark("unreadable_mail", path, f"over the limit of {feed.max_bytes:,} bytes"))
            elif data:
                items.append(Item(path, f"mail-{validity}-{uid}.eml", data, str(uid)))
        done = uid
    following = replace(cursor, uid_validity=validity, uid=done, not_before="")
    return Fetched(tuple(items), following, tuple(remarks), unchanged=not items and not failure, failure=failure)


def _message(connection: imaplib.IMAP4_SSL, uid: int, most: int) -> bytes | None:
    """A mail's bytes; none of them if it is gone, None if it is too large."""
    _, sized = connection.uid("FETCH", str(uid), "(RFC822.SIZE)")
    size = _SIZE.search(b" ".join(part if isinstance(part, bytes) else part[0] for part in sized if part))
    if size is None:
        return b""
    if int(size.group(1)) > most:
        return None
    _, parts = connection.uid("FETCH", str(uid), "(BODY.PEEK[])")
    for part in parts:
        if isinstance(part, tuple):
            announced = _LITERAL.search(part[0])
            if announced and int(announced.group(1)) != len(part[1]):
                raise FeedError(f"{len(part[1])} of {int(announced.group(1))} bytes")
            return bytes(part[1])
    return b""


def _leave(connection: imaplib.IMAP4_SSL) -> None:
    try:
        connection.logout()
    except (OSError, imaplib.IMAP4.error):
        # The far side hung up first; what was read is read.
        return
