"""P3 on claims alone: what contradicts, what supersedes, what only disagrees."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from support import FY2024, FY2025, NOW, Bundle, table_chunk

from viska_assets.guardrail.contradiction import PageClaims, check_contradictions
from viska_assets.guardrail.findings import Desk
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Basis, Scenario, Unit
from viska_assets.model.page import Supersession
from viska_assets.model.span import Span
from viska_assets.model.verdict import Finding
from viska_assets.model.views import CitedChunk

LATER = NOW + timedelta(days=90)
KEY = ClaimKey(
    "issuers/alpha", "revenue", FY2025, basis=Basis.GAAP, asserter="Alpha Inc.", currency="USD", unit=Unit.MONEY
)
PAGE = "line one\nline two\nline three\n"


def claim(claim_id: str, number: int = 5, **changes: object) -> Claim:
    half = Decimal("0.5")
    made = Claim(claim_id, "issuers/alpha", KEY, number - half, number + half, str(number), "c1", "k1", NOW)
    return replace(made, **changes)  # type: ignore[arg-type]


def check(
    claims: Sequence[Claim],
    accepted: Sequence[Claim] = (),
    supersedes: Sequence[Supersession] = (),
    chunks: Sequence[CitedChunk] = (),
    places: Sequence[Span] = (),
) -> list[Finding]:
    page = PageClaims(tuple(claims), {c.claim_id: Span(9 * n, 9 * n + 4) for n, c in enumerate(claims)})
    desk = Desk.of("issuers/alpha.md", PAGE)
    readings = [ChunkReading(chunk) for chunk in chunks]
    return list(check_contradictions(page, supersedes, Bundle(list(accepted)), desk, readings, places))


def codes(*arguments: object, **named: object) -> list[str]:
    return [finding.code for finding in check(*arguments, **named)]  # type: ignore[arg-type]


def entry(target: str = "old", by: str = "c1", reason: str = "restatement") -> Supersession:
    return Supersession(claim=target, by=by, reason=reason)  # type: ignore[arg-type]


def test_another_value_of_an_accepted_key_contradicts() -> None:
    (finding,) = check([claim("new", 5)], [claim("old", 9)])
    assert (finding.code, finding.line, finding.figure, finding.cited) == ("CONTRADICTION", 1, "5", "c1")
    assert "old" in finding.hint and "9" in finding.message


def test_each_contradiction_stands_at_its_own_claim() -> None:
    other = replace(KEY, period=FY2024)
    found = check([claim("a", 5), claim("b", 6, key=other)], [claim("old a", 9), claim("old b", 9, key=other)])
    assert [(f.line, f.figure) for f in found] == [(1, "5"), (2, "6")]


@pytest.mark.parametrize(
    "accepted",
    [
        claim("old", 5),
        claim("old", 6),
        claim("old", 4),
        claim("old", 9, superseded_by="newer"),
        claim("old", 9, key=replace(KEY, period=FY2024)),
        claim("old", 9, key=replace(KEY, scenario=Scenario.GUIDANCE)),
        claim("new", 9),
    ],
)
def test_intervals_that_meet_other_keys_and_settled_claims_stand(accepted: Claim) -> None:
    assert codes([claim("new", 5)], [accepted]) == []


def test_every_accepted_rival_is_reported() -> None:
    settled = claim("settled", 9, superseded_by="x")
    assert codes([claim("new", 5)], [settled, claim("one", 9), claim("two", 8)]) == ["CONTRADICTION"] * 2


def test_two_values_of_one_moment_contradict_on_both_lines() -> None:
    found = check([claim("a", 5), claim("b", 9)])
    assert [(f.code, f.line) for f in found] == [("CONTRADICTION", 1), ("CONTRADICTION", 2)]
    undated = check([claim("a", 5, known_at=None), claim("b", 9)])
    assert [f.line for f in undated] == [1, 2]
    assert codes([claim("a", 5), claim("b", 5)]) == []


def test_the_later_of_two_values_carries_the_contradiction() -> None:
    older, newer = claim("old", 9), claim("new", 5, known_at=LATER, source_id="c2")
    (finding,) = check([older, newer])
    assert (finding.line, finding.figure) == (2, "5")
    assert codes([older, newer], supersedes=[entry(by="c2")]) == []


def test_a_declared_restatement_frees_only_its_target() -> None:
    newer = claim("new", 5, known_at=LATER)
    assert codes([newer], [claim("old", 9)], [entry()]) == []
    elsewhere = claim("other", 9, chunk_id="k2")
    assert codes([newer], [claim("old", 9), elsewhere], [entry()]) == ["CONTRADICTION"]


def test_what_is_superseded_on_one_page_is_superseded_wherever_the_passage_is_cited() -> None:
    newer = claim("new", 5, known_at=LATER, source_id="c2", chunk_id="k2")
    elsewhere = claim("event", 9, concept_id="events/filing")
    assert codes([newer], [claim("old", 9), elsewhere], [entry(by="c2")]) == []
    restated = claim("old", 9, superseded_by="new")
    assert codes([elsewhere], [restated, newer]) == []
    assert codes([claim("event", 9, chunk_id="k3")], [restated, newer]) == ["CONTRADICTION"]
    assert codes([claim("event", 7)], [restated, newer]) == ["CONTRADICTION"]


def test_a_restatement_is_recognised_by_time_and_scenario() -> None:
    (restated,) = check([claim("new", 5, known_at=LATER)], [claim("old", 9)])
    (same_time,) = check([claim("new", 5)], [claim("old", 9)])
    guided = replace(KEY, scenario=Scenario.GUIDANCE)
    (guidance,) = check([claim("new", 5, known_at=LATER, key=guided)], [claim("old", 9, key=guided)])
    assert ["(restatement)" in f.hint for f in (restated, same_time, guidance)] == [True, False, False]


def test_another_asserter_only_disagrees() -> None:
    house = replace(KEY, asserter="House")
    (finding,) = check([claim("new", 5)], [claim("theirs", 9, key=house)])
    assert (finding.code, finding.line, finding.severity.value) == ("DISAGREEMENT", 1, "warning")
    assert finding.message == "House says 9, Alpha Inc. says 5"
    assert codes([claim("new", 5)], [claim("theirs", 5, key=house)]) == []
    assert codes([claim("new", 5)], [claim("theirs", 9, key=house, superseded_by="x")]) == []


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([entry("unknown")], "SUPERSEDES_UNKNOWN"),
        ([entry(by="c9")], "SUPERSEDES_UNKNOWN"),
        ([entry("elsewhere")], "SUPERSEDES_OTHER_KEY"),
        ([entry("same time", reason="revision")], "SUPERSEDES_NOT_NEWER"),
        ([entry("future")], "SUPERSEDES_NOT_NEWER"),
        ([entry("undated")], "SUPERSEDES_NOT_NEWER"),
    ],
)
def test_a_supersession_must_hold(entries: list[Supersession], expected: str) -> None:
    accepted = [
        claim("old", 5),
        claim("elsewhere", 5, key=replace(KEY, metric="ebitda")),
        claim("same time", 5, known_at=LATER),
        claim("future", 5, known_at=LATER + timedelta(days=1)),
        claim("undated", 5, known_at=None),
    ]
    assert codes([claim("new", 5, known_at=LATER)], accepted, entries) == [expected]
    assert codes([claim("new", 5, known_at=LATER)], accepted, [entry()]) == []


def test_a_correction_may_be_of_the_same_moment() -> None:
    assert codes([claim("new", 5)], [claim("old", 9)], [entry(reason="correction")]) == []


def test_every_entry_is_checked_at_its_own_place() -> None:
    places = [Span(9, 9), Span(18, 18)]
    found = check([claim("new", 5)], [], [entry("one"), entry("two"), entry("three")], places=places)
    assert [f.line for f in found] == [2, 3, 1]
    good = entry()
    mixed = check([claim("new", 5, known_at=LATER)], [claim("old", 9)], [entry("x"), good, entry("y")])
    assert [f.code for f in mixed] == ["SUPERSEDES_UNKNOWN"] * 2


def test_an_opinion_may_supersede_its_earlier_date() -> None:
    dated = [replace(KEY, metric="rating", as_of=day) for day in ("2026-01-01", "2026-05-01")]
    older, newer = claim("old", 9, key=dated[0]), claim("new", 5, key=dated[1], known_at=LATER)
    assert codes([newer], [older], [entry()]) == []


def chain(*links: str) -> list[Claim]:
    """Accepted claims of which each names the next as what supersedes it."""
    claims = [claim(one, 5, superseded_by=two) for one, two in pairwise(links)]
    return [*claims, claim(links[-1], 5)] if links[-1] not in links[:-1] else claims


@pytest.mark.parametrize(
    ("accepted", "circle"),
    [
        (chain("old", "mid", "new"), False),
        (chain("old", "mid", "old"), True),
        (chain("old", "mid", "top", "mid"), True),
        (chain("old", "old"), True),
        ([claim("old", 5, superseded_by="gone")], False),
    ],
)
def test_a_chain_of_supersessions_has_no_circle(accepted: list[Claim], circle: bool) -> None:
    found = codes([claim("newest", 5, known_at=LATER)], accepted, [entry()])
    assert found == (["SUPERSEDES_CYCLE"] if circle else [])


def test_a_claim_cannot_supersede_itself() -> None:
    assert "SUPERSEDES_CYCLE" in codes([claim("old", 5, known_at=LATER)], [claim("old", 9)], [entry()])


def money(value: str, scenario: Scenario = Scenario.ACTUAL) -> Claim:
    number, half = Decimal(value) * 10**6, Decimal(500_000)
    return claim("new", low=number - half, high=number + half, value=value, key=replace(KEY, scenario=scenario))


def test_cited_chunks_that_print_another_number_are_shown() -> None:
    (finding,) = check([money("5000")], chunks=[table_chunk()])
    assert (finding.code, finding.line, finding.severity.value) == ("EVIDENCE_NOT_UNANIMOUS", 1, "warning")
    assert "5,127" in finding.message and "4,800" not in finding.message
    assert codes([money("9000")], chunks=[table_chunk()]) == ["EVIDENCE_NOT_UNANIMOUS"]


@pytest.mark.parametrize("value", ["5126", "5127", "5128"])
def test_evidence_whose_interval_meets_the_claim_is_unanimous(value: str) -> None:
    assert codes([money(value)], chunks=[table_chunk()]) == []


@pytest.mark.parametrize("value", ["5125", "5129"])
def test_evidence_counts_for_half_a_printed_unit_and_no_more(value: str) -> None:
    assert codes([money(value)], chunks=[table_chunk()]) == ["EVIDENCE_NOT_UNANIMOUS"]


def test_evidence_of_another_key_period_or_place_does_not_count() -> None:
    assert codes([money("5000", Scenario.GUIDANCE)], chunks=[table_chunk()]) == []
    chunk = table_chunk()
    prose = replace(chunk, evidence=tuple(replace(e, row_path=(), cell="B2") for e in chunk.evidence))
    undated = replace(chunk, evidence=tuple(replace(e, period=None) for e in chunk.evidence))
    assert codes([money("5000")], chunks=[prose]) == codes([money("5000")], chunks=[undated]) == []
    assert codes([claim("new", low=None, high=None, value="Buy")], chunks=[chunk]) == []


def test_every_claim_is_held_against_the_evidence() -> None:
    words = claim("words", low=None, high=None, value="Buy", key=replace(KEY, metric="rating"))
    assert codes([words, money("5000")], chunks=[table_chunk()]) == ["EVIDENCE_NOT_UNANIMOUS"]


@pytest.mark.parametrize(
    "label", ["Sales, general and administrative", "Selling, general and administrative", "Cost of sales"]
)
def test_overheads_are_no_other_reading_of_sales(label: str) -> None:
    chunk = table_chunk(rows={"Net sales": ("5,127", "4,800"), label: ("938", "900")})
    assert codes([money("5127")], chunks=[chunk]) == []
