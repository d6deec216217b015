"""The list of codes is closed, explained and documented."""

from pathlib import Path

from viska_assets.guardrail.code_texts import CODES, codes_as_markdown, explain
from viska_assets.guardrail.codes import Code

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "guardrail.md"


def test_each_code_is_explained_once() -> None:
    assert set(CODES) == set(Code)
    for code, info in CODES.items():
        assert info.says.endswith(".") and info.mend
        assert info.mend in explain(code)


def test_documentation_lists_the_codes() -> None:
    text = DOCUMENT.read_text("utf-8")
    inside = text.split("<!-- codes -->\n")[1].split("<!-- /codes -->")[0]
    assert inside == codes_as_markdown(), "write codes_as_markdown() between the marks"
