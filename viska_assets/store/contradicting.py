"""Which standing pages a newly ingested document speaks against, as the gate's verdicts on its drafts have it."""

from collections.abc import Collection
from dataclasses import dataclass

from viska_assets.store.database import Connection


@dataclass(frozen=True, slots=True)
class Contradicted:
    """A verdict whose draft contradicts standing pages: the document's name, the codes, and the pages' concepts."""

    verdict_no: int
    document: str
    codes: tuple[str, ...]
    concepts: tuple[str, ...]


def newest_verdict(connection: Connection) -> int:
    """The number of the newest verdict, or 0."""
    row = connection.execute("SELECT coalesce(max(verdict_no), 0) FROM gate.verdict").fetchone()
    assert row is not None
    return int(row[0])


def contradicted_pages(connection: Connection, codes: Collection[str], after: int = 0) -> list[Contradicted]:
    """Verdicts with one of the codes that no lint has followed yet, oldest first.

    A page stands where a version of it was written before the verdict. Concerned are the draft's own page, that of
    the issuer it is about, and those whose claims a finding names.

    Args:
        connection: Reads ``gate`` and ``registry``.
        codes: The codes that count as speaking against a page.
        after: Only verdicts with a higher number.
    """
    rows = connection.execute(
        """
        SELECT v.verdict_no, d.name, array_agg(DISTINCT f.code), array_agg(DISTINCT p.concept_id)
        FROM gate.verdict v
            JOIN registry.draft r ON r.draft_id = v.draft_id
            JOIN raw.document d ON d.document_id = r.document_id
            CROSS JOIN LATERAL jsonb_to_recordset(v.verdict -> 'findings') AS f (code text, message text)
            JOIN registry.page_version p ON p.live AND (
                p.concept_id IN (r.concept_id, r.delta ->> 'about')
                OR EXISTS (
                    SELECT 1 FROM registry.claim c
                    WHERE c.live AND c.concept_id = p.concept_id AND position(c.claim_id IN f.message) > 0))
        WHERE v.verdict_no > %(after)s AND f.code = ANY(%(codes)s)
            AND v.recorded_at > coalesce((SELECT max(recorded_at) FROM lint.report), '-infinity')
            AND EXISTS (
                SELECT 1 FROM registry.page_version o
                WHERE o.concept_id = p.concept_id AND o.recorded_at < v.recorded_at)
        GROUP BY v.verdict_no, d.name ORDER BY v.verdict_no
        """,
        {"after": after, "codes": list(codes)},
    )
    return [Contradicted(row[0], row[1], tuple(row[2]), tuple(row[3])) for row in rows]
