"""The router on its labelled questions, by halves that share no issuer, and under changes that change no meaning."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.conftest import REPOSITORY, pack
from viska_assets.query.library import Library, Reader
from viska_assets.query.results import Tier
from viska_assets.query.routing import route
from viska_assets.query.shapes import shape_of
from viska_assets.query.wording import Asking
from viska_assets.store.parity_gate import Gate

ROWS = [json.loads(line) for line in (REPOSITORY / "eval_sets/router/questions.jsonl").read_text("utf-8").splitlines()]
SHAPES = ("synthesis", "retrieval", "mixed")


def macro_f1(pairs: list[tuple[str, str]]) -> float:
    counts = Counter(pairs)
    scores = []
    for shape in SHAPES:
        right = counts[shape, shape]
        wrong = sum(n for (gold, said), n in counts.items() if (gold == shape) != (said == shape))
        scores.append(2 * right / (2 * right + wrong) if right or wrong else 1.0)
    return sum(scores) / len(scores)


def routed(split: str) -> list[tuple[str, str]]:
    return [(row["shape"], shape_of(row["question"]).tier.value) for row in ROWS if row["split"] == split]


def test_the_set_is_large_enough_and_its_halves_share_no_issuer() -> None:
    shapes = Counter(row["shape"] for row in ROWS)
    assert len(ROWS) >= 200
    assert all(
        abs(shapes[shape] / len(ROWS) - share) < 0.03 for shape, share in zip(SHAPES, (0.4, 0.4, 0.2), strict=True)
    )
    issuers = {split: {row["issuer"] for row in ROWS if row["split"] == split} for split in ("dev", "held-out")}
    assert not issuers["dev"] & issuers["held-out"]
    assert len({row["question"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("split", ["dev", "held-out"])
def test_macro_f1_is_at_least_093(split: str) -> None:
    assert macro_f1(routed(split)) >= 0.93


def test_no_question_for_a_number_goes_to_synthesis_alone() -> None:
    assert [row["question"] for row in ROWS if row["shape"] != "synthesis" and is_synthesis(row["question"])] == []


def test_no_public_question_for_a_number_goes_to_synthesis_alone() -> None:
    lines = (pack() / "questions.jsonl").read_text("utf-8").splitlines()
    assert [q for q in (json.loads(line)["question"] for line in lines) if is_synthesis(q)] == []


def is_synthesis(question: str) -> bool:
    return shape_of(question).tier is Tier.SYNTHESIS


CHANGES = {
    "upper case": str.upper,
    "lower case": str.lower,
    "no question mark": lambda text: text.rstrip("?."),
    "a question mark more": lambda text: text.rstrip("?.") + "??",
    "spaces": lambda text: "  " + text.replace(" ", "   "),
    "polite": lambda text: "Could you please tell me: " + text,
    "thanks": lambda text: text + " Thanks!",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_form_changes_no_tier(change: str) -> None:
    changed = [row["question"] for row in ROWS if tier(CHANGES[change](row["question"])) is not tier(row["question"])]
    assert changed == []


def test_a_ticker_for_a_name_changes_no_tier() -> None:
    pairs = (("Apple", "AAPL"), ("Amazon", "AMZN"), ("NVIDIA", "NVDA"), ("Microsoft", "MSFT"), ("Pfizer", "PFE"))
    named = [
        (row["question"], row["question"].replace(name, code))
        for row in ROWS
        for name, code in pairs
        if name in row["question"]
    ]
    assert len(named) > 40
    assert [question for question, coded in named if tier(question) is not tier(coded)] == []


def tier(question: str) -> Tier:
    return shape_of(question).tier


def test_any_text_has_a_shape() -> None:
    random.seed(7)
    letters = "aA0 ?!'\"$%&/()=\\[]{}<>|~…—😀\n\t\x00ß"
    for _ in range(300):
        assert shape_of("".join(random.choices(letters, k=random.randint(0, 200)))).tier in Tier
    assert shape_of("x" * 10_000).rule_id == "shape.tie"


@pytest.mark.database
def test_an_explicit_tier_overrides_and_says_so(reader: Reader) -> None:
    found = route(reader, Asking("What was Apple's revenue in fiscal 2024?"), Tier.SYNTHESIS)
    assert (found.tier, found.rule_id) == (Tier.SYNTHESIS, "explicit")
    assert "although" in found.notes[0]


@pytest.mark.database
def test_without_a_valid_pass_retrieval_answers_and_the_route_says_why(reader: Reader) -> None:
    found = route(reader, Asking("What is our thesis on Apple?"))
    assert (found.tier, found.rule_id) == (Tier.RETRIEVAL, "gate.closed")
    assert "retrieval answers" in found.reason


@pytest.mark.database
def test_the_flip_of_the_gate_is_all_that_a_rollback_needs(open_reader: Reader) -> None:
    question = Asking("What is our thesis on Apple?")
    assert route(open_reader, question).tier is Tier.SYNTHESIS
    closed = replace(open_reader, gate=lambda: Gate(False, "retrieval answers: rolled back"))
    assert route(closed, question).tier is Tier.RETRIEVAL
    assert route(open_reader, question).tier is Tier.SYNTHESIS


@pytest.mark.database
def test_a_missing_page_makes_it_mixed(open_reader: Reader) -> None:
    found = route(open_reader, Asking("What is our thesis on Carlsberg?"))
    assert (found.tier, found.rule_id) == (Tier.MIXED, "corpus.missing")


@pytest.mark.database
def test_a_stale_page_makes_it_mixed(open_reader: Reader) -> None:
    later = replace(open_reader, now=open_reader.now.replace(year=2026))
    found = route(later, Asking("What is our thesis on Apple?"))
    assert (found.tier, found.rule_id) == (Tier.MIXED, "corpus.stale")
    assert "stale since" in found.reason


@pytest.mark.database
def test_a_withheld_page_makes_it_mixed_and_is_not_opened(library: Library, open_reader: Reader) -> None:
    with library.home.database.transaction() as connection:
        connection.execute("UPDATE registry.page_version SET withheld = '{UNGROUNDED}' WHERE live AND type = 'Metric'")
        lint_withheld = replace(open_reader, connection=connection)
        found = route(lint_withheld, Asking("Give me an overview of the portfolio time-weighted return"))
        connection.rollback()
    assert (found.tier, found.rule_id) == (Tier.MIXED, "corpus.withheld")
    assert "metrics/portfolio-twr" in found.reason


@pytest.mark.database
def test_names_and_tickers_resolve_to_one_company(reader: Reader) -> None:
    for name in ("Apple", "AAPL", "apple inc.", "aapl"):
        assert route(reader, Asking(f"What is our thesis on {name}?")).entities == ("issuers/apple",)
    assert route(reader, Asking("Compare Procter and Gamble with Amazon")).entities == (
        "issuers/procter-and-gamble",
        "issuers/amazon-com",
    )
