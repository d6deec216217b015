"""Thirteen claims about one small source: what a gate must accept and what it must refuse."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from cases import run_case

SOURCE = (
    "Total revenue was $100 million in FY2025, up 12.5% from $88.9 million in FY2024. Operating margin was 23.4%.\n"
    "| Segment | FY2025 revenue ($m) | FY2024 revenue ($m) |\n"
    "| Cloud | 61.2 | 48.0 |\n"
    "| Devices | 38.8 | 40.9 |\n"
    "Net loss was (4.2) million. Shares outstanding were 1,250,000."
)


@pytest.mark.parametrize(
    ("claim", "grounded"),
    [
        ("Revenue was $100 million.", True),
        ("Revenue was $999 million.", False),
        ("Revenue was $100 billion.", False),
        ("Revenue was $0.1 billion.", True),
        ("Cloud revenue was $38.8 million in FY2025.", False),
        ("Cloud revenue was $61.2 million in FY2025.", True),
        ("Cloud revenue was $48.0 million in FY2025.", False),
        ("Operating margin was about 23%.", True),
        ("There was a net loss of $4.2 million.", True),
        ("There was net income of $4.2 million.", False),
        ("There were 1.25 million shares outstanding.", True),
        ("Revenue grew 12.5%.", True),
        ("Revenue fell 12.5%.", False),
    ],
)
def test_probe(claim: str, grounded: bool) -> None:
    case = {"id": "probe", "text": claim, "source_text": SOURCE, "expect": "grounded" if grounded else "ungrounded"}
    outcome = run_case(case)
    assert outcome.passed, [(f.code, f.message) for f in outcome.verdict.findings]
