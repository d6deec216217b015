"""Writing inline XBRL 1.1: facts, their contexts and units, and statement tables made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

AXES = {"product": "srt:ProductOrServiceAxis", "segment": "us-gaap:StatementBusinessSegmentsAxis"}
_UNITS = {
    "usd": "<xbrli:measure>iso4217:USD</xbrli:measure>",
    "shares": "<xbrli:measure>xbrli:shares</xbrli:measure>",
    "number": "<xbrli:measure>xbrli:pure</xbrli:measure>",
    "usdPerShare": "<xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>"
    "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide>",
}


@dataclass(frozen=True)
class Period:
    """A duration, or an instant where ``start`` is empty; ISO dates."""

    end: str
    start: str = ""


@dataclass(frozen=True)
class Row:
    """One row of a statement: its label, concept, and the printed figure of each column, "" for none.

    A figure in brackets is negative. ``member`` is (axis, member) of a dimensional fact.
    """

    label: str
    concept: str = ""
    figures: tuple[str, ...] = ()
    unit: str = "usd"
    scale: int = 6
    decimals: str = "-6"
    member: tuple[str, str] | None = None
    bold: bool = False


@dataclass
class Report:
    """Collects the contexts that its facts use, in the order of their first use."""

    cik: str
    contexts: dict[tuple[Period, tuple[str, str] | None], str] = field(default_factory=dict)
    facts: int = 0

    def context(self, period: Period, member: tuple[str, str] | None = None) -> str:
        """The id of the context of a period and a member."""
        return self.contexts.setdefault((period, member), f"c-{len(self.contexts) + 1}")

    def number(self, printed: str, row: Row, period: Period) -> str:
        """A tagged number; brackets stay outside of the tag, as filers write them."""
        self.facts += 1
        digits = printed.strip("()")
        sign = ' sign="-"' if printed.startswith("(") else ""
        tag = (
            f'<ix:nonFraction unitRef="{row.unit}" contextRef="{self.context(period, row.member)}" '
            f'decimals="{row.decimals}" name="{row.concept}" format="ixt:num-dot-decimal" scale="{row.scale}"{sign} '
            f'id="f-{self.facts}">{digits}</ix:nonFraction>'
        )
        return f"({tag})" if sign else tag

    def text(self, concept: str, value: str, period: Period, form: str = "") -> str:
        """A tagged text, such as a cover fact."""
        self.facts += 1
        shape = f' format="{form}"' if form else ""
        return (
            f'<ix:nonNumeric contextRef="{self.context(period)}" name="{concept}"{shape} id="f-{self.facts}">'
            f"{escape(value)}</ix:nonNumeric>"
        )

    def table(self, caption: str, columns: Sequence[tuple[str, Period]], rows: Sequence[Row]) -> str:
        """A statement table: a caption line with the scale, a header row and the rows."""
        head = "".join(f"<th>{escape(label)}</th>" for label, _ in columns)
        lines = [f"<p><b>{escape(caption)}</b></p>", "<table>", f"<tr><th></th>{head}</tr>"]
        for row in rows:
            label = f"<b>{escape(row.label)}</b>" if row.bold else escape(row.label)
            pairs = zip(row.figures, (period for _, period in columns), strict=False)
            cells = "".join(f"<td>{self._cell(printed, row, period)}</td>" for printed, period in pairs)
            lines.append(f"<tr><td>{label}</td>{cells or '<td></td>' * len(columns)}</tr>")
        return "\n".join([*lines, "</table>"])

    def _cell(self, printed: str, row: Row, period: Period) -> str:
        if not printed:
            return ""
        suffix = "%" if row.unit == "number" else ""
        prefix = "$" if row.unit.startswith("usd") else ""
        return f"{prefix}{self.number(printed, row, period)}{suffix}"

    def resources(self) -> str:
        """The contexts and units, for the header."""
        contexts = [self._context(name, *key) for key, name in self.contexts.items()]
        units = [f'<xbrli:unit id="{name}">{measure}</xbrli:unit>' for name, measure in _UNITS.items()]
        return "\n".join(["<ix:resources>", *contexts, *units, "</ix:resources>"])

    def _context(self, name: str, period: Period, member: tuple[str, str] | None) -> str:
        segment = ""
        if member is not None:
            explicit = f'<xbrldi:explicitMember dimension="{member[0]}">{member[1]}</xbrldi:explicitMember>'
            segment = f"<xbrli:segment>{explicit}</xbrli:segment>"
        when = f"<xbrli:instant>{period.end}</xbrli:instant>"
        if period.start:
            when = f"<xbrli:startDate>{period.start}</xbrli:startDate><xbrli:endDate>{period.end}</xbrli:endDate>"
        scheme = f'<xbrli:identifier scheme="http://www.sec.gov/CIK">{self.cik}</xbrli:identifier>'
        return (
            f'<xbrli:context id="{name}"><xbrli:entity>{scheme}{segment}</xbrli:entity>'
            f"<xbrli:period>{when}</xbrli:period></xbrli:context>"
        )


NAMESPACES = " ".join(
    f'xmlns{prefix}="{address}"'
    for prefix, address in (
        ("", "http://www.w3.org/1999/xhtml"),
        (":ix", "http://www.xbrl.org/2013/inlineXBRL"),
        (":ixt", "http://www.xbrl.org/inlineXBRL/transformation/2020-02-12"),
        (":xbrli", "http://www.xbrl.org/2003/instance"),
        (":xbrldi", "http://xbrl.org/2006/xbrldi"),
        (":link", "http://www.xbrl.org/2003/linkbase"),
        (":xlink", "http://www.w3.org/1999/xlink"),
        (":iso4217", "http://www.xbrl.org/2003/iso4217"),
        (":dei", "http://xbrl.sec.gov/dei/2024"),
        (":srt", "http://fasb.org/srt/2024"),
        (":us-gaap", "http://fasb.org/us-gaap/2024"),
        (":aapl", "http://www.apple.com/20240928"),
    )
)
