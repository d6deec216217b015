import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.okf.pages import EXAMPLE, head, page_text, pages
from viska_assets.model.page import CellLocator, Page, SourceEntry
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import parse_page, render_page


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pages)
def test_a_rendered_page_reads_back_as_itself(page: Page) -> None:
    lines = page.body.split("\n")
    assume(page.body == "" or (lines[0].strip() and lines[-1].strip()))
    try:
        text = render_page(page)
    except OkfError:
        assume(False)
    parsed = parse_page(text, page.path)
    assert parsed.page == page
    assert render_page(parsed.page) == text


def test_the_worked_example_survives_byte_for_byte() -> None:
    parsed = parse_page(EXAMPLE, "issuers/nvidia.md")
    assert render_page(parsed.page) == EXAMPLE
    assert parsed.page.body.endswith("$115,186 million[^c1] |")
    assert parsed.page.head.sources[0].locator == CellLocator(row="Data Center", column="Jan 26, 2025")
    assert EXAMPLE[parsed.foot_start :].startswith("# Citations")


def test_citations_and_footnotes_agree_with_the_sources() -> None:
    entries = tuple(SourceEntry(id=f"c{n}", resource=f"/sources/s{n}.md", title=f"S {n}") for n in range(1, 4))
    text = render_page(Page(concept_id="issuers/acme", head=head(sources=entries), body="# Acme"))
    for number, entry in enumerate(entries, start=1):
        assert f"[{number}] [{entry.title}]({entry.resource})" in text
        assert f"[^{entry.id}]: [{entry.title}]({entry.resource})" in text


@pytest.mark.parametrize(
    "body",
    ["# Acme\n\n```\nopen", "# Acme\n\n# Citations\n\n[1] x", "# Acme\n\n[^c1]: mine"],
    ids=["open fence", "own citations", "own definition"],
)
def test_a_body_that_would_not_read_back_is_refused(body: str) -> None:
    sources = (SourceEntry(id="c1", resource="/sources/s.md"),)
    with pytest.raises(OkfError):
        render_page(Page(concept_id="issuers/acme", head=head(sources=sources), body=body))


def test_a_hand_edited_page_with_carriage_returns_bom_and_no_last_newline_is_read() -> None:
    text = "\ufeff" + page_text("# Acme\n\nText.").replace("\n", "\r\n")
    parsed = parse_page(text, "issuers/acme.md")
    assert parsed.page.body == "# Acme\n\nText."
    assert parsed.head.has_bom


def test_a_page_that_ends_with_its_closing_line_has_an_empty_body() -> None:
    text = page_text("").rstrip("\n")
    assert parse_page(text, "issuers/acme.md").page.body == ""


def test_unknown_keys_survive_in_extra() -> None:
    text = page_text("# Acme\n", more="rating_scale: {min: 1, max: [5, 6]}\n", sources="")
    page = parse_page(text, "issuers/acme.md").page
    assert page.head.extra == {"rating_scale": {"min": "1", "max": ["5", "6"]}}
    assert 'rating_scale: {min: "1", max: ["5", "6"]}' in render_page(page)


def test_unknown_keys_of_a_source_survive() -> None:
    sources = "sources:\n  - {id: c1, resource: /sources/s.md, author: human:kli, usage_count: 12}\n"
    page = parse_page(page_text("# Acme\n", sources=sources), "issuers/acme.md").page
    assert page.head.sources[0].extra == {"author": "human:kli", "usage_count": "12"}
    assert parse_page(render_page(page), "issuers/acme.md").page == page


def test_a_bare_verified_mapping_is_a_list_of_one() -> None:
    more = 'verified: {by: "human:kli", at: "2026-02-01T00:00:00Z"}\n'
    assert parse_page(page_text("", more=more), "issuers/acme.md").page.head.verified[0].by == "human:kli"


def test_a_date_only_stale_after_is_a_remark_and_reads_as_absent_but_is_kept() -> None:
    parsed = parse_page(page_text("# Acme\n", more="stale_after: 2026-09-23\n"), "issuers/acme.md")
    assert parsed.page.head.stale_after is None
    assert [(remark.code, remark.line) for remark in parsed.remarks] == [("TIMESTAMP", 7)]
    assert 'stale_after: "2026-09-23"' in render_page(parsed.page)


def test_a_hand_written_foot_is_dropped_and_a_sentence_in_it_kept() -> None:
    sources = "sources:\n  - {id: c1, resource: /sources/s.md}\n"
    body = "# Acme\n\nFact.[^c1]\n\n# Citations\n\n[1] [Old title](/sources/s.md)\n\nMine.\n\n[^c1]: old\n"
    page = parse_page(page_text(body, sources=sources), "issuers/acme.md").page
    assert page.body == "# Acme\n\nFact.[^c1]\n\nMine."


@pytest.mark.parametrize(
    ("more", "message", "line"),
    [
        ("type: Fund\n", "occurs twice", 7),
        ("status: broken\n", "status", 7),
        ("sources: [plain]\n", "not a mapping", 7),
        ("sources:\n  - {id: c1, resource: /s.md, locator: {line: 4}}\n", "locator", 8),
        ("supersedes:\n  - {claim: k, by: c1, reason: whim}\n", "supersedes.0.reason", 8),
    ],
)
def test_what_does_not_fit_the_model_is_named_with_its_line(more: str, message: str, line: int) -> None:
    with pytest.raises(OkfError, match=message) as caught:
        parse_page(page_text("# Acme\n", more=more), "issuers/acme.md")
    assert (caught.value.path, caught.value.line) == ("issuers/acme.md", line)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(OkfError, match="type"):
        parse_page(page_text("", kind="Recipe"), "issuers/acme.md")
