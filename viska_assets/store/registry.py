"""Rows of ``registry``: drafts, live pages with their claims and citations, aliases, the log's events, commits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import cast

from viska_assets.model.claim import Claim
from viska_assets.model.delta import ConceptDelta
from viska_assets.model.page import Page
from viska_assets.model.verdict import Finding
from viska_assets.store.codec import from_json, to_jsonb
from viska_assets.store.database import Connection


@dataclass(frozen=True)
class Draft:
    """One drafted delta: what a document adds to a concept, and how far it has come.

    ``findings`` are what the drafter could not make a delta of: they count with the gate's own until the delta is
    edited.
    """

    draft_id: str
    document_id: str
    drafter: str
    delta: ConceptDelta
    status: str = "pending"
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class LivePage:
    """A page as the bundle holds it."""

    concept_id: str
    type: str
    title: str
    description: str
    content_sha256: str
    text: str
    known_at: datetime


@dataclass(frozen=True)
class Event:
    """One line of ``log.md``."""

    day: date
    verb: str
    text: str
    document_id: str = ""


_DRAFT = "SELECT draft_id, document_id, drafter, delta, status, findings FROM registry.draft"


def undrafted_documents(connection: Connection, drafter: str) -> list[str]:
    """Ingested documents that this drafter has not read yet, oldest knowledge first.

    A document that a drafter of another family (the name before the slash) has read is its alone: two readings of one
    document would stand on a page side by side.
    """
    rows = connection.execute(
        """
        SELECT document_id FROM raw.document d
        WHERE status = 'ingested'
            AND NOT EXISTS (
                SELECT 1 FROM registry.drafted r WHERE r.document_id = d.document_id
                    AND (r.drafter = %(drafter)s OR split_part(r.drafter, '/', 1) <> split_part(%(drafter)s, '/', 1)))
        ORDER BY known_at, document_id
        """,
        {"drafter": drafter},
    )
    return [row[0] for row in rows]


def claim_document(connection: Connection, document_id: str, drafter: str) -> bool:
    """Takes a document for this drafter; False where another run has drafted it in the meantime."""
    taken = connection.execute(
        """
        INSERT INTO registry.drafted (document_id, drafter, drafts) VALUES (%s, %s, 0)
        ON CONFLICT (document_id, drafter) DO NOTHING
        """,
        (document_id, drafter),
    )
    return taken.rowcount == 1


def add_drafts(connection: Connection, document_id: str, drafter: str, drafts: Sequence[Draft]) -> None:
    """Stores all drafts of one document and that it has been drafted, in the caller's transaction."""
    for draft in drafts:
        connection.execute(
            """
            INSERT INTO registry.draft
                (draft_id, document_id, concept_id, drafter, delta, status, known_at, findings)
            VALUES (%s, %s, %s, %s, %s, 'pending', %s, %s)
            ON CONFLICT (draft_id) DO UPDATE SET status = 'pending' WHERE draft.status = 'replaced'
            """,
            (
                draft.draft_id,
                document_id,
                draft.delta.concept_id,
                draft.drafter,
                to_jsonb(ConceptDelta, draft.delta),
                draft.delta.known_at,
                to_jsonb(tuple[Finding, ...], draft.findings),
            ),
        )
    connection.execute(
        """
        INSERT INTO registry.drafted (document_id, drafter, drafts) VALUES (%s, %s, %s)
        ON CONFLICT (document_id, drafter) DO UPDATE SET drafts = EXCLUDED.drafts
        """,
        (document_id, drafter, len(drafts)),
    )


def forget_drafting(connection: Connection, document_id: str) -> None:
    """Lets a document be drafted again, by whichever drafter runs next; drafts that do not come again are replaced.

    The pages that its accepted drafts are on are marked to be written again; its quarantined drafts leave the queue.
    """
    connection.execute(
        """
        INSERT INTO gate.resolution (quarantine_id, action, reason, actor)
        SELECT quarantine_id, 'discarded', 'its document is drafted again', 'process:maintainer'
        FROM gate.open_quarantine WHERE document_id = %s
        """,
        (document_id,),
    )
    connection.execute("DELETE FROM registry.drafted WHERE document_id = %s", (document_id,))
    connection.execute(
        """
        UPDATE registry.draft SET reopened = reopened OR status = 'accepted', status = 'replaced'
        WHERE document_id = %s AND status IN ('pending', 'accepted', 'quarantined')
        """,
        (document_id,),
    )


def drafts_with_status(connection: Connection, *statuses: str) -> list[Draft]:
    """Drafts in any of the states, in the order in which they are gated: by knowledge, document, concept.

    Of one document the issuer comes first: what its page supersedes is then settled for the others.
    """
    rows = connection.execute(
        f"""
        {_DRAFT} WHERE status = ANY(%s)
        ORDER BY known_at, document_id, delta ->> 'type' <> 'Issuer', concept_id
        """,
        (list(statuses),),
    )
    return [_draft(row) for row in rows]


def draft_by_id(connection: Connection, draft_id: str) -> Draft | None:
    """One draft."""
    row = connection.execute(f"{_DRAFT} WHERE draft_id = %s", (draft_id,)).fetchone()
    return _draft(row) if row else None


def accepted_deltas(connection: Connection) -> dict[str, list[ConceptDelta]]:
    """By concept, the deltas whose union its page renders, oldest knowledge first."""
    found: dict[str, list[ConceptDelta]] = {}
    for draft in drafts_with_status(connection, "accepted"):
        found.setdefault(draft.delta.concept_id, []).append(draft.delta)
    return found


def set_draft_status(connection: Connection, draft_id: str, status: str, delta: ConceptDelta | None = None) -> None:
    """Moves a draft on; a repaired delta takes the place of the one that failed (which quarantine keeps).

    What the drafter found in the old delta goes with it.
    """
    connection.execute(
        """
        UPDATE registry.draft SET status = %(status)s, delta = coalesce(%(delta)s, delta),
            findings = CASE WHEN %(delta)s::jsonb IS NULL THEN findings ELSE '[]' END
        WHERE draft_id = %(draft)s
        """,
        {"status": status, "delta": to_jsonb(ConceptDelta, delta) if delta else None, "draft": draft_id},
    )


_SUBJECT = "CASE WHEN {0}.delta ->> 'type' = 'Issuer' THEN {0}.concept_id ELSE nullif({0}.delta ->> 'about', '') END"


def reopen_later_drafts(connection: Connection) -> int:
    """Makes pending again what was judged before an older document about the same concept or issuer was known.

    So the order in which documents arrive changes nothing: drafts are judged as if they had come by knowledge.
    Quarantined drafts are reopened where nothing but a contradiction speaks against them.

    Returns:
        How many drafts were reopened.
    """
    return connection.execute(
        f"""
        UPDATE registry.draft d SET status = 'pending', reopened = d.reopened OR d.status = 'accepted'
        WHERE (d.status = 'accepted' OR d.status = 'quarantined' AND EXISTS (
                SELECT 1 FROM gate.open_quarantine q
                WHERE q.draft_id = d.draft_id AND q.codes <@ ARRAY['CONTRADICTION']))
            AND EXISTS (
                SELECT 1 FROM registry.draft p
                WHERE p.status = 'pending' AND (p.known_at, p.document_id) < (d.known_at, d.document_id)
                    AND (p.concept_id = d.concept_id OR {_SUBJECT.format("p")} = {_SUBJECT.format("d")}))
        """  # noqa: S608
    ).rowcount


def reopened_concepts(connection: Connection) -> list[str]:
    """Concepts whose live page may hold a draft that is being judged again."""
    rows = connection.execute("SELECT DISTINCT concept_id FROM registry.draft WHERE reopened ORDER BY concept_id")
    return [row[0] for row in rows]


def close_reopened(connection: Connection) -> None:
    """Ends the reopening: every page now says what the accepted drafts say."""
    connection.execute("UPDATE registry.draft SET reopened = false WHERE reopened AND status <> 'pending'")


def remove_page(connection: Connection, concept_id: str) -> bool:
    """Takes a page of which no accepted draft is left out of the bundle; its versions stay. False: there was none."""
    gone = connection.execute(
        "UPDATE registry.page_version SET live = false, withheld = '{}' WHERE concept_id = %s AND live", (concept_id,)
    ).rowcount
    connection.execute("UPDATE registry.claim SET live = false WHERE concept_id = %s", (concept_id,))
    connection.execute("DELETE FROM registry.citation WHERE concept_id = %s", (concept_id,))
    return gone > 0


def write_page(
    connection: Connection, page: Page, text: str, content_sha256: str, claims: Iterable[Claim], engine: str
) -> bool:
    """Makes a page's text the live version with its claims and citations; a withheld page stays withheld.

    Returns:
        Whether the text is new and shown: whether the page's file in the bundle becomes another.
    """
    live = connection.execute(
        "SELECT content_sha256, withheld FROM registry.page_version WHERE concept_id = %s AND live", (page.concept_id,)
    ).fetchone()
    if live and live[0] == content_sha256:
        return False
    withheld = live[1] if live else []
    connection.execute(
        "UPDATE registry.page_version SET live = false, withheld = '{}' WHERE concept_id = %s AND live",
        (page.concept_id,),
    )
    connection.execute(
        """
        INSERT INTO registry.page_version
            (concept_id, content_sha256, type, title, description, text, known_at, engine, withheld)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (concept_id, content_sha256) DO UPDATE SET live = true, withheld = EXCLUDED.withheld
        """,
        (
            page.concept_id,
            content_sha256,
            page.head.type.value,
            page.head.title,
            page.head.description,
            text,
            page.head.timestamp,
            engine,
            withheld,
        ),
    )
    _replace_claims(connection, page.concept_id, claims)
    _replace_citations(connection, page)
    return not withheld


def _replace_claims(connection: Connection, concept_id: str, claims: Iterable[Claim]) -> None:
    connection.execute("UPDATE registry.claim SET live = false WHERE concept_id = %s", (concept_id,))
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.claim (claim_id, concept_id, claim, chunk_id) VALUES (%s, %s, %s, %s)
            ON CONFLICT (claim_id) DO UPDATE SET claim = EXCLUDED.claim, live = true
            """,
            [(claim.claim_id, concept_id, to_jsonb(Claim, claim), claim.chunk_id) for claim in claims],
        )


def _replace_citations(connection: Connection, page: Page) -> None:
    connection.execute("DELETE FROM registry.citation WHERE concept_id = %s", (page.concept_id,))
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.citation (concept_id, source_id, chunk_id, document_id, locator)
            SELECT %s, %s, c.chunk_id, c.document_id, %s FROM retrieval.chunk c WHERE c.chunk_id = %s
            """,
            [
                (page.concept_id, entry.id, to_jsonb(type(entry.locator), entry.locator), entry.chunk)
                for entry in page.head.sources
                if entry.chunk
            ],
        )


def live_pages(connection: Connection) -> list[LivePage]:
    """All pages of the bundle by concept id; those that lint withholds are in ``store.withholding``."""
    rows = connection.execute(
        """
        SELECT concept_id, type, title, description, content_sha256, text, known_at FROM registry.page_version
        WHERE live AND withheld = '{}' ORDER BY concept_id
        """
    )
    return [LivePage(*row) for row in rows]


def newest_knowledge(connection: Connection) -> datetime:
    """The moment of the newest page, which dates a commit; withheld pages and, where none is left, old ones count."""
    row = connection.execute(
        """
        SELECT coalesce(max(known_at) FILTER (WHERE live), max(known_at), 'epoch') FROM registry.page_version
        """
    ).fetchone()
    assert row is not None
    return cast(datetime, row[0])


def live_claims(connection: Connection) -> list[Claim]:
    """All claims of live pages by id."""
    rows = connection.execute("SELECT claim FROM registry.claim WHERE live ORDER BY claim_id")
    return [from_json(Claim, row[0]) for row in rows]


def add_events(connection: Connection, events: Iterable[Event]) -> None:
    """Appends lines to the bundle's log; a line that stands already is not added again."""
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.event (day, verb, text, document_id) VALUES (%s, %s, %s, %s)
            ON CONFLICT (day, verb, text) DO NOTHING
            """,
            [(event.day, event.verb, event.text, event.document_id) for event in events],
        )


def events(connection: Connection) -> list[Event]:
    """The log's lines, newest day first, in one order whatever the order of arrival."""
    rows = connection.execute("SELECT day, verb, text, document_id FROM registry.event ORDER BY day DESC, verb, text")
    return [Event(*row) for row in rows]


def record_commit(connection: Connection, commit_hash: str, pages: int) -> None:
    """Notes a commit of the live bundle."""
    connection.execute(
        "INSERT INTO registry.bundle_commit (commit_hash, pages) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (commit_hash, pages),
    )


def _draft(row: tuple[object, ...]) -> Draft:
    draft_id, document_id, drafter, delta, status, findings = row
    return Draft(
        str(draft_id),
        str(document_id),
        str(drafter),
        from_json(ConceptDelta, delta),
        str(status),
        from_json(tuple[Finding, ...], findings),
    )
