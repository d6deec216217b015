"""Every requirement that docs/asking.md lists names tests that exist, and none is left out."""

import re

from tests.conftest import REPOSITORY

# All of the Q-numbers and bug cases of the asking side.
Q_NUMBERS = (
    *range(1, 6),
    *range(10, 16),
    *range(20, 24),
    *range(30, 35),
    *range(40, 46),
    *range(50, 56),
    *range(60, 66),
    *range(70, 74),
    *range(80, 86),
    *range(90, 97),
)
WANTED = {*(f"Q-{n:02}" for n in Q_NUMBERS), *(f"bug {n}" for n in range(1, 27))}
ROOMS = ("query", "mcp", "hermes", "graph", "retrieval", "parity", "maintain", "guardrail", "ingest", "ui")
ROW = re.compile(r"^\| (Q-\d+|bug \d+) \| (.*) \|$", re.MULTILINE)


def test_every_requirement_has_a_test_or_a_note() -> None:
    rows = dict(ROW.findall((REPOSITORY / "docs" / "asking.md").read_text("utf-8")))
    assert sorted(WANTED - rows.keys()) == []
    assert [name for name, what in rows.items() if "`test_" not in what and "note: " not in what] == []


def test_every_named_test_exists() -> None:
    text = (REPOSITORY / "docs" / "asking.md").read_text("utf-8")
    sources = "".join(p.read_text("utf-8") for room in ROOMS for p in (REPOSITORY / "tests" / room).glob("*.py"))
    named = set(re.findall(r"`(test_\w+)`", text))
    assert sorted(name for name in named if f"def {name}(" not in sources) == []
