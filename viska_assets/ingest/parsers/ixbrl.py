"""Inline XBRL: contexts, units and tagged numbers of a filing, and the cover facts of its dei tags.

Printed text becomes a value by the transformation that the filer names (XBRL transformation registry 1–5),
then by ``scale`` and ``sign``; the transformation is never guessed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from viska_assets.ingest.parsers.html_marks import tag_name
from viska_assets.model.document import XbrlFact
from viska_assets.model.evidence import Period
from viska_assets.model.span import Span

_COMMA_DECIMAL = re.compile(r"num-?comma-?decimal(?:in)?|numcomma(?:decimal|dot)?", re.IGNORECASE)
_ZERO = re.compile(r"fixed-?zero|zero-?dash|numdash|nocontent", re.IGNORECASE)
_WORDS = re.compile(r"numwordsen|num-?words-?en", re.IGNORECASE)
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}


@dataclass(frozen=True, slots=True)
class Context:
    """An XBRL context: its period and its dimensions."""

    period: Period | None
    dimensions: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class XbrlReader:
    """Collects the tagged numbers of one document; ``texts`` holds its non-numeric tags by name."""

    contexts: dict[str, Context] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    text_contexts: dict[str, str] = field(default_factory=dict)
    _numbers: list[tuple[int | None, Mapping[str, str], str]] = field(default_factory=list)
    _hidden: list[tuple[int | None, Mapping[str, str], str]] = field(default_factory=list)
    _hidden_texts: set[str] = field(default_factory=set)

    def read_resource(self, element: Any) -> None:
        """Read a context, a unit or the hidden tags, wherever in the page they stand; the element has ended."""
        name = _local_name(tag_name(element.tag))
        if name == "context":
            self.contexts[_attributes(element).get("id", "")] = _read_context(element)
        elif name == "unit":
            self.units[_attributes(element).get("id", "")] = _read_unit(element)
        elif name == "hidden" and not any(_is_hidden(outer) for outer in element.iterancestors()):
            for inner in element.iter():
                if isinstance(inner.tag, str) and tag_name(inner.tag) == "ix:nonfraction":
                    self._hidden.append((None, _attributes(inner), "".join(inner.itertext())))
                elif isinstance(inner.tag, str) and tag_name(inner.tag) == "ix:nonnumeric":
                    self._add_hidden_text(inner)

    def open_number(self, key: int, element: Any) -> int:
        """Remember a tagged number by the mark over its printed text; the place at which to close it."""
        self._numbers.append((key, _attributes(element), ""))
        return len(self._numbers) - 1

    def close_number(self, place: int, element: Any) -> None:
        """Remember what an opened number prints."""
        key, attributes, _ = self._numbers[place]
        self._numbers[place] = (key, attributes, "".join(element.itertext()))

    def open_text(self, element: Any) -> bool:
        """Whether a non-numeric tag says something of the cover for the first time, so that its text is wanted."""
        attributes = _attributes(element)
        name = attributes.get("name", "")
        if not name.startswith("dei:") or name in self.texts:
            return False
        self.texts[name] = ""
        self.text_contexts[name] = attributes.get("contextref", "")
        return True

    def close_text(self, element: Any) -> None:
        """Remember what an opened non-numeric tag says, unless a hidden tag of its name says it."""
        name = _attributes(element).get("name", "")
        if name not in self._hidden_texts:
            self.texts[name] = _text_of(element)

    def _add_hidden_text(self, element: Any) -> None:
        """Remember the first hidden text of a non-numeric tag, which stands before any printed one."""
        attributes = _attributes(element)
        name = attributes.get("name", "")
        if name.startswith("dei:") and name not in self._hidden_texts:
            self._hidden_texts.add(name)
            self.texts[name] = _text_of(element)
            self.text_contexts[name] = attributes.get("contextref", "")

    def facts(self, spans: Mapping[int, Span], text: str) -> list[XbrlFact]:
        """All tagged numbers, the hidden ones first, with spans in the cleaned ``text``."""
        return [
            _read_fact(attributes, printed, self, _tight(spans.get(key), text) if key is not None else None)
            for key, attributes, printed in (*self._hidden, *self._numbers)
        ]

    def period_of(self, name: str) -> Period | None:
        """The period of the context in which a non-numeric tag stands."""
        context = self.contexts.get(self.text_contexts.get(name, ""))
        return context.period if context else None


@lru_cache(maxsize=1024)
def is_resource(tag: str) -> bool:
    """Whether a tag is a context, a unit or the hidden part of an inline-XBRL header."""
    return _local_name(tag) in ("context", "unit", "hidden")


def _is_hidden(element: Any) -> bool:
    return isinstance(element.tag, str) and _local_name(tag_name(element.tag)) == "hidden"


def _local_name(tag: str) -> str:
    return tag.rpartition(":")[2]


def _text_of(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())


def _attributes(element: Any) -> dict[str, str]:
    return {key.rpartition("}")[2].lower(): value for key, value in element.attrib.items()}


def _tight(span: Span | None, text: str) -> Span | None:
    if span is None:
        return None
    printed = span.of(text)
    start = span.start + len(printed) - len(printed.lstrip())
    return Span(start, max(start, span.start + len(printed.rstrip())))


def _read_context(element: Any) -> Context:
    dates: dict[str, date] = {}
    dimensions: list[tuple[str, str]] = []
    for inner in element.iter():
        if not isinstance(inner.tag, str):
            continue
        name = tag_name(inner.tag).rpartition(":")[2]
        if name in ("startdate", "enddate", "instant"):
            found = re.match(r"\s*(\d{4})-(\d\d)-(\d\d)", inner.text or "")
            if found:
                dates[name] = date(int(found[1]), int(found[2]), int(found[3]))
        elif name == "explicitmember":
            dimensions.append((_attributes(inner).get("dimension", ""), (inner.text or "").strip()))
        elif name == "typedmember":
            dimensions.append((_attributes(inner).get("dimension", ""), "".join(inner.itertext()).strip()))
    period = None
    if "instant" in dates:
        period = Period(dates["instant"])
    elif "enddate" in dates:
        period = Period(dates["enddate"], dates.get("startdate"))
    return Context(period, tuple(sorted(dimensions)))


def _read_unit(element: Any) -> str:
    """A unit as ``USD``, ``shares``, ``pure`` or ``USD/shares``."""
    measures: dict[bool, list[str]] = {False: [], True: []}
    for inner in element.iter():
        if isinstance(inner.tag, str) and tag_name(inner.tag).rpartition(":")[2] == "measure":
            parent = tag_name(inner.getparent().tag).rpartition(":")[2]
            measures[parent == "unitdenominator"].append((inner.text or "").strip().rpartition(":")[2])
    over = "*".join(measures[False])
    return f"{over}/{'*'.join(measures[True])}" if measures[True] else over


def _read_fact(attributes: Mapping[str, str], printed: str, reader: XbrlReader, span: Span | None) -> XbrlFact:
    context = reader.contexts.get(attributes.get("contextref", ""), Context(None))
    scale = int(attributes["scale"]) if re.fullmatch(r"-?\d+", attributes.get("scale", "")) else 0
    value = None
    if attributes.get("nil", "").lower() not in ("true", "1"):
        value = transformed(printed, attributes.get("format", ""))
    if value is not None:
        value = value.scaleb(scale) * (-1 if attributes.get("sign") == "-" else 1)
    return XbrlFact(
        concept=attributes.get("name", ""),
        value=value,
        unit=reader.units.get(attributes.get("unitref", ""), attributes.get("unitref", "")),
        decimals=attributes.get("decimals", ""),
        scale=scale,
        period=context.period,
        dimensions=context.dimensions,
        span=span,
        context=attributes.get("contextref", ""),
    )


def transformed(printed: str, transformation: str) -> Decimal | None:
    """The number that ``printed`` stands for under a named transformation, None where it is not one."""
    name = transformation.rpartition(":")[2]
    if _ZERO.fullmatch(name):
        return Decimal(0)
    if _WORDS.fullmatch(name):
        return _number_of_words(printed)
    compact = re.sub(r"[\s'’]", "", printed)
    compact = compact.replace(".", "").replace(",", ".") if _COMMA_DECIMAL.fullmatch(name) else compact.replace(",", "")
    if compact and re.fullmatch(r"[-—–]+", compact):
        return Decimal(0)
    try:
        return Decimal(compact)
    except InvalidOperation:
        return _number_of_words(printed)


def _number_of_words(printed: str) -> Decimal | None:
    words = re.findall(r"[a-z]+", printed.lower().replace(" and ", " "))
    if words in (["no"], ["none"], ["nil"]):
        return Decimal(0)
    total = current = 0
    for word in words:
        if word in _ONES:
            current += _ONES.index(word)
        elif word in _TENS:
            current += 10 * (_TENS.index(word) + 2)
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _MULTIPLES:
            total += max(current, 1) * _MULTIPLES[word]
            current = 0
        else:
            return None
    return Decimal(total + current) if words else None
