from pathlib import Path

import pytest

from tests.shared_data import shared_data
from viska_assets.okf.conformance import check_bundle, is_conformant
from viska_assets.okf.issue import Issue, Level

PAGE = "---\ntype: Table\ntitle: T\ndescription: D.\n---\n# T\n"


def check(**files: str) -> list[tuple[str, Level]]:
    named = {path.replace("__", "/") + ".md": text for path, text in files.items()}
    return [(issue.code, issue.level) for issue in check_bundle(named)]


def read_bundle(folder: Path) -> tuple[dict[str, str], set[str]]:
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    pages = {name: path.read_text("utf-8") for name, path in files.items() if name.endswith(".md")}
    return pages, set(files) - set(pages)


@pytest.mark.parametrize("name", ["acme_retail", "crypto_bitcoin", "ga4", "stackoverflow"])
def test_googles_sample_bundles_are_conformant(name: str) -> None:
    issues = check_bundle(*read_bundle(shared_data("okf_bundles", name)))
    assert is_conformant(issues), [issue for issue in issues if issue.level is Level.ERROR]


def test_googles_known_oddities_are_warnings() -> None:
    stackoverflow = check_bundle(*read_bundle(shared_data("okf_bundles", "stackoverflow")))
    dangling = {issue.path for issue in stackoverflow if issue.code == "DANGLING_FOOTNOTE"}
    assert {"tables/posts_questions.md", "tables/votes.md"} <= dangling
    assert len(dangling) == 11
    acme = check_bundle(*read_bundle(shared_data("okf_bundles", "acme_retail")))
    assert [issue.path for issue in acme if issue.code == "LOG_FRONTMATTER"] == ["log.md"]
    assert not [issue for issue in acme if issue.code == "INDEX_BROKEN_ENTRY"]


def test_a_readme_without_frontmatter_breaks_c1_and_is_named() -> None:
    issues = check_bundle(
        {"README.md": "# Hello\n", "index.md": '---\nokf_version: "0.2"\n---\n# A\n\n* [R](README.md) - x\n'}
    )
    assert [(issue.path, issue.code) for issue in issues if issue.level is Level.ERROR] == [("README.md", "C1")]


@pytest.mark.parametrize("kind", ["", "type:\n", 'type: ""\n', "type: null\n", "type: ~\n", "type: [a]\n"])
def test_an_absent_type_breaks_c2(kind: str) -> None:
    assert ("C2", Level.ERROR) in check(a=f"---\n{kind}title: T\n---\n")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("index", "---\ntitle: x\n---\n# A\n\n* [a](a.md) - x\n", "INDEX_FRONTMATTER"),
        ("sub__index", '---\nokf_version: "0.2"\n---\n# A\n\n* [a](a.md) - x\n', "INDEX_FRONTMATTER"),
        ("index", "# A\n\nNothing here.\n", "INDEX_EMPTY"),
        ("log", "# L\n\n## [2026-04-02] ingest | X\n\n* y\n", "LOG_HEADING"),
        ("log", "# L\n\n## 2026-02-30\n\n* y\n", "LOG_HEADING"),
        ("log", "# L\n\n## 2026-01-01\n\n* y\n\n## 2026-01-02\n\n* z\n", "LOG_ORDER"),
    ],
)
def test_a_malformed_index_or_log_breaks_c3(name: str, text: str, code: str) -> None:
    assert (code, Level.ERROR) in check(**{name: text})


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("log", "---\ntype: Log\n---\n# L\n\n## 2026-01-01\n\n- y\n", "LOG_FRONTMATTER"),
        ("log", "# L\n\n## 2026-06-19\n\n* y\n\n## 2026-06-19\n\n* z\n", "LOG_REPEATED_DAY"),
        ("index", "# A\n\n- [a](a.md) - x\n", "INDEX_BULLET"),
        ("index", "* [a](a.md) - x\n", "INDEX_NO_HEADING"),
        ("index", "# A\n\n* [a](a.md)\n", "INDEX_NO_DESCRIPTION"),
        ("index", "# A\n\n* [b](b.md) - x\n", "INDEX_BROKEN_ENTRY"),
        ("index", "# A\n\n* [b](sub/) - x\n", "INDEX_MISSING_PAGE"),
        ("index", "# A\n\n* [a](a.md) - other\n", "INDEX_DESCRIPTION"),
        ("x", PAGE + "\n[b](/b.md)\n", "BROKEN_LINK"),
        ("x", PAGE + "\n[b](../../b.md)\n", "LINK_OUTSIDE"),
        ("x", PAGE + "\nfact[^1]\n", "DANGLING_FOOTNOTE"),
        ("x", PAGE.replace("---\n#", "stale_after: 2026-09-23\n---\n#"), "TIMESTAMP"),
        ("x", PAGE.replace("---\n#", "status: fresh\n---\n#"), "STATUS"),
        ("x", PAGE.replace("---\n#", "generated: {at: x}\n---\n#"), "GENERATED"),
        ("x", PAGE.replace("---\n#", "sources: [{id: a}]\n---\n#"), "SOURCE_RESOURCE"),
        ("x", PAGE.replace("---\n#", "a: &b c\nd: *b\n---\n#"), "STRICT_YAML"),
        ("x", "---\ntype: T\n---\n", "MISSING_KEY"),
        ("a b", PAGE, "UNPORTABLE_PATH"),
    ],
)
def test_everything_else_is_a_warning(name: str, text: str, code: str) -> None:
    files = {"a": PAGE, "sub__c": PAGE, name: text}
    found = check(**files)
    assert (code, Level.WARNING) in found
    assert all(level is Level.WARNING for _, level in found)


def test_an_index_that_opens_with_a_thematic_break_has_no_frontmatter() -> None:
    assert not [code for code, _ in check(a=PAGE, index="---\n# Index\n\n* [a](a.md) - D.\n") if "FRONT" in code]


def test_bom_carriage_returns_and_a_closing_line_at_the_end_are_read() -> None:
    text = "\ufeff---\r\ntype: T\r\ntitle: x\r\ndescription: y\r\n---"
    assert check(a=text) == []


def test_an_unknown_type_and_unknown_keys_are_welcome() -> None:
    assert check(a=PAGE.replace("type: Table", "type: Recipe\nspice: {heat: 3}")) == []


def test_links_to_folders_fragments_and_other_files_exist() -> None:
    body = "\n[a](/sub/) [b](sub/index.md) [c](#x) [d](/p.py) [e](https://example.org)\n"
    files = {"a.md": PAGE + body, "sub/index.md": "# S\n\n* [c](c.md) - D.\n", "sub/c.md": PAGE}
    issues: list[Issue] = [issue for issue in check_bundle(files, {"p.py"}) if issue.code == "BROKEN_LINK"]
    assert issues == []
