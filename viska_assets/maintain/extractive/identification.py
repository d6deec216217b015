"""Who a document is about: names learned from covers, positions and the policy, and what they resolve to."""

from collections.abc import Iterable

from viska_assets.maintain.calculations.gathering import FEED
from viska_assets.maintain.extractive.holdings import names_in_holdings
from viska_assets.maintain.extractive.sources import source_concept
from viska_assets.maintain.extractive.view import DocumentClass, classify
from viska_assets.maintain.identity import (
    AliasKind,
    AliasTable,
    Resolved,
    aliases_of_cover,
    issuer_concept,
    normalise_name,
)
from viska_assets.model.document import MediaType
from viska_assets.store.aliases import add_aliases, aliases, set_aliases
from viska_assets.store.chunks import document_chunks, opening_texts
from viska_assets.store.database import Connection, Database
from viska_assets.store.documents import (
    StoredDocument,
    add_incident,
    documents_by_id,
    documents_of_no_issuer,
    feeds_of,
    set_identity,
)
from viska_assets.store.policy import Policy
from viska_assets.store.registry import forget_drafting, undrafted_documents

POLICY = "policy"
OPENING_CHUNKS = 3  # how much of a document is read to tell its class and whom it names
# Classes whose text says which issuer they are about, where no cover does.
TOLD_BY_TEXT = (DocumentClass.BROKER_NOTE, DocumentClass.NEWS, DocumentClass.PRESS_RELEASE)


def identify_documents(database: Database, drafter: str, policy: Policy) -> None:
    """Learns issuers from the policy and the new filings, then says of every new document what it is about.

    All filings of a batch are read before any note, so that the order of a batch's files does not matter; a document
    that named no known issuer is looked at again once new names are known.

    Args:
        database: holds documents and aliases.
        drafter: whose undrafted documents are new.
        policy: holds the names that the desk itself gives issuers; they win over learned ones.
    """
    with database.transaction() as connection:
        set_aliases(connection, _rows_of(policy), POLICY)
        waiting = documents_by_id(connection, undrafted_documents(connection, drafter))
        table = AliasTable(aliases(connection))
        known = len(table)
        for stored in waiting:
            _learn(connection, stored, table)
        for stored in waiting:
            identify(connection, stored, table)
        if len(table) > known:
            _identify_again(connection, table, {stored.document_id for stored in waiting})


def _rows_of(policy: Policy) -> Iterable[tuple[str, str, str]]:
    for concept, names in sorted(policy.issuers.items()):
        yield from ((normalise_name(name), AliasKind.NAME.value, concept) for name in names.names)
        yield from ((name, AliasKind.PRINTED.value, concept) for name in names.names)
        yield from ((ticker.upper(), AliasKind.TICKER.value, concept) for ticker in names.tickers)
        yield from ((isin.upper(), AliasKind.ISIN.value, concept) for isin in names.isin)
        yield from ((lei.upper(), AliasKind.LEI.value, concept) for lei in names.lei)
        yield from ((cik.lstrip("0"), AliasKind.CIK.value, concept) for cik in names.cik)


def _identify_again(connection: Connection, table: AliasTable, just_looked_at: set[str]) -> None:
    for stored in documents_of_no_issuer(connection):
        if stored.document_id in just_looked_at:
            continue
        kind, resolved = _look(connection, stored, table)
        if resolved.concept_id:
            _settle(connection, stored, table, kind, resolved)
            forget_drafting(connection, stored.document_id)


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


def identify(connection: Connection, stored: StoredDocument, table: AliasTable) -> str | None:
    """Says what a document is about, as far as the names tell; returns the concept."""
    kind, resolved = _look(connection, stored, table)
    if resolved.concept_id is None and resolved.conflict:
        add_incident(connection, "unresolved_issuer", resolved.conflict, document_id=stored.document_id)
    _settle(connection, stored, table, kind, resolved)
    return resolved.concept_id


def _settle(
    connection: Connection, stored: StoredDocument, table: AliasTable, kind: DocumentClass, resolved: Resolved
) -> None:
    concept = resolved.concept_id
    set_identity(
        connection,
        stored.document_id,
        entity=concept,
        names=table.names_of(concept) if concept else (),
        source_concept=source_concept(stored, kind),
    )


def _look(connection: Connection, stored: StoredDocument, table: AliasTable) -> tuple[DocumentClass, Resolved]:
    """The class of a document, and the issuer that its cover or else its text names.

    The text counts for notes, news and releases, which are about the issuer that they name most.
    """
    opening = "\n".join(opening_texts(connection, stored.document_id, OPENING_CHUNKS))
    kind = class_of(connection, stored, opening)
    resolved = table.resolve(aliases_of_cover(stored.cover))
    if resolved.concept_id is not None or kind not in TOLD_BY_TEXT:
        return kind, resolved
    told = table.mentioned(f"{stored.cover.title}\n{opening}")
    if told.concept_id is None and not told.conflict:
        told = Resolved(None, conflict="the document names no issuer that is known")
    return kind, told


def class_of(connection: Connection, stored: StoredDocument, opening: str) -> DocumentClass:
    """The class of a document; a calculation is what Viska itself delivered, whatever another file may say it is."""
    if FEED in feeds_of(connection, stored.document_id):
        return DocumentClass.CALCULATION
    return classify(stored, opening)
