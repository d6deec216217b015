"""What the deterministic reasoner makes of figures: changes, restatements, missed guidance, and of nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from viska_assets.model.evidence import Evidence, Period, Scenario, Unit
from viska_assets.model.span import Span
from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.nous_rows import Candidate, ChunkRead, DocumentRead
from viska_assets.supervise.nous.fundamentals import fundamentals

POLICY = NousSection()
YEAR_2025 = Period(date(2025, 12, 31), date(2025, 1, 1))
YEAR_2024 = Period(date(2024, 12, 31), date(2024, 1, 1))


def document(
    number: int,
    rows: Sequence[tuple[str, Period, str]],
    *,
    entity: str | None = "issuers/acme",
    scenario: Scenario | None = None,
) -> DocumentRead:
    """A document of one table: a line a label, its figures in the order given."""
    text, figures = "", []
    for at, (label, period, printed) in enumerate(rows):
        text += f"| {label} | "
        start = len(text)
        text += f"{printed} |\n"
        figures.append(
            Evidence(
                f"c{number}",
                Span(start, start + len(printed)),
                printed,
                Decimal(printed),
                Decimal(1),
                Unit.MONEY,
                currency="USD",
                row_path=(label,),
                column_path=(f"{period.end.year}{'' if scenario is None else ' guidance'}",),
                cell=f"r{at + 1}c2",
                period=period,
                scenario=scenario,
            )
        )
    known = datetime(2026, number, 1, tzinfo=UTC)
    chunk = ChunkRead(f"c{number}", 0, 0, text, tuple(figures))
    return DocumentRead(f"d{number}", f"{number}.html", entity, "acme.example", known, (chunk,))


def found(*documents: DocumentRead) -> dict[str, Candidate]:
    return {candidate.kind: candidate for candidate in fundamentals(documents, POLICY)}


@pytest.mark.parametrize(("later", "change"), [("1200", "0.2000"), ("900", "-0.1000")])
def test_a_restated_figure_is_grave_takes_no_side_and_cites_both_documents(later: str, change: str) -> None:
    candidate = found(document(1, [("Revenue", YEAR_2025, "1000")]), document(2, [("Revenue", YEAR_2025, later)]))[
        "restated_figure"
    ]
    assert (candidate.direction, candidate.severity, candidate.payload["change"]) == ("neutral", "high", change)
    assert [citation["chunk_id"] for citation in candidate.citations] == ["c2", "c1"]
    assert candidate.payload["documents"] == ["d1", "d2"]


def test_a_figure_that_differs_by_its_last_digit_alone_is_not_restated() -> None:
    assert not found(document(1, [("Revenue", YEAR_2025, "1000")]), document(2, [("Revenue", YEAR_2025, "1001")]))


def test_what_another_issuer_another_year_or_another_document_of_no_date_says_restates_nothing() -> None:
    first = document(1, [("Revenue", YEAR_2025, "1000")])
    assert not found(first, document(2, [("Revenue", YEAR_2025, "1900")], entity="issuers/borea"))
    assert not found(first, document(2, [("Revenue", YEAR_2024, "1900")]))
    assert not found(first, replace(document(2, [("Revenue", YEAR_2025, "1900")]), known_at=None))


@pytest.mark.parametrize(("actual", "direction"), [("800", "short"), ("1300", "long")])
def test_an_actual_far_from_guidance_is_a_signal_in_its_own_direction(actual: str, direction: str) -> None:
    guided = document(1, [("Revenue", YEAR_2025, "1000")], scenario=Scenario.GUIDANCE)
    candidate = found(guided, document(2, [("Revenue", YEAR_2025, actual)]))["guidance_miss"]
    assert candidate.direction == direction
    assert (candidate.payload["newer"], candidate.payload["older"]) == (actual, "1000")


def test_guidance_that_was_met_or_that_another_issuer_gave_is_no_miss() -> None:
    guided = document(1, [("Revenue", YEAR_2025, "1000")], scenario=Scenario.GUIDANCE)
    assert not found(guided, document(2, [("Revenue", YEAR_2025, "1010")]))
    assert not found(guided, document(2, [("Revenue", YEAR_2025, "500")], entity="issuers/borea"))


def test_a_cost_that_rose_is_a_short_signal() -> None:
    guided = document(1, [("Cost of revenue", YEAR_2025, "1000")], scenario=Scenario.GUIDANCE)
    assert found(guided, document(2, [("Cost of revenue", YEAR_2025, "1500")]))["guidance_miss"].direction == "short"


def test_a_document_about_nobody_proposes_nothing() -> None:
    assert not found(
        document(1, [("Revenue", YEAR_2025, "1000")], entity=None),
        document(2, [("Revenue", YEAR_2025, "1900")], entity=None),
    )
