"""Reading the YAML head of a page: strings first, no anchors, aliases, tags or duplicate keys, with places.

YAML's implicit types are the reason: ``isin: 0123`` must not become 83, and a timestamp must survive a round
trip byte for byte. Every plain scalar stays the string that stands in the file; the page model types it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from viska_assets.okf.errors import OkfError

YamlValue: TypeAlias = str | list["YamlValue"] | dict[str, "YamlValue"]
"""What the reader returns: strings, lists and mappings with string keys, nothing else."""

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 8
BOM = "\ufeff"

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r|$)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_MEND_QUOTE = "write the value between double quotes"


@dataclass(frozen=True, slots=True)
class Head:
    """Where the frontmatter block of a file stands: its YAML, and where the body begins."""

    yaml: str
    yaml_start: int
    body_start: int
    has_bom: bool


@dataclass(slots=True)
class Mapping:
    """A frontmatter mapping and the line, counted from 1 in the file, of each key and list element.

    ``lines`` is keyed by dotted path of at most three steps: ``sources``, ``sources.0``, ``sources.0.locator``.
    """

    values: dict[str, YamlValue]
    lines: dict[str, int] = field(default_factory=dict)


def find_head(text: str) -> Head | None:
    """The frontmatter block of a file, or None where there is none or it is not closed."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    return Head(text[opening.end() : closing.start()], opening.end(), closing.end(), text.startswith(BOM))


def require_head(text: str, path: str = "") -> Head:
    """The frontmatter block of a file.

    Raises:
        OkfError: The file has no block, or the block has no closing line.
    """
    head = find_head(text)
    if head is not None:
        return head
    if _OPENING.match(text):
        mend = "close it with a line that holds only ---"
        raise OkfError("the frontmatter block is not terminated", path=path, line=1, mend=mend)
    mend = "begin the file with a line ---, the keys, and a line ---"
    raise OkfError("the page has no frontmatter", path=path, line=1, mend=mend)


def read_mapping(head: Head, path: str = "") -> Mapping:
    """Read a frontmatter block strictly.

    Args:
        head: The block.
        path: The file's path, for messages.

    Returns:
        The mapping, all scalars as strings, with the line of each key.

    Raises:
        OkfError: Broken YAML, a duplicate key, an anchor, alias or tag, a block too large or too deep, or a
            frontmatter that is not a mapping.
    """
    if len(head.yaml) > MAX_CHARACTERS:
        mend = "move long text into the body"
        raise OkfError(f"the frontmatter is longer than {MAX_CHARACTERS} characters", path=path, line=1, mend=mend)
    return _Reader(head.yaml, path).read()


class _Reader:
    """Builds values from YAML events, which show what a loader hides: anchors, aliases, tags and places."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        self._lines: dict[str, int] = {}
        self._events: Iterator[yaml.Event] = iter(())

    def read(self) -> Mapping:
        try:
            self._events = iter(yaml.CSafeLoader(self._text).get_event, None)
            values = self._document()
        except yaml.MarkedYAMLError as error:
            line = 2 + (error.problem_mark.line if error.problem_mark else 0)
            problem = error.problem or "broken YAML"
            raise OkfError(f"the frontmatter is not valid YAML: {problem}", path=self._path, line=line) from error
        except yaml.YAMLError as error:
            mend = "remove control characters"
            raise OkfError("the frontmatter is not valid YAML", path=self._path, line=1, mend=mend) from error
        except UnicodeEncodeError as error:
            mend = "remove lone surrogates"
            raise OkfError("the frontmatter is not valid Unicode", path=self._path, line=1, mend=mend) from error
        return Mapping(values, self._lines)

    def _document(self) -> dict[str, YamlValue]:
        next(self._events)  # stream start
        start = next(self._events)
        if isinstance(start, yaml.StreamEndEvent):
            return {}
        first = next(self._events)
        if not isinstance(first, yaml.MappingStartEvent):
            if isinstance(first, yaml.ScalarEvent) and first.value == "":
                return {}
            raise self._error("the frontmatter is not a mapping", first, "write one key: value a line")
        values = self._mapping(first, "", 1)
        next(self._events)  # document end
        last = next(self._events)
        if not isinstance(last, yaml.StreamEndEvent):
            raise self._error("the frontmatter holds more than one YAML document", last, "keep the first")
        return values

    def _value(self, event: yaml.Event, key: str, depth: int) -> YamlValue:
        if isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None or event.tag is not None:
                raise self._error("anchors and tags are not allowed", event, _MEND_QUOTE)
            return str(event.value)
        if isinstance(event, yaml.AliasEvent):
            raise self._error("aliases are not allowed", event, _MEND_QUOTE)
        if depth >= MAX_DEPTH:
            raise self._error(f"the frontmatter is nested deeper than {MAX_DEPTH}", event, "flatten it")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, key, depth + 1)
        return self._sequence(event, key, depth + 1)

    def _mapping(self, start: yaml.Event, prefix: str, depth: int) -> dict[str, YamlValue]:
        self._refuse_decoration(start)
        values: dict[str, YamlValue] = {}
        for event in self._events:
            kind = type(event)
            if kind is yaml.MappingEndEvent:
                break
            if kind is not yaml.ScalarEvent or event.anchor is not None or event.tag is not None:
                raise self._error("a key is not a plain string", event, "use a simple word as the key")
            key: str = event.value
            if key in values:
                raise self._error(f"the key {key!r} occurs twice", event, "keep one of them")
            if key == "<<":
                raise self._error("merge keys are not allowed", event, "write the keys out")
            place = self._remember(prefix, key, event, depth)
            following = next(self._events)
            if type(following) is yaml.ScalarEvent and following.anchor is None and following.tag is None:
                values[key] = following.value
            else:
                values[key] = self._value(following, place, depth)
        return values

    def _sequence(self, start: yaml.Event, prefix: str, depth: int) -> list[YamlValue]:
        self._refuse_decoration(start)
        values: list[YamlValue] = []
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            place = self._remember(prefix, str(len(values)), event, depth)
            values.append(self._value(event, place, depth))
        return values

    def _remember(self, prefix: str, key: str, event: yaml.Event, depth: int) -> str:
        place = f"{prefix}.{key}" if prefix else key
        if depth <= 3:
            self._lines[place] = event.start_mark.line + 2
        return place

    def _refuse_decoration(self, start: yaml.Event) -> None:
        if start.anchor is not None or start.tag is not None:
            raise self._error("anchors and tags are not allowed", start, "remove the mark before the value")

    def _error(self, message: str, event: yaml.Event, mend: str) -> OkfError:
        return OkfError(message, path=self._path, line=event.start_mark.line + 2, mend=mend)
