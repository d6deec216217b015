"""The grammar of printed numerals: digits with checked group positions by locale, and spelled numbers."""

import re
from dataclasses import dataclass
from decimal import Decimal

from viska_assets.model.span import Span
from viska_assets.text.locales import GROUP_SPACES, NumberStyle, style_of

VULGAR: dict[str, Decimal] = {
    "½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75"), "⅛": Decimal("0.125"), "⅜": Decimal("0.375"),
    "⅝": Decimal("0.625"), "⅞": Decimal("0.875"), "⅕": Decimal("0.2"), "⅖": Decimal("0.4"), "⅗": Decimal("0.6"),
    "⅘": Decimal("0.8"), "⅒": Decimal("0.1"),
}  # fmt: skip
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_VULGAR = "".join(VULGAR)
# A run of digits with single signs between them; letters that look like digits make the run malformed.
RUN = re.compile(
    rf"(?:(?<![\w.,])[.,](?=[0-9])|(?<![A-Za-z])[OIl](?=[,.]?[0-9]{{2}}[0-9,.]*(?![A-Za-z])))?"
    rf"[0-9]+(?:[.,'’・·٫٬](?:[0-9]+|[OIl][0-9]*)|[OIl](?=[0-9])[0-9]*)*(?:\s?[{_VULGAR}])?"
    rf"|[OIl][,.][0-9]{{3}}(?![0-9\w])|[{_VULGAR}]"
)
_MARKED = re.compile(r"[OIl・·٫٬]")
_SPACED_GROUP = re.compile(rf"[{GROUP_SPACES}]([0-9]{{3}})(?![0-9])(?:([.,])([0-9]+))?(?![0-9])")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")


@dataclass(frozen=True, slots=True)
class Numeral:
    """An unsigned numeral as printed: ``places`` decimals; ``malformed`` says why it cannot be read, or is empty.

    ``indian`` marks 2-2-3 grouping, which is legal only beside rupees, lakh or crore.
    """

    span: Span
    value: Decimal
    places: int
    malformed: str = ""
    spelled: bool = False
    indian: bool = False

    @property
    def quantum(self) -> Decimal:
        """Place value of the last printed digit."""
        return Decimal(1).scaleb(-self.places)


def find_numerals(text: str, locale: str = "en") -> list[Numeral]:
    """All digit numerals of ``text``, left to right, without signs, scale or unit."""
    style = style_of(locale)
    found: list[Numeral] = []
    end = 0
    for match in RUN.finditer(text):
        if match.start() < end:
            continue
        numeral = _join_spaced(text, match, style) or read_run(match[0], match.start(), style)
        end = numeral.span.end
        found.append(numeral)
    return found


def read_run(run: str, at: int, style: NumberStyle) -> Numeral:
    """Read one unspaced run of digits and signs under a number style, checking group positions."""
    span = Span(at, at + len(run))
    if _MARKED.search(run):
        return Numeral(span, Decimal(0), 0, "a letter or unknown sign among the digits")
    if run[-1] in VULGAR:
        whole = run[:-1].strip()
        fraction = VULGAR[run[-1]]
        if whole and not whole.isdigit():
            return Numeral(span, Decimal(0), 0, "a fraction after a grouped or decimal number")
        exponent = fraction.as_tuple().exponent
        return Numeral(span, Decimal(whole or 0) + fraction, -exponent if isinstance(exponent, int) else 0)
    whole, decimals, indian, error = _split(run, style)
    if error:
        return Numeral(span, Decimal(0), 0, error)
    return Numeral(span, Decimal(f"{whole or 0}.{decimals}" if decimals else whole), len(decimals), indian=indian)


def _split(run: str, style: NumberStyle) -> tuple[str, str, bool, str]:
    """Whole digits, decimals, Indian grouping and the error of a run."""
    whole, sign, decimals = run.partition(style.decimal)
    if sign and not decimals.isdigit():
        return "", "", False, "digits after the decimal sign are not one run"
    separators = {char for char in whole if not char.isdigit()}
    if not separators:
        return whole or "0", decimals, False, ""
    if len(separators) > 1:
        return "", "", False, "two kinds of group signs"
    sign = separators.pop()
    if sign not in style.group and sign not in "'’":
        return "", "", False, f"{sign!r} is no group sign here"
    groups = whole.split(sign)
    regular = 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    if regular and groups[0] != "0" * len(groups[0]):
        return "".join(groups), decimals, False, ""
    if sign == "," and _INDIAN.fullmatch(whole):
        return "".join(groups), decimals, True, ""
    return "", "", False, "group signs at wrong positions"


def _join_spaced(text: str, match: re.Match[str], style: NumberStyle) -> Numeral | None:
    """A numeral whose groups are set apart by single spaces, if the run starts one."""
    head = match[0]
    if not (head.isdigit() and len(head) <= 3 and head[0] != "0"):
        return None
    digits, decimals, end = head, "", match.end()
    while not decimals and (group := _SPACED_GROUP.match(text, end)):
        if group[2] and group[2] != style.decimal:
            return None
        digits, decimals, end = digits + group[1], group[3] or "", group.end()
    if end == match.end() or (end < len(text) and text[end] in ".,'’" and text[end + 1 : end + 2].isdigit()):
        return None
    if text[end : end + 1].isalpha() and text[end : end + 1] not in "kmbKMB":
        return None
    value = Decimal(f"{digits}.{decimals}" if decimals else digits)
    return Numeral(Span(match.start(), end), value, len(decimals))


def significant_digits(value: Decimal) -> int:
    """How many digits a value has without leading and trailing zeros; trailing decimals count as printed."""
    digits = "".join(map(str, value.as_tuple().digits)).lstrip("0")
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent >= 0:
        digits = digits.rstrip("0")
    return max(len(digits), 1)


def last_nonzero_place(value: Decimal) -> Decimal:
    """Place value of the last non-zero digit of a value; 1 for zero."""
    if not value:
        return Decimal(1)
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
