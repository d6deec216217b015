"""Eval sets: what fits the schema is read, what does not is named with its file and line."""

import json
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from viska_assets.parity.eval_set import EvalSetError, SourcedBy, read_eval_set

QUESTION = {
    "id": "q1",
    "question": "What was revenue?",
    "shape": "synthesis",
    "gold": {"kind": "number", "value": "1.10", "unit": "money", "currency": "USD"},
    "sourced_by": "analyst",
    "as_of": "2025-01-01",
}


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_the_shipped_set_is_read_and_says_that_it_is_synthetic() -> None:
    questions = read_eval_set(REPOSITORY / "eval_sets" / "demonstration.jsonl")
    assert len(questions) == 50
    assert {question.sourced_by for question in questions} == {SourcedBy.SYNTHETIC}
    assert {shape: sum(q.shape.value == shape for q in questions) for shape in ("synthesis", "retrieval", "mixed")} == {
        "synthesis": 20,
        "retrieval": 20,
        "mixed": 10,
    }


def test_a_number_keeps_its_printed_digits(tmp_path: Path) -> None:
    (question,) = read_eval_set(write(tmp_path / "set.jsonl", QUESTION, ""))
    assert str(question.gold.value) == "1.10"
    assert str(question.gold.quantum) == "0.01"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((QUESTION, "{"), r"set\.jsonl:2: no JSON object"),
        ((QUESTION | {"shape": "vague"},), r"set\.jsonl:1: 1 fields do not fit"),
        ((QUESTION | {"extra": 1},), r"set\.jsonl:1"),
        ((QUESTION | {"gold": {"kind": "text", "facts": []}},), r"set\.jsonl:1"),
        ((QUESTION, QUESTION), r"set\.jsonl:2: the id 'q1' occurs twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, lines: tuple[object, ...], said: str) -> None:
    with pytest.raises(EvalSetError, match=said):
        read_eval_set(write(tmp_path / "set.jsonl", *lines))
