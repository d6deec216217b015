"""Whatever the page, the gate answers with a verdict: generated pages and byte-mutated ones."""

# ruff: noqa: E501 (fragments of pages)
import os
import random
import time

from support import Bundle, Store, page_text, source, table_chunk

from viska_assets.guardrail.gate import judge
from viska_assets.guardrail.report import verdict_json
from viska_assets.model.page import Computation, SourceEntry

ROUNDS = int(os.environ.get("VISKA_FUZZ_ROUNDS", "300"))
SEED = int(os.environ.get("VISKA_FUZZ_SEED", "0"))
PAGE_CPU_SECONDS = 0.1
WORDS = (
    "Net sales were|fell|rose|$|€|5,127|(62)|12,34|million|bn|%|in FY2025|Q2|06/07/2026|about|over|to|-|–|[^c1]|[^d1]|[^zz]|[x](/a.md)|"
    "doubled|two-thirds|Phase 3|CIK 0000353278|Beta Corp|respectively|1.5:1|10-for-1|½|¹|\u200b|１２|l,234|\n\n|\n- |\n> |\n# |\n| a | b |\n| --- | --- |\n"
    "| Net sales | 5,127[^c1] |\n|<b>|`code 5`|**|_|~|\\|&amp;|[!judgement]|2012-13|per share|basis points|1 234 567|0.000001|9"
    + "9"
    * 40
).split("|")


def _judged(text: str) -> float:
    """CPU seconds of one verdict: the least of three where the first is slow, since a collection may fall into it."""
    seconds: list[float] = []
    while not seconds or (min(seconds) >= PAGE_CPU_SECONDS and len(seconds) < 3):
        store = Store({"k1": table_chunk()})
        start = time.process_time()
        verdict = judge(text, "issuers/alpha.md", Bundle(), store)
        seconds.append(time.process_time() - start)
        assert verdict_json(verdict)
    return min(seconds)


def _sources() -> list[SourceEntry]:
    computed = SourceEntry(
        id="d1", resource="computed", computation=Computation(expression="a - b", operands={"a": "c1", "b": "c2"})
    )
    return [source(), source("c2", column="FY2024"), computed]


def test_generated_pages_never_raise() -> None:
    generator = random.Random(11 + 1000 * SEED)
    slowest = 0.0
    for _ in range(ROUNDS):
        body = " ".join(generator.choice(WORDS) for _ in range(generator.randint(1, 60)))
        try:
            text = page_text(body, _sources())
        except ValueError:
            continue
        slowest = max(slowest, _judged(text))
    assert slowest < PAGE_CPU_SECONDS


def test_mutated_pages_never_raise() -> None:
    generator = random.Random(12 + 1000 * SEED)
    slowest = 0.0
    original = page_text("Net sales were $5,127 million in FY2025[^c1], up 6.8%[^d1].", _sources())
    for _ in range(max(30, ROUNDS // 10)):
        data = bytearray(original.encode())
        for _ in range(generator.randint(1, 8)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        slowest = max(slowest, _judged(data.decode("utf-8", "replace")))
    assert slowest < PAGE_CPU_SECONDS
