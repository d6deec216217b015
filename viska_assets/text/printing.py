"""How evidence is printed on a page: English digits, currency sign, scale word, sign in front."""

from decimal import Decimal

from viska_assets.model.evidence import Evidence, Period, Unit

SCALE_WORDS = {0: "", 2: "", 3: " thousand", 6: " million", 9: " billion", 12: " trillion"}
CURRENCY_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}

_SPANS = (
    (350, 380, "Annual", "Year ended"),
    (80, 100, "Quarter", "Three months ended"),
    (170, 190, "Year to date", "Six months ended"),
    (260, 285, "Year to date", "Nine months ended"),
)
# Parts of years of 12, 12, 12 and 16 weeks, which no count of months names; filers call 13 weeks three months.
_WEEKS = {12: "Quarter", 16: "Quarter", 24: "Year to date", 28: "Year to date", 36: "Year to date", 40: "Year to date"}


def print_figure(evidence: Evidence) -> str:
    """The figure with its unit, to the precision of the source: ``$391,035 million``, ``-$45 million``, ``24.1%``."""
    digits = print_digits(evidence)
    sign = "-" if evidence.value < 0 else ""
    scale = SCALE_WORDS.get(evidence.scale, "")
    match evidence.unit:
        case Unit.PERCENT:
            return f"{sign}{digits}%"
        case Unit.MONEY | Unit.PER_SHARE:
            return f"{sign}{_currency(evidence)}{digits}{scale}"
        case Unit.SHARES:
            return f"{sign}{digits}{scale} shares"
        case Unit.RATIO:
            return f"{sign}{digits}x"
        case _:
            return f"{sign}{digits}{scale}"


def print_digits(evidence: Evidence) -> str:
    """The magnitude in the source's own scale, with thousands commas and as many decimals as the source prints."""
    unit = Decimal(10) ** evidence.scale
    magnitude, step = abs(evidence.value) / unit, evidence.quantum / unit
    if step == 0:
        return f"{magnitude.normalize():,f}"
    places = max(0, -step.adjusted())
    return f"{magnitude:,.{places}f}"


def _currency(evidence: Evidence) -> str:
    if evidence.currency is None:
        return ""
    return CURRENCY_SIGNS.get(evidence.currency, f"{evidence.currency} ")


def period_label(period: Period) -> tuple[str, str] | None:
    """The table that a period belongs to and its column there, or None for a period of unusual length."""
    if period.is_instant:
        return ("Balance sheet", f"At {period.end.isoformat()}")
    weeks, rest = divmod(period.days, 7)
    if not rest and weeks in _WEEKS:
        return (_WEEKS[weeks], f"{weeks} weeks ended {period.end.isoformat()}")
    for shortest, longest, table, words in _SPANS:
        if shortest <= period.days <= longest:
            return (table, f"{words} {period.end.isoformat()}")
    return None
