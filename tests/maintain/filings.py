"""Annual reports in inline XBRL that the tests write: an income statement with comparatives, and segments."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

CONCEPTS = {
    "Total revenues": "us-gaap:Revenues",
    "Cost of revenues": "us-gaap:CostOfRevenue",
    "Operating income": "us-gaap:OperatingIncomeLoss",
    "Net income": "us-gaap:NetIncomeLoss",
}
SEGMENT_AXIS = "us-gaap:StatementBusinessSegmentsAxis"
HEAD = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"><head><title>t</title></head>
<body>"""


@dataclass(frozen=True)
class Report:
    """A 10-K: ``rows`` and ``segments`` map a printed label to values in millions by fiscal year."""

    issuer: str
    year: int
    rows: Mapping[str, Mapping[int, int]]
    segments: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    prose: str = ""

    @property
    def name(self) -> str:
        """The file's name, which dates its publication."""
        return f"{self.issuer.split()[0].lower()}-10-k-{self.year + 1}-02-15.html"

    @property
    def cik(self) -> int:
        """A number of the issuer's own."""
        return zlib.crc32(self.issuer.encode()) % 10_000_000

    def write(self, folder: Path) -> Path:
        """The file in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.name
        path.write_text(self.html(), encoding="utf-8")
        return path

    def html(self) -> str:
        """The filing's source."""
        years = sorted({year for values in self.rows.values() for year in values}, reverse=True)
        statement = _table(years, {label: (CONCEPTS[label], "", values) for label, values in self.rows.items()})
        members = {label: f"a:{label.replace(' ', '')}Member" for label in self.segments}
        parts = {label: ("us-gaap:Revenues", members[label], values) for label, values in self.segments.items()}
        header = self._header(years, members.values())
        body = f"<p>CONSOLIDATED STATEMENTS OF INCOME</p><p>(in millions)</p>{statement}"
        if parts:
            body += f"<p>Revenues by segment</p><p>(in millions)</p>{_table(years, parts)}"
        if self.prose:
            body += f"<p>{escape(self.prose)}</p>"
        return f"{HEAD}{header}{body}</body></html>"

    def _header(self, years: list[int], members) -> str:  # type: ignore[no-untyped-def]
        contexts = "".join(_context(year, member) for year in years for member in ("", *members))
        cover = (
            f'<ix:nonNumeric contextRef="y{self.year}" name="dei:EntityRegistrantName">{escape(self.issuer)}'
            f'</ix:nonNumeric> <ix:nonNumeric contextRef="y{self.year}" name="dei:DocumentType">10-K</ix:nonNumeric>'
        )
        unit = '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
        dates = (
            f'<ix:nonNumeric contextRef="y{self.year}" name="dei:CurrentFiscalYearEndDate">--12-31</ix:nonNumeric>'
            f'<ix:nonNumeric contextRef="y{self.year}" name="dei:EntityCentralIndexKey">'
            f"{self.cik:010d}</ix:nonNumeric>"
        )
        hidden = f"<ix:header><ix:hidden>{dates}</ix:hidden><ix:resources>{contexts}{unit}</ix:resources></ix:header>"
        return f'<div style="display:none">{hidden}</div><p>{cover}</p>'


def _context(year: int, member: str) -> str:
    segment = (
        f'<xbrli:segment><xbrldi:explicitMember dimension="{SEGMENT_AXIS}">{member}</xbrldi:explicitMember>'
        "</xbrli:segment>"
        if member
        else ""
    )
    return (
        f'<xbrli:context id="{_context_id(year, member)}"><xbrli:entity><xbrli:identifier scheme="s">1'
        f"</xbrli:identifier>{segment}</xbrli:entity><xbrli:period><xbrli:startDate>{year}-01-01</xbrli:startDate>"
        f"<xbrli:endDate>{year}-12-31</xbrli:endDate></xbrli:period></xbrli:context>"
    )


def _context_id(year: int, member: str) -> str:
    return f"y{year}{member.replace(':', '_')}"


def _table(years: list[int], rows: Mapping[str, tuple[str, str, Mapping[int, int]]]) -> str:
    head = "".join(f"<td>Year ended December 31, {year}</td>" for year in years)
    lines = [f"<tr><td></td>{head}</tr>"]
    for label, (concept, member, values) in rows.items():
        cells = "".join(
            f"<td>{_number(concept, _context_id(year, member), values[year])}</td>" if year in values else "<td></td>"
            for year in years
        )
        lines.append(f"<tr><td>{escape(label)}</td>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _number(concept: str, context: str, value: int) -> str:
    return (
        f'<ix:nonFraction contextRef="{context}" unitRef="usd" name="{concept}" decimals="-6" scale="6" '
        f'format="ixt:num-dot-decimal">{value:,}</ix:nonFraction>'
    )
