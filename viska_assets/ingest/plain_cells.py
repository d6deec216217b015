"""The plainest cells of a table (``1,234``, ``$(5.2)``, ``24.1%``) read without the grammar of prose.

Nine in ten cells of a filing look so. The reading is that of ``text.cells.read_cell``; a property test holds the two
together.
"""

import re
from decimal import Decimal
from functools import lru_cache

from viska_assets.model.evidence import Unit
from viska_assets.model.span import Span
from viska_assets.text.quantity import Quantity

_PLAIN = re.compile(
    r"(?P<money>\$)?\s?(?P<open>\()?(?P<digits>(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}|0)(?:\.(?P<places>\d+))?)(?P<close>\))?(?P<percent>%)?"
)


@lru_cache(maxsize=64)
def _place_value(places: int) -> Decimal:
    return Decimal(1).scaleb(-places)


def read_plain_cell(text: str, *, unit: Unit | None, currency: str | None) -> Quantity | None:
    """The number of a plainly printed English cell; None where the cell needs the full grammar.

    ``unit`` is the class that the labels announce, for a cell that prints none.
    """
    match = _PLAIN.fullmatch(text)
    if match is None or (match["open"] is None) != (match["close"] is None) or (match["money"] and match["percent"]):
        return None
    if match["money"] and currency not in (None, "USD"):
        return None
    value = Decimal(match["digits"].replace(",", ""))
    sign = -1 if match["open"] else 1
    own = Unit.PERCENT if match["percent"] else Unit.MONEY if match["money"] else unit or Unit.COUNT
    if match["money"] and unit is Unit.PER_SHARE:
        own = Unit.PER_SHARE
    return Quantity(
        span=Span(*match.span("digits")),
        extent=Span(0, len(text)),
        raw=text,
        value=-value if sign < 0 and value else value,
        quantum=_place_value(len(match["places"] or "")),
        unit=own,
        currency="USD" if match["money"] else currency if own in (Unit.MONEY, Unit.PER_SHARE) else None,
        sign=sign,
        sign_explicit=sign < 0,
    )
