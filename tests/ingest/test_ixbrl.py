"""Inline XBRL: contexts, units, transformations, signs, hidden facts, nesting; tags win over print only when asked."""

# ruff: noqa: E501 (the fixture keeps the long lines of filings)

from datetime import date, datetime
from decimal import Decimal

import pytest

from tests.ingest.conftest import evidence_in
from viska_assets.ingest.parsers.ixbrl import transformed
from viska_assets.ingest.reading import read_document
from viska_assets.model.evidence import Period, Unit

FILING = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"><head><title>t</title></head><body>
<div style="display:none"><ix:header><ix:hidden><ix:nonNumeric contextRef="y" name="dei:CurrentFiscalYearEndDate">--06-30</ix:nonNumeric>
<ix:nonNumeric contextRef="y" name="dei:DocumentPeriodEndDate">x</ix:nonNumeric>
<ix:nonFraction contextRef="y" unitRef="usd" name="a:Hidden" decimals="0" scale="3">7</ix:nonFraction></ix:hidden><ix:resources>
<xbrli:context id="y"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier></xbrli:entity><xbrli:period>
<xbrli:startDate>2023-07-01</xbrli:startDate><xbrli:endDate>2024-06-30</xbrli:endDate></xbrli:period></xbrli:context>
<xbrli:context id="d"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier><xbrli:segment>
<xbrldi:explicitMember dimension="a:Axis">a:Tools</xbrldi:explicitMember></xbrli:segment></xbrli:entity><xbrli:period>
<xbrli:instant>2024-06-30</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="ps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>
<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>
<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit></ix:resources></ix:header></div>
<p><ix:nonNumeric contextRef="y" name="dei:EntityRegistrantName">Acme Tools Inc.</ix:nonNumeric>
<ix:nonNumeric contextRef="y" name="dei:DocumentType">10-K</ix:nonNumeric></p>
<p>(in millions)</p>
<table><tr><td></td><td>2024</td></tr>
<tr><td>Net loss</td><td>$(<ix:nonFraction contextRef="y" unitRef="usd" name="a:NetIncomeLoss" decimals="-6" scale="6" sign="-"
 format="ixt:num-dot-decimal">1,234</ix:nonFraction>)</td></tr>
<tr><td>Interest expense</td><td>(<ix:nonFraction contextRef="y" unitRef="usd" name="a:InterestExpense" decimals="-6" scale="6"
 format="ixt:num-dot-decimal">217</ix:nonFraction>)</td></tr>
<tr><td>Impairment</td><td><ix:nonFraction contextRef="d" unitRef="usd" name="a:Impairment" decimals="0" scale="6"
 format="ixt:fixed-zero">—</ix:nonFraction></td></tr></table>
<p>Tax was <ix:nonNumeric contextRef="y" name="a:Text">a rate of <ix:nonFraction contextRef="y" unitRef="pure" name="a:Rate"
 decimals="3" scale="-2">24.1</ix:nonFraction>%</ix:nonNumeric> and <ix:nonFraction contextRef="y" unitRef="usd" name="a:Words"
 decimals="INF" scale="0" format="ixt-sec:numwordsen">twenty-one</ix:nonFraction> notices;
 earnings were $<ix:nonFraction contextRef="y" unitRef="ps" name="a:Eps" decimals="2" scale="0">6.08</ix:nonFraction>.</p>
</body></html>"""


@pytest.fixture(scope="module")
def filing():
    return read_document(FILING.encode(), "acme-10-k-2024-08-15.html")


def test_facts_have_values_periods_units_and_places(filing) -> None:
    facts = {fact.concept: fact for fact in filing.facts}
    loss = facts["a:NetIncomeLoss"]
    assert (loss.value, loss.unit, loss.period) == (
        Decimal(-1234000000),
        "USD",
        Period(date(2024, 6, 30), date(2023, 7, 1)),
    )
    assert loss.span is not None
    assert loss.span.of(filing.text) == "1,234"
    assert facts["a:Hidden"].span is None
    assert facts["a:Hidden"].value == 7000
    assert facts["a:Impairment"].value == 0
    assert facts["a:Impairment"].dimensions == (("a:Axis", "a:Tools"),)
    assert facts["a:Impairment"].period == Period(date(2024, 6, 30))
    assert facts["a:Eps"].unit == "USD/shares"
    assert facts["a:Words"].value == 21


def test_the_cover_comes_from_dei_tags_and_the_file_name(filing) -> None:
    cover = filing.cover
    assert (cover.issuer, cover.form, cover.fiscal_year_end) == ("Acme Tools Inc.", "10-K", (6, 30))
    assert cover.period_end == date(2024, 6, 30)
    assert cover.published_at == datetime.fromisoformat("2024-08-15T00:00:00+00:00")
    assert cover.asserter == "Acme Tools Inc."


def test_print_is_read_without_tags(filing) -> None:
    read = {one.printed: one for one in evidence_in(filing)}
    assert read["$(1,234)"].value == Decimal(-1234000000)
    assert read["$(1,234)"].period == Period(date(2024, 6, 30), date(2023, 7, 1))
    assert read["(217)"].value == Decimal(-217000000)
    assert all(one.xbrl is None for one in read.values())


def test_tags_win_where_they_are_used(filing) -> None:
    read = {one.xbrl.concept: one for one in evidence_in(filing, use_tags=True) if one.xbrl}
    assert read["a:NetIncomeLoss"].value == Decimal(-1234000000)
    assert read["a:Rate"].unit is Unit.PERCENT
    assert read["a:Rate"].value == Decimal("24.1")
    assert read["a:Words"].value == 21
    assert read["a:Eps"].unit is Unit.PER_SHARE
    assert read["a:Impairment"].period == Period(date(2024, 6, 30))


@pytest.mark.parametrize(
    ("printed", "transformation", "value"),
    [
        ("1,234.5", "ixt:num-dot-decimal", "1234.5"),
        ("1.234,5", "ixt:num-comma-decimal", "1234.5"),
        ("1'234.5", "ixt:numdotdecimal", "1234.5"),
        ("1 234", "ixt:numspacedot", "1234"),
        ("—", "ixt:zerodash", "0"),
        ("—", "", "0"),
        ("no", "ixt-sec:numwordsen", "0"),
        ("one hundred and five thousand", "ixt-sec:numwordsen", "105000"),
        ("n/a", "ixt:num-dot-decimal", None),
    ],
)
def test_transformations(printed: str, transformation: str, value: str | None) -> None:
    assert transformed(printed, transformation) == (Decimal(value) if value is not None else None)


def test_a_hidden_tag_speaks_before_a_printed_one_and_once() -> None:
    tag = '<ix:nonNumeric name="dei:EntityRegistrantName" contextRef="c">'
    number = '<ix:nonFraction name="us-gaap:Revenues" contextRef="c" scale="6" unitRef="usd">5</ix:nonFraction>'
    body = (
        f"<p>{tag}Printed plc</ix:nonNumeric></p><div style='display:none'><ix:header><ix:hidden>"
        f"{tag}Hidden plc</ix:nonNumeric><ix:hidden>{number}{tag}Inner plc</ix:nonNumeric></ix:hidden></ix:hidden>"
        "</ix:header></div>"
    )
    document = read_document(f"<!doctype html><html><body>{body}</body></html>".encode(), "a.html")
    assert document.cover.issuer == "Hidden plc"
    assert [fact.concept for fact in document.facts] == ["us-gaap:Revenues"]


def test_resources_are_read_wherever_they_stand() -> None:
    context = (
        '<xbrli:context id="c"><xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate>'
        "<xbrli:endDate>2024-12-31</xbrli:endDate></xbrli:period></xbrli:context>"
    )
    number = '<ix:nonFraction name="us-gaap:Revenues" contextRef="c" scale="6" unitRef="usd">5</ix:nonFraction>'
    unit = '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
    body = f"<p>Sales were ${number} million.</p><div>{context}{unit}</div>"
    [fact] = read_document(f"<!doctype html><html><body>{body}</body></html>".encode(), "a.html").facts
    assert fact.unit == "USD"
    assert fact.period is not None
    assert fact.period.days == 366
