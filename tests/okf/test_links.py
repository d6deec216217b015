import pytest

from tests.okf.pages import page_text
from viska_assets.okf.links import Reach, page_links, resolve, resource_target, source_targets
from viska_assets.okf.page import parse_page


@pytest.mark.parametrize(
    ("written", "reach", "path"),
    [
        ("/b.md", Reach.BUNDLE, "b.md"),
        ("../b/b.md", Reach.BUNDLE, "b/b.md"),
        ("./b.md", Reach.BUNDLE, "issuers/b.md"),
        ("b.md#key-figures", Reach.BUNDLE, "issuers/b.md"),
        ("/b.md?raw=1", Reach.BUNDLE, "b.md"),
        ("/a%20b.md", Reach.BUNDLE, "a b.md"),
        ("sub/", Reach.BUNDLE, "issuers/sub/"),
        ("..", Reach.BUNDLE, ""),
        ("#top", Reach.FRAGMENT, "issuers/acme.md"),
        ("../../etc/passwd", Reach.OUTSIDE, "../etc/passwd"),
        ("/../x.md", Reach.OUTSIDE, "../x.md"),
        ("%2e%2e/%2e%2e/x.md", Reach.OUTSIDE, "../x.md"),
        ("https://example.org/a.md", Reach.EXTERNAL, "https://example.org/a.md"),
        ("//example.org/a.md", Reach.EXTERNAL, "//example.org/a.md"),
        ("mailto:a@example.org", Reach.EXTERNAL, "mailto:a@example.org"),
        ("/attesters/sql_equality.py", Reach.BUNDLE, "attesters/sql_equality.py"),
    ],
)
def test_targets_resolve_as_okf_has_it(written: str, reach: Reach, path: str) -> None:
    target = resolve(written, "issuers/acme.md")
    assert (target.reach, target.path) == (reach, path)


def test_only_pages_have_a_concept_id() -> None:
    assert resolve("/issuers/b.md", "x.md").concept_id == "issuers/b"
    assert resolve("/issuers/index.md", "x.md").concept_id == ""
    assert resolve("/a.py", "x.md").concept_id == ""


def test_links_are_found_in_every_form_and_not_in_code() -> None:
    body = (
        '# Acme\n\n[B](/b.md) and [C](../c/c.md "note") and [D](</d e.md>) and [E][ref]\n\n'
        "```\n[X](/x.md)\n```\n\n`[Y](/y.md)`\n\n| [F](f.md) |\n| --- |\n| ![pic](/p.png) |\n\n[ref]: /e.md\n"
    )
    text = page_text(body)
    links = page_links(parse_page(text, "issuers/acme.md"))
    assert [(link.text, link.target.path) for link in links] == [
        ("B", "b.md"),
        ("C", "c/c.md"),
        ("D", "d e.md"),
        ("E", "e.md"),
        ("F", "issuers/f.md"),
        ("pic", "p.png"),
    ]
    assert links[1].title == "note"
    assert [link.span.of(text) for link in links][:2] == ["[B](/b.md)", '[C](../c/c.md "note")']
    assert links[-1].image


@pytest.mark.parametrize("resource", ["https://x.org/a.md", "computed from c1 and c2", "cik:0001045810", "Bloomberg"])
def test_urls_and_free_text_lead_nowhere(resource: str) -> None:
    assert resource_target(resource, "issuers/acme.md") is None


def test_source_entries_lead_to_their_pages() -> None:
    sources = "sources:\n  - {id: c1, resource: /sources/s.md}\n  - {id: d1, resource: computed from c1}\n"
    parsed = parse_page(page_text("", sources=sources), "issuers/acme.md")
    assert [(at, target.concept_id) for at, target in source_targets(parsed)] == [(0, "sources/s")]
