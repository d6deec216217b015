"""What an Issuer page tells of a filing beyond its key figures: parts, guidance, change, and nothing else."""

from pathlib import Path

import pytest

from tests.maintain.conftest import Desk
from tests.maintain.filings import Report

pytestmark = pytest.mark.database

ROWS = {
    "Total revenues": {2024: 1350, 2023: 1200},
    "Cost of revenues": {2024: 780, 2023: 700},
    "Operating income": {2024: 352, 2023: 310},
    "Net income": {2024: 271, 2023: 240},
}
ISSUER = "issuers/acme-tools"


def page_of(desk: Desk, tmp_path: Path, **changes: object) -> str:
    assert desk.take([Report("Acme Tools Inc.", 2024, ROWS, **changes).write(tmp_path)]) == {}  # type: ignore[arg-type]
    return desk.body(ISSUER)


def test_the_parts_of_an_issuer_stand_under_segments_with_their_own_cells(desk: Desk, tmp_path: Path) -> None:
    body = page_of(
        desk, tmp_path, segments={"Hand Tools": {2024: 900, 2023: 820}, "Power Tools": {2024: 450, 2023: 380}}
    )
    assert "| Revenue by segment, annual | Year ended 2024-12-31 | Year ended 2023-12-31 |" in body
    assert "| Hand Tools | $900 million | $820 million |" in body
    assert "| Power Tools | $450 million | $380 million |" in body
    segments = {c.key.segment for c in desk.claims() if c.concept_id == ISSUER and c.key.segment}
    assert segments == {
        "us-gaap:StatementBusinessSegmentsAxis=a:HandToolsMember",
        "us-gaap:StatementBusinessSegmentsAxis=a:PowerToolsMember",
    }


def test_one_part_alone_is_no_segment_table(desk: Desk, tmp_path: Path) -> None:
    assert "## Segments" not in page_of(desk, tmp_path, segments={"Hand Tools": {2024: 900, 2023: 820}})


def test_the_change_on_the_prior_year_is_a_derivation_with_operands(desk: Desk, tmp_path: Path) -> None:
    assert "| Revenue | 12.5% |" in page_of(desk, tmp_path)
    assert 'expression: "(a - b) / b * 100"' in desk.page(ISSUER)


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("We expect revenue of approximately $1.5 billion for fiscal 2025.", True),
        ("Our outlook for operating income is $400 million.", True),
        ("We expect operating income to grow by 5% in fiscal 2023.", False),
        ("We expect to recognize revenue of $90 million in fiscal 2025 from remaining performance obligations.", False),
        ("Revenue was $1,350 million in fiscal 2024.", False),
        ("We expect our people to be kind in fiscal 2025.", False),
    ],
)
def test_guidance_is_a_verbatim_sentence_about_a_period_to_come(
    desk: Desk, tmp_path: Path, sentence: str, kept: bool
) -> None:
    body = page_of(desk, tmp_path, prose=sentence)
    assert (f"“{sentence}”" in body.replace("\\", "")) is kept
