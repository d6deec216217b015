import inspect
import re
from pathlib import Path

from viska_assets.lint.rules import RULES
from viska_assets.okf import form, head_reader
from viska_assets.okf.page import parse_page, render_page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_rules_is_the_registry() -> None:
    text = (DOCS / "lint.md").read_text("utf-8")
    rows = [f"| `{r.name}` | {r.severity.value} | {r.description.replace('``', '`')} |" for r in RULES]
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows


def test_every_code_of_form_is_explained() -> None:
    text = (DOCS / "pages.md").read_text("utf-8")
    source = inspect.getsource(form) + inspect.getsource(head_reader)
    codes = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+|TIMESTAMP)"', source))
    assert codes == set(re.findall(r"^\| `([A-Z_]+)` \|", text, re.MULTILINE))


def test_the_page_of_the_docs_is_one() -> None:
    text = (DOCS / "pages.md").read_text("utf-8")
    page = text.split("```markdown\n")[1].split("```\n")[0]
    parsed = parse_page(page, "issuers/nvidia.md")
    assert form.page_issues(parsed) == ()
    assert render_page(parsed.page) == page
