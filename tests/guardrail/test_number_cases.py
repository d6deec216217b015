"""The worked number cases, through reader, evidence, citation finder, page and gate."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from cases import load_cases, run_case  # noqa: E402

CASES = Path(os.environ.get("VISKA_NUMBER_CASES", ROOT.parent / "shared" / "number_cases.jsonl"))


def _cases() -> list[dict]:
    return load_cases(CASES) if CASES.is_file() else []


@pytest.mark.skipif(not CASES.is_file(), reason="no number cases: set VISKA_NUMBER_CASES to the file")
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_number_case(case: dict) -> None:
    outcome = run_case(case)
    assert outcome.passed, [(f.code, f.message) for f in outcome.verdict.findings]
