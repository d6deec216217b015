"""Reading a number out of one table cell, with unit, scale and currency given from outside where the cell is silent."""

import re
from dataclasses import replace
from decimal import Decimal

from viska_assets.model.evidence import Unit
from viska_assets.model.span import Span
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Quantity, Role

_DASHES = re.compile(r"\s*(?:[$€£¥]|[A-Z]{3})?\s*\(?\s*(?:[-–—−‒]{1,3}|nil|zero)\s*\)?\s*%?\s*", re.I)
_BLANK = re.compile(r"\s*(?:n\.?/?a\.?|n\.?/?m\.?|nm|nmf|\*+|\.{2,}|not (?:applicable|meaningful))?\s*", re.I)
_OPEN_BRACKET = re.compile(r"^[^()]*\([^()]*$")
_FOOTNOTE = re.compile(r"(?<=[\d%)])\s*\((?:[a-z]|\d{1,2})\)\s*$|(?<=[\d%)])\s*[*†‡]+\s*$")
_PERCENT_TAIL = re.compile(r"^\s*\)?\s*%")
# Units that never take the money scale of a caption.
UNSCALED = frozenset(
    {
        Unit.PERCENT,
        Unit.PERCENTAGE_POINT,
        Unit.BASIS_POINT,
        Unit.RATIO,
        Unit.PER_SHARE,
        Unit.DATE,
        Unit.PERIOD,
        Unit.ORDINAL,
    }
)


def read_cell(
    text: str,
    *,
    tail: str = "",
    locale: str = "en",
    unit: Unit | None = None,
    scale: int = 0,
    currency: str | None = None,
) -> Quantity | None:
    """The one number of a cell, or None where the cell is blank, ``n/a``, a label or holds several numbers.

    Args:
        text: The cell's text; brackets may be left open (``(1,234`` with ``)`` in the next cell).
        tail: Text of the following cell that belongs to this number, such as ``)`` or ``)%``.
        locale: How the source prints numerals.
        unit: The class that the row or column announces; it applies where the cell prints no unit of its own.
        scale: Power of ten stated for the table; it applies to money, counts and shares without their own scale word.
        currency: Currency of the table, for money without a mark.

    A dash is zero. The spans index ``text``.
    """
    if _BLANK.fullmatch(text):
        return None
    if _DASHES.fullmatch(text):
        span = Span(len(text) - len(text.lstrip()), max(len(text.rstrip()), len(text) - len(text.lstrip())))
        zero = Quantity(span, span, text.strip(), Decimal(0), Decimal(1), unit or Unit.MONEY)
        return _with_defaults(zero, unit, scale, currency, percent="%" in text + tail)
    body = _FOOTNOTE.sub("", text)
    opened = _OPEN_BRACKET.match(body) is not None
    closed = body + (")" if opened else "")
    figures = [q for q in read_quantities(closed, locale=locale, currency=currency) if q.role is Role.FIGURE]
    figures = figures or _forced(closed, locale)
    if len(figures) != 1 or figures[0].malformed:
        return None
    figure = figures[0]
    if figure.sign > 0 and re.match(r"^\s*(?:[$€£¥]|[A-Z]{3})?\s*[-−–]\s*[\d.,]", closed):
        figure = replace(figure, value=-figure.value, sign=-1, sign_explicit=True)
    if opened and figure.sign > 0:
        figure = replace(figure, value=-figure.value, sign=-1, sign_explicit=True)
    figure = replace(
        figure,
        extent=Span(min(figure.extent.start, len(text)), min(figure.extent.end, len(text))),
        direction=0,
        trend=0,
    )
    return _with_defaults(figure, unit, scale, currency, percent=bool(_PERCENT_TAIL.match(tail)))


def _forced(text: str, locale: str) -> list[Quantity]:
    """Digits that prose would take for a year or a name but that fill a numeric cell alone (``2018``, ``100-110``)."""
    stripped = text.strip(" $€£¥()%")
    if not re.fullmatch(r"(?:19|20)\d{2}", stripped):
        return []
    marked = text.replace(stripped, f"{stripped[0]},{stripped[1:]}" if locale in ("en", "in") else stripped, 1)
    found = [q for q in read_quantities(marked, locale=locale) if q.role is Role.FIGURE]
    at = text.index(stripped)
    return [
        replace(q, span=Span(at, at + 4), extent=Span(min(q.extent.start, at), at + 4), raw=text.strip()) for q in found
    ]


def _with_defaults(figure: Quantity, unit: Unit | None, scale: int, currency: str | None, *, percent: bool) -> Quantity:
    own = figure.unit
    if percent and own is Unit.COUNT:
        own = Unit.PERCENT
    elif own is Unit.COUNT and unit is not None:
        own = unit
    elif own is Unit.MONEY and unit is Unit.PER_SHARE:
        own = Unit.PER_SHARE
    own_currency = figure.currency or (currency if own in (Unit.MONEY, Unit.PER_SHARE) else None)
    if figure.scale_explicit or own in UNSCALED or not scale:
        return replace(figure, unit=own, currency=own_currency)
    return replace(
        figure,
        unit=own,
        currency=own_currency,
        value=figure.value.scaleb(scale),
        quantum=figure.quantum.scaleb(scale),
        scale=scale,
    )
