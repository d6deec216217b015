"""Pages for tests of the graph."""

from datetime import UTC, datetime

from viska_assets.model.page import ConceptType, Frontmatter, Generated, Page, SourceEntry

MOMENT = datetime(2026, 1, 5, tzinfo=UTC)


def page(concept_id: str, body: str = "", cites: tuple[str, ...] = (), **values: object) -> Page:
    """A page by its id, its body, and the sources it cites."""
    sources = tuple(SourceEntry(id=f"c{n}", resource=path) for n, path in enumerate(cites))
    head = Frontmatter.model_validate(
        {
            "type": ConceptType.ISSUER,
            "title": concept_id.rpartition("/")[2].title(),
            "generated": Generated(by="viska/1", at=MOMENT),
            "timestamp": MOMENT,
            "sources": sources,
            **values,
        }
    )
    return Page(concept_id=concept_id, head=head, body=body)


def linked(concept_id: str, *targets: str, **values: object) -> Page:
    """A page that links to others."""
    return page(concept_id, " ".join(f"[x](/{target}.md)" for target in targets), **values)
