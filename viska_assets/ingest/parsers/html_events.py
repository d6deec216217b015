"""Parse events of an HTML page, in document order, so that a page is read while it is parsed and never held whole.

The text behind a start or end tag is known once the next event comes; a table comes only when it is known whether
another table stands inside it.
"""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.parsers.html_marks import tag_name

Event = tuple[str, Any]
NotWellFormed = etree.XMLSyntaxError

_EVENTS = ("start", "end", "comment", "pi")
_SLICE = 1 << 16
_XHTML = re.compile(r"<\?xml|xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml")
_XML_SPACE = " \t\n\r\x0b\x0c"


class TooDeep(Exception):
    """The markup is nested deeper than the parser follows."""


def looks_like_xhtml(text: str) -> bool:
    """Whether a page should be tried as XML first."""
    return _XHTML.search(text[:4096]) is not None


def xhtml_events(text: str) -> Iterator[Event]:
    """The events of a page that is well-formed XML; raises ``NotWellFormed`` where it turns out not to be."""
    text = text.lstrip(_XML_SPACE)
    options = {"encoding": "utf-8", "resolve_entities": False, "no_network": True, "huge_tree": True, "load_dtd": False}
    if "<!ENTITY" in text:
        # A reference to a declared entity is a node of the tree, but no event of the parser.
        root = etree.fromstring(_encoded(text), etree.XMLParser(**options))
        yield from etree.iterwalk(root, events=_EVENTS)
        return
    yield from _within_root(_fed(etree.XMLPullParser(_EVENTS, **options), text))


def html_events(text: str, name: str) -> Iterator[Event]:
    """The events of any page, as the forgiving parser mends it.

    Raises:
        ReadingError: where the file holds no element.
        TooDeep: where the parser stopped at its limit.
    """
    parser = etree.HTMLPullParser(_EVENTS, encoding="utf-8", no_network=True, huge_tree=True)
    is_empty = True
    try:
        for event in _within_root(_fed(parser, text)):
            is_empty = False
            yield event
    except (etree.XMLSyntaxError, etree.ParserError) as error:
        raise ReadingError(name, f"not readable as HTML ({error})", "save the page again from its source") from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.feed_error_log):
        raise TooDeep
    if is_empty:
        raise ReadingError(name, "no HTML element in the file", "check that the file is an HTML page")


def tables_settled(events: Iterator[Event]) -> Iterator[Event]:
    """The same events, a table's held back until it ends or another table starts inside it.

    So the whole of a table that holds no other is parsed when its start comes, and a table that only lays a page out
    need not be.
    """
    held: Any = None
    for event, element in events:
        if event == "start" and is_table(element):
            if held is not None:
                yield from _events_until(held, element)
            held = element
        elif held is None:
            yield event, element
        elif event == "end" and element is held:
            yield from etree.iterwalk(held, events=_EVENTS)
            held = None


def is_table(element: Any) -> bool:
    """Whether an element is a table."""
    return isinstance(element.tag, str) and tag_name(element.tag) == "table"


def _events_until(held: Any, inner: Any) -> Iterator[Event]:
    for event, element in etree.iterwalk(held, events=_EVENTS):
        if element is inner:
            return
        yield event, element


def _fed(parser: Any, text: str) -> Iterator[Event]:
    for start in range(0, len(text), _SLICE):
        parser.feed(_encoded(text[start : start + _SLICE]))
        yield from parser.read_events()
    parser.close()
    yield from parser.read_events()


def _within_root(events: Iterator[Event]) -> Iterator[Event]:
    """The events of the root element, without the comments around it."""
    root: Any = None
    is_closed = False
    for event, element in events:
        if root is None and event == "start":
            root = element
        if root is not None and not is_closed:
            yield event, element
        # What follows the root is still parsed, for what is wrong with it.
        is_closed = is_closed or (event == "end" and element is root)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
