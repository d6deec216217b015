"""What every document adds: its Source page, a pointer with its standing and never its text."""

from viska_assets.maintain.extractive.view import UNAUTHENTICATED, DocumentClass, DocumentView
from viska_assets.maintain.identity import normalise_name
from viska_assets.model.delta import ConceptDelta, Section, SectionName, Statement
from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType
from viska_assets.okf.slugs import slugify
from viska_assets.store.documents import StoredDocument


def source_concept(stored: StoredDocument, kind: DocumentClass) -> str:
    """The id of a document's Source page: who, what, when, and six digits of its hash so that none collide."""
    who = normalise_name(stored.cover.issuer) if stored.cover.issuer else stored.name.rsplit(".", 1)[0]
    what = stored.cover.form or kind.value
    published = stored.cover.published_at or stored.cover.period_end
    day = published.isoformat()[:10] if published else "undated"
    return f"{FOLDER_OF_TYPE[ConceptType.SOURCE]}/{slugify(f'{who[:48]} {what} {day} {stored.document_id[:6]}')}"


def source_title(stored: StoredDocument, kind: DocumentClass) -> str:
    """How pages call a document: its own title, or its issuer and form, or its file name."""
    cover = stored.cover
    if cover.issuer and cover.form:
        return f"{cover.issuer} {cover.form}"
    return cover.title or stored.name


def draft_source(view: DocumentView) -> ConceptDelta:
    """The Source delta of a document."""
    stored = view.stored
    blocks = [Statement(text=f"[{view.issuer_name}](/{view.issuer}.md)")] if view.issuer else []
    if stored.authentication in UNAUTHENTICATED:
        blocks.append(
            Statement(
                text="> [!judgement]\n> The sender of this mail is not authenticated; read what it says with care.",
                bullet=False,
            )
        )
    facts = {
        "sha256": stored.document_id,
        "file": stored.name,
        "media_type": stored.media_type,
        "published": stored.cover.published_at.isoformat() if stored.cover.published_at else "",
        "known_at": stored.known_at.isoformat(),
        "authentication": stored.authentication,
        "asserter": stored.asserter,
        "form": stored.cover.form,
    }
    return ConceptDelta(
        concept_id=view.source_concept,
        type=ConceptType.SOURCE,
        title=view.title,
        description=f"{view.kind.value.capitalize()}, {stored.media_type}, kept as delivered.",
        document_id=stored.document_id,
        known_at=stored.known_at,
        resource=f"sha256:{stored.document_id}",
        tags=("unauthenticated",) if stored.authentication in UNAUTHENTICATED else (),
        facts={key: value for key, value in facts.items() if value},
        sections=(Section(name=SectionName.DOCUMENT, blocks=tuple(blocks)),),
    )
