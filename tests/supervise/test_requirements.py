"""Every numbered requirement has a test that exists, or a reason; and the page of the docs is as the code is."""

import ast
import re

from tests.conftest import REPOSITORY
from viska_assets.store.supervised.matrix import FUNCTIONS, Writer

NUMBERS = [*range(1, 21), *range(30, 43), *range(50, 61), *range(70, 79), *range(80, 100)]
PAGE = (REPOSITORY / "docs" / "supervise-requirements.md").read_text("utf-8")
ROW = re.compile(r"^\| (G\d{3}) \| (.+) \|$", re.MULTILINE)
STOPPING = ("viska_assets/supervise", "viska_assets/supervise/governance", "viska_assets/store/supervised")


def names_of_tests() -> set[str]:
    found: set[str] = set()
    for file in (REPOSITORY / "tests").rglob("test_*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        found |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return found


def test_every_requirement_has_a_test_or_a_reason() -> None:
    rows = ROW.findall(PAGE)
    assert [code for code, _ in rows] == [f"G{number:03}" for number in NUMBERS]
    there = names_of_tests()
    for code, text in rows:
        named = re.findall(r"`?(test_\w+)`?", text)
        assert named or text.startswith("later: "), code
        assert set(named) <= there, (code, set(named) - there)


def test_a_test_that_names_a_requirement_is_listed_with_it() -> None:
    rows = dict(ROW.findall(PAGE))
    for name in names_of_tests():
        for number in re.findall(r"(?:^test|_and)_g(\d{3})(?=_)", name):
            assert name in rows[f"G{number}"], name


def test_the_docs_name_every_writer_and_function() -> None:
    text = (REPOSITORY / "docs" / "supervise.md").read_text("utf-8")
    for writer in Writer:
        assert f"| {writer.value} |" in text
    quiet = {"audit.netstrings", "audit.canonical", "audit.write_kill", "review.content_sha256", "review.are_citations"}
    for function in set(FUNCTIONS) - quiet:
        assert f"`{function}`" in text, function


def test_g059_no_model_and_no_network_is_known_where_writers_are_stopped() -> None:
    for room in STOPPING:
        for file in (REPOSITORY / room).glob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                for name in names:
                    assert not name.startswith(
                        (
                            "viska_assets.engines",
                            "httpx",
                            "openai",
                            "llama_index",
                            "slack_sdk",
                            "urllib.request",
                            "http",
                        )
                    )
