"""Numbers listed together share the unit that only the last one prints; par values are amounts per share."""

import re
from collections.abc import Sequence
from dataclasses import replace

from viska_assets.model.evidence import Unit
from viska_assets.text.quantity import Quantity, Role

_LIST_GAP = re.compile(r"\s*(?:,|and|or|,\s*and|,\s*or)\s*")
_PAR_VALUE = re.compile(r"\s*(?:par|stated|nominal)\b", re.IGNORECASE)
_REACH = 64
_PAR_BEFORE = re.compile(r"\b(?:par|stated|nominal) value(?: of)?\s*$", re.IGNORECASE)


def with_listed_units(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """The quantities of ``text`` with shared units and par values read."""
    out = list(quantities)
    following: Quantity | None = None
    for index in range(len(out) - 1, -1, -1):
        quantity = out[index]
        if quantity.role is not Role.FIGURE:
            continue
        start = quantity.extent.start
        if quantity.unit is Unit.MONEY and (
            _PAR_VALUE.match(text, quantity.extent.end) or _PAR_BEFORE.search(text[max(0, start - _REACH) : start])
        ):
            out[index] = replace(quantity, unit=Unit.PER_SHARE)
        if following is not None and quantity.unit is Unit.COUNT and not quantity.noun:
            gap = text[quantity.extent.end : following.extent.start]
            if following.unit in (Unit.SHARES, Unit.PERCENT) and _LIST_GAP.fullmatch(gap):
                out[index] = replace(quantity, unit=following.unit)
        following = out[index]
    return out
