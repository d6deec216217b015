"""The extractive drafter: who a document is about, then the deltas that its class calls for."""

from collections.abc import Sequence

from viska_assets.maintain.extractive.calculations import draft_calculation
from viska_assets.maintain.extractive.events import draft_news
from viska_assets.maintain.extractive.filings import draft_filing
from viska_assets.maintain.extractive.holdings import draft_holdings, incomplete_rows
from viska_assets.maintain.extractive.identification import OPENING_CHUNKS, class_of
from viska_assets.maintain.extractive.notes import FiledFigure, draft_note
from viska_assets.maintain.extractive.sources import draft_source, source_title
from viska_assets.maintain.extractive.view import DocumentClass, DocumentView
from viska_assets.maintain.identity import AliasTable
from viska_assets.model.delta import ConceptDelta
from viska_assets.model.evidence import Unit
from viska_assets.model.views import CitedChunk
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import document_chunks
from viska_assets.store.database import Connection
from viska_assets.store.documents import (
    add_incident,
    documents_by_id,
    filings_about,
)

MOST_FILINGS_TO_TIE = 4


class ExtractiveDrafter:
    """Drafts from evidence and quotes alone: no model, no network, the same bytes every time."""

    name = "viska-extractive/1"

    def draft(self, connection: Connection, document_id: str) -> Sequence[ConceptDelta]:
        """The deltas of one document, its Source page first."""
        return self.draft_view(connection, view_of(connection, document_id))

    def draft_view(self, connection: Connection, view: DocumentView) -> Sequence[ConceptDelta]:
        """The deltas of a document that has been read, its Source page first."""
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
                    add_incident(connection, "incomplete_position", detail, document_id=view.stored.document_id)
            case DocumentClass.NEWS:
                deltas += draft_news(view)
            case DocumentClass.CALCULATION:
                deltas += draft_calculation(view)
            case _:
                pass
        return deltas


def view_of(connection: Connection, document_id: str) -> DocumentView:
    """A document of the retrieval tier as drafters see it."""
    stored = documents_by_id(connection, [document_id])[0]
    chunks = tuple(document_chunks(connection, document_id))
    kind = class_of(connection, stored, "\n".join(chunk.text for chunk in chunks[:OPENING_CHUNKS]))
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
