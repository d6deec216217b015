"""Every requirement that docs/asking.md lists names tests that exist, and none of the asking half is left out."""

import re

from tests.conftest import REPOSITORY

# The asking half of the requirements; the rest is Hermes search's.
WANTED = {
    *(f"Q-{n:02}" for n in (1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 44, 45, 80, 84, 85, *range(90, 97))),
    *(f"bug {n}" for n in (1, 2, 3, 4, 5, 9, 10, 11, 12, 15, 21, 22, 23, 24)),
}
ROW = re.compile(r"^\| (Q-\d+|bug \d+) \| (.*) \|$", re.MULTILINE)


def test_every_requirement_has_a_test_or_a_note() -> None:
    rows = dict(ROW.findall((REPOSITORY / "docs" / "asking.md").read_text("utf-8")))
    assert sorted(WANTED - rows.keys()) == []
    assert [name for name, what in rows.items() if "`test_" not in what and "note: " not in what] == []


def test_every_named_test_exists() -> None:
    text = (REPOSITORY / "docs" / "asking.md").read_text("utf-8")
    sources = "".join(
        p.read_text("utf-8") for room in ("query", "mcp") for p in (REPOSITORY / "tests" / room).glob("*.py")
    )
    named = set(re.findall(r"`(test_\w+)`", text))
    assert sorted(name for name in named if f"def {name}(" not in sources) == []
