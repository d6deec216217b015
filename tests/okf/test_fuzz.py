"""Pages damaged at random: whatever the bytes, the room answers with issues or with its own error, and in time."""

import os
import random
import time

from tests.okf.pages import EXAMPLE, page_text
from viska_assets.okf.claims import claim_units
from viska_assets.okf.conformance import check_bundle
from viska_assets.okf.errors import OkfError
from viska_assets.okf.form import page_issues
from viska_assets.okf.page import parse_page, render_page

ROUNDS = int(os.environ.get("VISKA_FUZZ_ROUNDS", "1500"))
RICH = page_text(
    "# Acme\n\n> [!judgement]\n> We *like* it.[^c1]\n\n1. one\n   * two\n\n```\ncode 5\n```\n\n<div>x</div>\n\n"
    "![p](https://example.org/p.png) [l](</a b.md> 't') &amp; `c` **b** [^c1][^c2]\n\n"
    "| a | b \\| c |\n|---|---|\n| 1 | 2 |\n",
    sources="sources:\n  - {id: c1, resource: /sources/s.md, locator: {quote: some words of it}}\n",
)
MARKUP = ["---\n", "[^", "](", "```\n", "* ", "> ", "# ", "[[", "))", "\r\n", *"|\n`&<{*_"]
PIECES = [*MARKUP, "\u200b", "\ufeff", "\x00"]


def damaged(rng: random.Random, text: str) -> str:
    kind = rng.randrange(4)
    if kind == 0:
        data = bytearray(text.encode())
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return data.decode("utf-8", "replace")
    if kind == 1:
        start = rng.randrange(len(text))
        return text[:start] + text[start + rng.randint(1, 60) :]
    if kind == 2:
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(PIECES) + text[at:]
        return text
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def test_damaged_pages_give_findings_and_nothing_else() -> None:
    rng = random.Random(20261130)
    slowest = 0.0
    for number in range(ROUNDS):
        text = damaged(rng, EXAMPLE if number % 2 else RICH)
        start = time.process_time()
        check_bundle({"issuers/nvidia.md": text, "index.md": text, "log.md": text})
        try:
            parsed = parse_page(text, "issuers/nvidia.md")
        except OkfError as error:
            assert error.message
            continue
        for unit in claim_units(parsed):
            assert 0 <= unit.span.start <= unit.span.end <= len(text)
            for mark in unit.marks:
                assert mark.span.end <= len(text)
        page_issues(parsed)
        try:
            again = render_page(parsed.page)
        except OkfError as error:
            assert error.message
        else:
            assert parse_page(again, "issuers/nvidia.md").page == parsed.page, text
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 0.1
