"""The keyed claims of a page: their keys, intervals, facts and places."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from support import FY2025, NOW, page_text, source, table_chunk

from viska_assets.guardrail.binding import Binder
from viska_assets.guardrail.claims import claim_id_of, disjoint, facts_of, key_of, width
from viska_assets.guardrail.gate import claims_of_page, claims_with_places
from viska_assets.guardrail.reading import ChunkReader, ChunkReading
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.claim_unit import CitationMark, ClaimUnit, UnitKind
from viska_assets.model.evidence import Basis, Evidence, Period, Scenario, Unit, XbrlTag
from viska_assets.model.page import SourceEntry
from viska_assets.model.span import OffsetMap, Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.page import parse_page


class OneChunk:
    """An evidence view of one chunk."""

    def __init__(self, chunk: CitedChunk) -> None:
        self._chunk = chunk

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        return self._chunk if chunk_id == self._chunk.chunk_id else None


def sales(**changes: object) -> Evidence:
    return replace(table_chunk().evidence[0], **changes)  # type: ignore[arg-type]


def keyed(evidence: Evidence, **chunk: object) -> ClaimKey | None:
    return key_of(evidence, ChunkReading(replace(table_chunk(), evidence=(evidence,), **chunk)))  # type: ignore[arg-type]


def claim(low: str | None, high: str | None, value: str = "x") -> Claim:
    interval = [Decimal(end) if end is not None else None for end in (low, high)]
    return Claim("id", "issuers/alpha", ClaimKey("alpha", "revenue", FY2025), *interval, value, "c1", "k1", NOW)


def test_a_cell_is_keyed_by_issuer_metric_period_and_unit() -> None:
    key = keyed(sales())
    assert key is not None
    assert (key.entity, key.metric, key.period, key.segment) == ("issuers/alpha", "revenue", FY2025, "")
    assert (key.currency, key.unit, key.scenario, key.as_of) == ("USD", Unit.MONEY, Scenario.ACTUAL, "")


@pytest.mark.parametrize(
    ("rows", "columns", "metric", "segment"),
    [
        (("Data Center", "Net sales"), ("FY2025",), "revenue", "data center"),
        (("Net sales", "Europe"), ("FY2025",), "revenue", "europe"),
        (("Net sales",), ("FY2025", "Gaming"), "revenue", "gaming"),
        (("Net sales",), ("FY2025", "(in millions)"), "revenue", ""),
        (("Net sales",), ("FY2025", "Unaudited"), "revenue", ""),
        (("Robots shipped",), ("FY2025",), "robots shipped", ""),
        (("Robots shipped", "North"), ("FY2025",), "robots shipped/north", ""),
    ],
)
def test_other_labels_cut_a_segment(rows: tuple[str, ...], columns: tuple[str, ...], metric: str, segment: str) -> None:
    key = keyed(sales(row_path=rows, column_path=columns))
    assert key is not None
    assert (key.metric, key.segment) == (metric, segment)


def test_a_tag_names_the_metric_and_its_dimensions_the_segment() -> None:
    tag = XbrlTag("us-gaap:Revenues", "c", "-6", dimensions=(("Axis", "Europe"), ("Line", "Cars")))
    key = keyed(sales(row_path=("Anything",), xbrl=tag))
    assert key is not None
    assert (key.metric, key.segment) == ("revenue", "Axis=Europe; Line=Cars")
    other = keyed(sales(xbrl=XbrlTag("abc:RobotsShipped", "c", "-6")))
    assert other is not None and (other.metric, other.segment) == ("abc:robotsshipped", "")


def test_an_open_period_has_no_key_unless_it_is_an_opinion() -> None:
    assert keyed(sales(period=None)) is None
    guidance = keyed(sales(period=None, scenario=Scenario.GUIDANCE))
    assert guidance is not None
    assert (guidance.as_of, guidance.scenario) == (NOW.date().isoformat(), Scenario.GUIDANCE)
    undated = keyed(sales(period=None, scenario=Scenario.GUIDANCE), known_at=None)
    assert undated is not None and undated.as_of == ""
    target = keyed(sales(row_path=("Price target",)))
    assert target is not None and target.as_of == NOW.date().isoformat()
    assert keyed(sales(scenario=None)) == keyed(sales())


def test_the_entity_is_the_chunks_then_the_evidences_then_the_document() -> None:
    none = keyed(sales(entity=None), entity=None)
    own = keyed(sales(entity="issuers/beta"), entity=None)
    assert none is not None and own is not None
    assert (none.entity, own.entity) == ("doc-k1", "issuers/beta")


def prose(text: str, printed: str, **changes: object) -> tuple[Evidence, ChunkReading]:
    at = text.index(printed)
    evidence = sales(
        row_path=(), column_path=(), cell=None, span=Span(at, at + len(printed)), printed=printed, **changes
    )
    chunk = replace(table_chunk(), text=text, span=Span(0, len(text)), evidence=(evidence,))
    return evidence, ChunkReading(chunk)


def test_prose_is_keyed_only_where_its_sentence_holds_one_figure() -> None:
    one = key_of(*prose("Net sales were $5,127 million.", "5,127"))
    two = key_of(*prose("Net sales were $5,127 million and $4,800 million.", "5,127"))
    assert one is not None and (one.metric, one.segment) == ("revenue", "")
    assert two is None


def cell(row_label: str, text: str = "5,127") -> ClaimUnit:
    return ClaimUnit(UnitKind.CELL, text, Span(0, len(text)), OffsetMap(), row_label=row_label)


def test_a_row_label_names_the_metric_that_its_sentence_names_among_several() -> None:
    text = "Net sales were $5,127 million and operating income was $938 million."
    evidence, reading = prose(text, "5,127")
    assert key_of(evidence, reading) is None
    named = key_of(evidence, reading, cell("Net sales"))
    assert named is not None and named.metric == "revenue"
    assert key_of(evidence, reading, cell("Remarks")) is None
    assert key_of(evidence, reading) is None


def test_an_interval_is_half_a_printed_unit_each_way() -> None:
    page = parse_page(page_text("Net sales were $5,127 million in FY2025[^c1].", [source()]), "issuers/alpha.md")
    (found,) = claims_of_page(page, OneChunk(table_chunk()))
    assert (found.low, found.high) == (Decimal("5126500000"), Decimal("5127500000"))
    assert (found.value, found.source_id, found.chunk_id, found.known_at) == ("5,127", "c1", "k1", NOW)


def test_a_claim_stands_where_the_page_first_states_it() -> None:
    body = "Net sales were $5,127 million[^c1].\n\nIn FY2025 net sales were $5,127 million[^c1]."
    parsed = parse_page(page_text(body, [source()]), "issuers/alpha.md")
    page = claims_with_places(parsed, OneChunk(table_chunk()))
    (found,) = page.claims
    place = page.places[found.claim_id]
    assert place.of(parsed.text) == "$5,127 million"
    assert place.start == parsed.text.index("$5,127 million")


def test_each_figure_of_a_page_has_its_own_place() -> None:
    body = "Net sales were $5,127 million in FY2025[^c1].\n\nNet sales were $4,800 million in FY2024[^c2]."
    parsed = parse_page(page_text(body, [source(), source("c2", column="FY2024")]), "issuers/alpha.md")
    page = claims_with_places(parsed, OneChunk(table_chunk()))
    assert [page.places[c.claim_id].of(parsed.text) for c in page.claims] == ["$5,127 million", "$4,800 million"]


def test_a_bare_citation_is_keyed_by_its_evidence() -> None:
    text = page_text("Net sales were $5,127 million in FY2025[^c1].", [source(locator=None)])
    (bare,) = claims_of_page(parse_page(text, "issuers/alpha.md"), OneChunk(table_chunk()))
    text = page_text("Net sales were $5,127 million in FY2025[^c1].", [source()])
    (located,) = claims_of_page(parse_page(text, "issuers/alpha.md"), OneChunk(table_chunk()))
    assert bare.key == located.key and bare.claim_id != located.claim_id


def test_a_claims_id_does_not_move_with_its_chunk() -> None:
    chunk = table_chunk()
    moved = replace(
        chunk,
        span=Span(500, 500 + len(chunk.text)),
        evidence=tuple(replace(e, span=e.span.shifted(500)) for e in chunk.evidence),
    )
    page = parse_page(page_text("Net sales were $5,127 million in FY2025[^c1].", [source()]), "issuers/alpha.md")
    before, after = (claims_of_page(page, OneChunk(c))[0] for c in (chunk, moved))
    assert before.claim_id == after.claim_id


def test_an_id_is_twenty_characters_and_differs_by_every_part() -> None:
    key = ClaimKey("alpha", "revenue", FY2025)
    keys = [
        key,
        replace(key, period=None),
        replace(key, period=replace(FY2025, start=None)),
        replace(key, currency="USD"),
        replace(key, basis=Basis.GAAP),
        replace(key, asserter="x"),
        replace(key, as_of="2026-01-01"),
        replace(key, period=Period(date(2024, 12, 31), FY2025.start)),
    ]
    ids = {claim_id_of("issuers/alpha", k, "k1", "row") for k in keys}
    ids |= {claim_id_of("issuers/alpha", key, "k2", "row"), claim_id_of("issuers/alpha", key, "k1", "cell")}
    assert len(ids) == len(keys) + 2 and {len(i) for i in ids} == {20}


def facts(text: str, row_label: str = "", exempt: str = "", marked: bool = True) -> tuple[Claim, ...]:
    marks = (CitationMark("c1", len(text), Span(0, 0)),) if marked else ()
    unit = ClaimUnit(
        UnitKind.SENTENCE, text, Span(0, len(text)), OffsetMap(), marks, row_label=row_label, exempt=exempt
    )
    binder = Binder([source()], ChunkReader(OneChunk(table_chunk())))
    return facts_of("issuers/alpha", [unit, unit], binder)


def test_a_stated_fact_is_a_claim_without_period() -> None:
    (fact,) = facts("CEO: Jane Doe.")
    assert (fact.key.metric, fact.value, fact.key.period, fact.key.as_of) == ("chief_executive", "Jane Doe", None, "")
    assert (fact.low, fact.high, fact.key.unit, fact.key.asserter) == (None, None, Unit.LABEL, "Alpha Inc.")
    assert (fact.concept_id, fact.source_id, fact.chunk_id) == ("issuers/alpha", "c1", "k1")
    (row,) = facts("Jane Doe", row_label=" CEO ")
    assert row.claim_id == fact.claim_id


def test_a_fact_is_about_the_chunks_company_or_else_the_page() -> None:
    unit = ClaimUnit(
        UnitKind.SENTENCE, "CEO: Jane Doe", Span(0, 13), OffsetMap(), (CitationMark("c1", 13, Span(0, 0)),)
    )
    about = []
    for entity in ("issuers/beta", None):
        reader = ChunkReader(OneChunk(replace(table_chunk(), entity=entity)))
        about += [fact.key.entity for fact in facts_of("issuers/alpha", [unit], Binder([source()], reader))]
    assert about == ["issuers/beta", "issuers/alpha"]


def test_an_opinion_is_dated() -> None:
    (rating,) = facts("Rating: Buy")
    assert (rating.key.metric, rating.key.as_of) == ("rating", NOW.date().isoformat())


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("Jane Doe runs it", {}),
        ("Colour: Blue", {}),
        ("CEO: Jane Doe", {"exempt": "citations"}),
        ("CEO: Jane Doe", {"marked": False}),
        ("Phase: 3", {}),
        (" ", {"row_label": "CEO"}),
    ],
)
def test_what_is_no_fact(text: str, changes: dict[str, object]) -> None:
    assert facts(text, **changes) == ()  # type: ignore[arg-type]


def test_a_fact_needs_a_source_of_the_page_and_a_stored_chunk() -> None:
    unit = ClaimUnit(
        UnitKind.SENTENCE, "CEO: Jane Doe", Span(0, 13), OffsetMap(), (CitationMark("c1", 13, Span(0, 0)),)
    )
    reader = ChunkReader(OneChunk(table_chunk()))
    assert facts_of("issuers/alpha", [unit], Binder([], reader)) == ()
    assert facts_of("issuers/alpha", [unit], Binder([source(chunk="k9")], reader)) == ()
    plain = SourceEntry(id="c1", resource="/sources/alpha.md")
    assert facts_of("issuers/alpha", [unit], Binder([plain], reader)) == ()


@pytest.mark.parametrize(
    ("one", "two", "apart"),
    [
        (("1", "2"), ("2", "3"), False),
        (("1", "2"), ("2.1", "3"), True),
        (("2.1", "3"), ("1", "2"), True),
        (("2", "3"), ("1", "2"), False),
        (("1", "4"), ("2", "3"), False),
    ],
)
def test_intervals_that_do_not_meet_are_disjoint(one: tuple[str, str], two: tuple[str, str], apart: bool) -> None:
    assert disjoint(claim(*one), claim(*two)) is apart


def test_words_are_compared_without_case_and_space() -> None:
    assert not disjoint(claim(None, None, "Buy"), claim(None, None, " buy "))
    assert disjoint(claim(None, None, "Buy"), claim(None, None, "Sell"))
    for open_end in (("1", None), (None, "1")):
        assert not disjoint(claim(*open_end, "Buy"), claim("5", "6", "buy"))
        assert not disjoint(claim("5", "6", "Buy"), claim(*open_end, "buy"))


def test_the_narrowest_interval_is_the_most_precise() -> None:
    assert width(claim("1", "2.5")) == Decimal("1.5")
    assert width(claim(None, None)) == width(claim("1", None)) == width(claim(None, "1")) == 0
