"""Reading quantities from text: numerals with their sign, currency, scale, unit, bound, range and direction."""

import re
from dataclasses import replace
from decimal import Decimal

from viska_assets.model.evidence import Bound, Unit
from viska_assets.model.span import Span
from viska_assets.text import units
from viska_assets.text.directions import bound_after, bound_before, directions_of
from viska_assets.text.names import Mention, find_named
from viska_assets.text.numerals import SUPERSCRIPTS, Numeral, find_numerals
from viska_assets.text.periods import FiscalYearEnd, PeriodKind, find_periods
from viska_assets.text.quantity import Quantity, Role, Side
from viska_assets.text.sentences import split_sentences
from viska_assets.text.spelled import Form, find_spelled, read_words

__all__ = ["Quantity", "Role", "Side", "read_quantities"]

_MINUS = "-−–‐﹣－"
_PREFIX = re.compile(
    rf"(?P<neg1>(?<![\w)%.])[{_MINUS}](?=\S)|(?<!\w)(?i:minus|negative)\s)?(?P<open1>\(\s?)?(?P<ccy>{units.CURRENCY_BEFORE})?"
    rf"\s?(?P<neg2>(?<![\w)%])[{_MINUS}](?=\S|$)|(?<=[$€£])[{_MINUS}])?(?P<open2>\(\s?)?$"
)
_TAIL = (
    rf"(?:\s?-?\s?(?P<scale>{units.SCALE_SPACED})|(?P<glued>{units.SCALE_GLUED}))?"
    rf"CLOSE2(?:\s?(?P<ccy>{units.CURRENCY_AFTER}))?(?:\s?-?(?:{units.UNIT_PATTERN}))?"
)
_SUPER = rf"(?P<sup>[{SUPERSCRIPTS}]+)?"
_SUFFIX = re.compile(_SUPER + _TAIL.replace("CLOSE2", ""))
_SUFFIX_OPEN = re.compile(
    _SUPER + r"(?P<close1>\s?\))?" + _TAIL.replace("CLOSE2", r"(?P<close2>\s?\))?") + r"(?P<close3>\s?\))?"
)
_LETTER_SCALE = re.compile(rf"\s?(?P<scale>{units.SCALE_AFTER_CURRENCY})")
_RATIO = re.compile(
    r"(?<![\w.,:=-])(?P<a>\d+(?:\.\d+)?)\s?:\s?(?P<b>\d{1,3}(?:\.\d+)?)(?![\w:]|\.\d|\s?[ap]\.?m)"
    r"|(?<![\w.,-])(?P<c>\d+(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)-(?:for|to)-(?P<d>\d+(?:\.\d+)?|[a-z]+)(?!\w|\.\d)"
    r"|(?<![\w.,$-])(?P<e>\d+\.\d+)\sto\s(?P<f>1(?:\.0+)?)(?![\w%]|\.\d|\s(?:million|billion|percent))",
    re.I,
)
_ENUMERATION = re.compile(
    r"\(\d{1,2}\)(?=\s[a-z]{2,})(?!\s(?:million|billion|thousand|trillion|bn|mn|percent|per\scent|basis)\b)"
)
_NOUN = re.compile(
    r"[\s-]((?!of\b|in\b|to\b|and\b|or\b|for\b|from\b|at\b|on\b|as\b|was\b|were\b|is\b|are\b|by\b|than\b|with\b|compared\b|versus\b|the\b|during\b|respectively\b|per\b|an?\b|which\b|that\b|while\b|but\b|when\b|if\b)[a-z]{3,})"
)
_DASH_GAP = re.compile(r"\s?[-–—]\s?")
_TO_GAP = re.compile(r"\sto\s(?:about\s|approximately\s)?", re.I)
_BETWEEN = re.compile(r"\bbetween\s(?:about\s|approximately\s)?$", re.I)
_FROM = re.compile(r"\bfrom\s(?:an?\s|about\s|approximately\s)?$", re.I)


def read_quantities(
    text: str,
    *,
    locale: str = "en",
    currency: str | None = None,
    side: Side = Side.SOURCE,
    fiscal_year_end: FiscalYearEnd | None = None,
) -> tuple[Quantity, ...]:
    """All numbers of ``text`` in reading order, quantities and exempt ones alike (see ``Role``).

    Args:
        text: A sentence, paragraph or label; spans index it.
        locale: How the source prints numerals; a page is always ``en``.
        currency: The currency of the document or page; it resolves ``kr`` and a foreign ``$``, and is not assumed
            for a number without any currency mark.
        side: A page admits neither repair nor foreign digits; a source reads spelled numbers only in English.
        fiscal_year_end: Resolves ``FY2025`` and ``Q2``.
    """
    masked = _masked(text, locale, fiscal_year_end)
    found = [quantity for quantity in masked if quantity.raw]
    taken = _Cover([q.extent for q in masked])
    figures: list[Quantity] = []
    for span, value in _ratios(text, taken):
        figures.append(Quantity(span, span, span.of(text), value, _place(value), Unit.RATIO))
    taken.add([f.extent for f in figures])
    numerals = [n for n in find_numerals(text, locale) if not taken.hits(n.span)]
    taken.add([n.span for n in numerals])
    spelled = find_spelled(text)
    numerals += [
        Numeral(s.span, s.value, 0 if s.value == s.value.to_integral_value() else 1, spelled=True)
        for s in spelled
        if s.form is Form.CARDINAL and not taken.hits(s.span)
    ]
    figures += [_read(text, numeral, locale, currency) for numeral in sorted(numerals, key=lambda n: n.span.start)]
    figures += [
        Quantity(
            s.span, s.span, s.span.of(text), s.value, Decimal(1), Unit.RATIO,
            Role.MULTIPLIER if s.form is Form.MULTIPLIER else Role.FRACTION, spelled=True,
        )
        for s in spelled
        if s.form is not Form.CARDINAL and not taken.hits(s.span)
    ]  # fmt: skip
    ordered = sorted(found + figures, key=lambda q: q.span.start)
    return tuple(_directed(text, _ranged(text, ordered)))


class _Cover:
    """Spans already read, for overlap tests."""

    def __init__(self, spans: list[Span]) -> None:
        self._starts = sorted((s.start, s.end) for s in spans)

    def add(self, spans: list[Span]) -> None:
        self._starts = sorted(self._starts + [(s.start, s.end) for s in spans])

    def hits(self, span: Span) -> bool:
        low, high = 0, len(self._starts)
        while low < high:
            middle = (low + high) // 2
            if self._starts[middle][0] < span.end:
                low = middle + 1
            else:
                high = middle
        return any(start < span.end and span.start < end for start, end in self._starts[max(0, low - 3) : low])


def _masked(text: str, locale: str, fye: FiscalYearEnd | None) -> list[Quantity]:
    named = find_named(text)
    firm = [n for n in named if n.kind is not Mention.ORDINAL]
    firm_cover = _Cover([n.span for n in firm])
    periods = [p for p in find_periods(text, fye, locale=locale) if not firm_cover.hits(p.span)]
    period_cover = _Cover([p.span for p in periods])
    kept = firm + [n for n in named if n.kind is Mention.ORDINAL and not period_cover.hits(n.span)]
    found = [
        Quantity(
            n.span,
            n.span,
            n.span.of(text),
            Decimal(0),
            Decimal(1),
            _UNIT_OF_MENTION[n.kind],
            Role(n.kind.value),
            key=n.key,
        )
        for n in kept
    ]
    for p in periods:
        unit = Unit.DATE if p.kind in (PeriodKind.DAY, PeriodKind.AMBIGUOUS) else Unit.PERIOD
        found.append(
            Quantity(p.span, p.span, p.span.of(text), Decimal(p.year or 0), Decimal(1), unit, Role.PERIOD, period=p)
        )
    for match in _ENUMERATION.finditer(text):
        span = Span(match.start(), match.end())
        found.append(Quantity(span, span, match[0], Decimal(0), Decimal(1), Unit.LABEL, Role.MARKER))
    return found


_UNIT_OF_MENTION = {
    Mention.NAME: Unit.LABEL, Mention.REFERENCE: Unit.LABEL, Mention.WINDOW: Unit.LABEL, Mention.MARKER: Unit.LABEL,
    Mention.LABEL: Unit.LABEL, Mention.ORDINAL: Unit.ORDINAL, Mention.IDENTIFIER: Unit.IDENTIFIER,
}  # fmt: skip


def _ratios(text: str, taken: _Cover) -> list[tuple[Span, Decimal]]:
    found: list[tuple[Span, Decimal]] = []
    if ":" not in text and "-" not in text and " to 1" not in text:
        return found
    for match in _RATIO.finditer(text):
        span = Span(match.start(), match.end())
        over, under = _operand(match["a"] or match["c"] or match["e"]), _operand(match["b"] or match["d"] or match["f"])
        if over is None or not under or taken.hits(span):
            continue
        if match["c"] and not match["c"][0].isdigit() and match["d"][0].isdigit():
            continue
        found.append((span, over / under))
    return found


def _operand(text: str) -> Decimal | None:
    return Decimal(text) if text[0].isdigit() else read_words(text)


def _place(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(min(exponent, 0) if isinstance(exponent, int) else 0)


def _read(text: str, numeral: Numeral, locale: str, default_currency: str | None) -> Quantity:
    start, end = numeral.span.start, numeral.span.end
    prefix = _PREFIX.search(text, max(0, start - 16), start)
    got = prefix.groupdict() if prefix else {}
    opened = bool(got.get("open1") or got.get("open2"))
    suffix = (_SUFFIX_OPEN if opened else _SUFFIX).match(text, end)
    tail = suffix.groupdict() if suffix else {}
    stop = suffix.end() if suffix else end
    mark = got.get("ccy") or tail.get("ccy") or ""
    scale_word = tail.get("scale") or tail.get("glued") or ""
    if not scale_word and got.get("ccy") and not numeral.spelled and (letter := _LETTER_SCALE.match(text, end)):
        scale_word, stop = letter["scale"], letter.end()
        if unit_follows := _SUFFIX.match(text, stop):
            tail = {**unit_follows.groupdict(), **{k: v for k, v in tail.items() if v}}
            stop = unit_follows.end()
    scale = units.scale_of(scale_word)
    unit, currency = _unit(text, stop, tail, mark, default_currency, locale)
    negative, closed = _is_negative(text, prefix, tail, opened, bool(scale_word), unit)
    begin = prefix.start() if prefix else start
    if opened and not closed:
        begin, stop = _without_bracket(text, numeral, got, stop)
    elif prefix:
        begin += len(prefix[0]) - len(prefix[0].lstrip())
    factor = Decimal(1).scaleb(
        scale - (2 if mark and units.is_subunit(mark) and unit in (Unit.MONEY, Unit.PER_SHARE) else 0)
    )
    malformed = numeral.malformed
    if numeral.indian and not (currency == "INR" or default_currency == "INR" or scale in (5, 7) or locale == "in"):
        malformed = "group signs at wrong positions"
    sign = -1 if negative else 1
    bound = bound_before(text, begin)
    noun = _NOUN.match(text, stop) if unit is Unit.COUNT else None
    return Quantity(
        span=numeral.span,
        extent=Span(begin, stop),
        raw=text[begin:stop].strip(),
        value=-numeral.value * factor if negative and numeral.value else numeral.value * factor,
        quantum=numeral.quantum * factor,
        unit=unit,
        currency=currency,
        scale=scale,
        scale_explicit=bool(scale_word),
        sign=sign,
        sign_explicit=negative,
        bound=bound if bound is not Bound.EQUAL else bound_after(text, stop),
        malformed=malformed,
        spelled=numeral.spelled,
        noun=noun[1] if noun else "",
    )


def _unit(
    text: str, stop: int, tail: dict[str, str | None], mark: str, default: str | None, locale: str
) -> tuple[Unit, str | None]:
    for index, (_, unit, _) in enumerate(units.UNIT_AFTER):
        if tail.get(f"u{index}"):
            return unit, None
    if mark:
        currency = units.currency_of(mark, default, locale)
        return (Unit.PER_SHARE if units.PER_SHARE.match(text, stop) else Unit.MONEY), currency
    if units.SHARES_AFTER.match(text, stop):
        return Unit.SHARES, None
    return Unit.COUNT, None


_FIGURE_NEAR = re.compile(r"\d[^.;|]*$")


def _is_negative(
    text: str, prefix: re.Match[str] | None, tail: dict[str, str | None], opened: bool, scaled: bool, unit: Unit
) -> tuple[bool, bool]:
    """Whether the number is printed negative, and whether its bracket belongs to it."""
    if prefix is None:
        return False, False
    minus = bool(prefix["neg1"] or prefix["neg2"])
    if not opened:
        return minus, False
    if tail.get("close1"):
        return True, True
    if not (tail.get("close2") or tail.get("close3")):
        return minus, False
    if scaled and unit in (Unit.MONEY, Unit.COUNT, Unit.SHARES):
        return minus, False
    if unit in (Unit.RATIO, Unit.PER_SHARE):
        return minus, False
    before = text[max(0, prefix.start() - 80) : prefix.start()]
    return (minus or not _FIGURE_NEAR.search(before)), True


def _without_bracket(text: str, numeral: Numeral, got: dict[str, str | None], stop: int) -> tuple[int, int]:
    """The extent of a number whose opening bracket is a parenthesis of the sentence."""
    begin = numeral.span.start
    if got.get("ccy"):
        begin = text.rindex(str(got["ccy"]), 0, begin)
    while stop > numeral.span.end and text[stop - 1] in ") ":
        stop -= 1
    return begin, stop


def _ranged(text: str, ordered: list[Quantity]) -> list[Quantity]:
    """Links the two ends of each range and distributes unit, currency and scale over it."""
    out = list(ordered)
    for index in range(len(out) - 1):
        low, high = out[index], out[index + 1]
        if low.role is not Role.FIGURE or high.role is not Role.FIGURE or low.partner is not None:
            continue
        if high.extent.start < low.extent.end or high.extent.start - low.extent.end > 18:
            continue
        gap = text[low.extent.end : high.extent.start]
        dash = _DASH_GAP.fullmatch(gap) is not None
        before = text[max(0, low.extent.start - 24) : low.extent.start]
        joined = (
            dash
            or (_TO_GAP.fullmatch(gap) and not _FROM.search(before))
            or (gap == " and " and _BETWEEN.search(before))
        )
        if not joined:
            continue
        pair = _distributed(low, high)
        if pair is None:
            continue
        low, high = pair
        if low.value >= high.value:
            if dash:
                out[index] = replace(low, malformed=low.malformed or "reversed range")
                out[index + 1] = replace(high, malformed=high.malformed or "reversed range")
            continue
        out[index] = replace(low, bound=Bound.RANGE_LOW, partner=index + 1)
        out[index + 1] = replace(high, bound=Bound.RANGE_HIGH, partner=index)
    return out


def _distributed(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity] | None:
    if low.unit is not high.unit:
        if low.unit is Unit.COUNT and not low.noun:
            low = replace(low, unit=high.unit, currency=high.currency)
        elif high.unit is Unit.COUNT and not high.noun and low.currency:
            high = replace(high, unit=low.unit, currency=low.currency)
        else:
            return None
    if low.currency != high.currency:
        if low.currency and high.currency:
            return None
        low = replace(low, currency=low.currency or high.currency)
        high = replace(high, currency=high.currency or low.currency)
    if high.scale_explicit and not low.scale_explicit:
        low = _scaled(low, high.scale)
    elif low.scale_explicit and not high.scale_explicit:
        high = _scaled(high, low.scale)
    return low, high


def _scaled(quantity: Quantity, scale: int) -> Quantity:
    return replace(
        quantity,
        value=quantity.value.scaleb(scale),
        quantum=quantity.quantum.scaleb(scale),
        scale=scale,
        scale_explicit=True,
    )


_CHANGES = frozenset({Unit.PERCENT, Unit.PERCENTAGE_POINT, Unit.BASIS_POINT})


def _directed(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Adds to each figure the direction that the words of its sentence give it."""
    out = list(quantities)
    indices = [i for i, q in enumerate(out) if q.role is Role.FIGURE]
    if not indices:
        return out
    position = 0
    for sentence in split_sentences(text):
        inside: list[int] = []
        while position < len(indices) and out[indices[position]].span.start < sentence.end:
            if out[indices[position]].span.start >= sentence.start:
                inside.append(indices[position])
            position += 1
        if not inside:
            continue
        piece = sentence.of(text)
        extents = [
            (max(0, out[i].extent.start - sentence.start), min(len(piece), out[i].extent.end - sentence.start))
            for i in inside
        ]
        for i, (direction, trend) in zip(
            inside, directions_of(piece, extents, [out[i].unit in _CHANGES for i in inside]), strict=True
        ):
            if direction or trend:
                out[i] = replace(out[i], direction=direction, trend=trend)
    return out
