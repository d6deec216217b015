"""The extractive drafter: who a document is about, then the deltas that its class calls for."""

from collections.abc import Sequence

from viska_assets.maintain.calculations.gathering import FEED
from viska_assets.maintain.extractive.calculations import draft_calculation
from viska_assets.maintain.extractive.events import draft_news
from viska_assets.maintain.extractive.filings import draft_filing
from viska_assets.maintain.extractive.holdings import draft_holdings, incomplete_rows, names_in_holdings
from viska_assets.maintain.extractive.notes import FiledFigure, draft_note
from viska_assets.maintain.extractive.sources import draft_source, source_concept, source_title
from viska_assets.maintain.extractive.view import DocumentClass, DocumentView, classify
from viska_assets.maintain.identity import AliasKind, AliasTable, aliases_of_cover, issuer_concept
from viska_assets.model.delta import ConceptDelta
from viska_assets.model.document import MediaType
from viska_assets.model.evidence import Unit
from viska_assets.model.views import CitedChunk
from viska_assets.store.chunks import document_chunks
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import (
    StoredDocument,
    add_incident,
    documents_by_id,
    feeds_of,
    filings_about,
    set_identity,
)
from viska_assets.store.registry import add_aliases, aliases, undrafted_documents

MOST_FILINGS_TO_TIE = 4


class ExtractiveDrafter:
    """Drafts from evidence and quotes alone: no model, no network, the same bytes every time."""

    name = "viska-extractive/1"

    def draft(self, connection: Connection, document_id: str) -> Sequence[ConceptDelta]:
        """The deltas of one document, its Source page first."""
        view = _view(connection, document_id)
        deltas = [draft_source(view)]
        match view.kind:
            case DocumentClass.FILING | DocumentClass.PRESS_RELEASE:
                deltas += draft_filing(view)
            case DocumentClass.BROKER_NOTE:
                deltas += draft_note(view, _filed_figures(connection, view))
            case DocumentClass.HOLDINGS:
                deltas += draft_holdings(view, AliasTable(aliases(connection)))
                for line in incomplete_rows(view.chunks):
                    detail = f"a position lacks a value, so no page was drafted from it: {line}"
                    add_incident(connection, "incomplete_position", detail, document_id=document_id)
            case DocumentClass.NEWS:
                deltas += draft_news(view)
            case DocumentClass.CALCULATION:
                deltas += draft_calculation(view)
            case _:
                pass
        return deltas


def identify_documents(database: Database, drafter: str) -> None:
    """Learns issuers from the new filings, then says of every new document what it is about.

    All filings of a batch are read before any note, so that the order of a batch's files does not matter.
    """
    with database.transaction() as connection:
        waiting = documents_by_id(connection, undrafted_documents(connection, drafter))
        table = AliasTable(aliases(connection))
        for stored in waiting:
            _learn(connection, stored, table)
        for stored in waiting:
            _identify(connection, stored, table)


def _learn(connection: Connection, stored: StoredDocument, table: AliasTable) -> None:
    """Takes the names on a filing's cover, or of the portfolio's positions, into the alias table."""
    if stored.media_type == MediaType.CSV.value:
        chunks = document_chunks(connection, stored.document_id)
        if classify(stored, chunks[0].text if chunks else "") is DocumentClass.HOLDINGS:
            for names in names_in_holdings(chunks):
                _learn_names(connection, stored, names, table)
    elif stored.cover.issuer and (stored.cover.cik or stored.cover.form):
        _learn_names(connection, stored, aliases_of_cover(stored.cover), table)


def _learn_names(
    connection: Connection, stored: StoredDocument, names: list[tuple[str, AliasKind]], table: AliasTable
) -> None:
    resolved = table.resolve(names)
    if resolved.conflict:
        add_incident(connection, "concept_conflict", resolved.conflict, document_id=stored.document_id)
        return
    name = next((alias for alias, kind in names if kind is AliasKind.NAME), None)
    if resolved.concept_id is None and name is None:
        return
    concept = resolved.concept_id or issuer_concept(name or "")
    table.learn(names, concept)
    add_aliases(connection, [(alias, kind.value, concept) for alias, kind in names], stored.document_id)


def _identify(connection: Connection, stored: StoredDocument, table: AliasTable) -> None:
    chunks = document_chunks(connection, stored.document_id)
    opening = "\n".join(chunk.text for chunk in chunks[:3])
    kind = _class_of(connection, stored, opening)
    resolved = table.resolve(aliases_of_cover(stored.cover))
    if resolved.concept_id is None and kind in (
        DocumentClass.BROKER_NOTE,
        DocumentClass.NEWS,
        DocumentClass.PRESS_RELEASE,
    ):
        resolved = table.mentioned(f"{stored.cover.title}\n{opening}")
        if resolved.concept_id is None:
            detail = resolved.conflict or "the document names no issuer that is known"
            add_incident(connection, "unresolved_issuer", detail, document_id=stored.document_id)
    concept = resolved.concept_id
    set_identity(
        connection,
        stored.document_id,
        entity=concept,
        names=table.names_of(concept) if concept else (),
        source_concept=source_concept(stored, kind),
    )


def _class_of(connection: Connection, stored: StoredDocument, opening: str) -> DocumentClass:
    """The class of a document; a calculation is what Viska itself delivered, whatever another file may say it is."""
    if FEED in feeds_of(connection, stored.document_id):
        return DocumentClass.CALCULATION
    return classify(stored, opening)


def _view(connection: Connection, document_id: str) -> DocumentView:
    stored = documents_by_id(connection, [document_id])[0]
    chunks = tuple(document_chunks(connection, document_id))
    kind = _class_of(connection, stored, "\n".join(chunk.text for chunk in chunks[:3]))
    return DocumentView(
        stored,
        chunks,
        kind,
        stored.source_concept,
        source_title(stored, kind),
        stored.entity,
    )


def _filed_figures(connection: Connection, view: DocumentView) -> list[FiledFigure]:
    """The money in the tables of the issuer's filings that were known when the note was written."""
    if view.issuer is None:
        return []
    found = []
    for filing in filings_about(connection, view.issuer, view.stored.known_at, limit=MOST_FILINGS_TO_TIE):
        chunks: list[CitedChunk] = document_chunks(connection, filing.document_id)
        title = source_title(filing, DocumentClass.FILING)
        found += [
            FiledFigure(chunk, evidence, title)
            for chunk in chunks
            if chunk.table
            for evidence in chunk.evidence
            if evidence.unit is Unit.MONEY
        ]
    return found
