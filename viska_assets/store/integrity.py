"""Whether stored rows still are what was written: texts against hashes and spans, evidence against its record."""

from psycopg import sql

from viska_assets.store.database import Connection
from viska_assets.store.readiness import chunks_without_postings

MOST = 50


def damaged_chunks(connection: Connection) -> list[str]:
    """Chunks whose text has not the recorded hash, or is not the passage of the document's text at its span."""
    rows = connection.execute(
        """
        SELECT d.name, c.ordinal FROM retrieval.chunk c
        JOIN raw.document d USING (document_id) JOIN retrieval.document_text t USING (document_id)
        WHERE encode(sha256(convert_to(c.text, 'UTF8')), 'hex') <> c.text_sha256
            OR substring(t.text FROM c.start_char + 1 FOR c.end_char - c.start_char) <> c.text
        ORDER BY d.name, c.ordinal LIMIT %s
        """,
        (MOST,),
    )
    return [f"{name}: the text of chunk {ordinal} has changed since it was read" for name, ordinal in rows]


def damaged_texts(connection: Connection) -> list[str]:
    """Documents whose cleaned text has not the recorded hash."""
    rows = connection.execute(
        """
        SELECT d.name FROM retrieval.document_text t JOIN raw.document d USING (document_id)
        WHERE encode(sha256(convert_to(t.text, 'UTF8')), 'hex') <> t.text_sha256 ORDER BY d.name LIMIT %s
        """,
        (MOST,),
    )
    return [f"{row[0]}: the stored text has changed since it was read" for row in rows]


def damaged_evidence(connection: Connection) -> list[str]:
    """Evidence whose columns differ from its record, or whose count differs from that at reading."""
    rows = connection.execute(
        """
        SELECT d.name, e.start_char FROM retrieval.evidence e
        JOIN retrieval.chunk c USING (chunk_id) JOIN raw.document d USING (document_id)
        WHERE e.value <> (e.record ->> 'value')::numeric OR e.unit <> e.record ->> 'unit'
            OR e.start_char <> (e.record -> 'span' ->> 'start')::int
        ORDER BY d.name, e.start_char LIMIT %s
        """,
        (MOST,),
    ).fetchall()
    found = [f"{name}: the evidence at character {start} differs from its record" for name, start in rows]
    counts = connection.execute(
        """
        SELECT d.name, c.ordinal, c.numbers, count(e.chunk_id) FROM retrieval.chunk c
        JOIN raw.document d USING (document_id) LEFT JOIN retrieval.evidence e USING (chunk_id)
        GROUP BY d.name, c.ordinal, c.numbers, c.chunk_id HAVING c.numbers <> count(e.chunk_id)
        ORDER BY d.name, c.ordinal LIMIT %s
        """,
        (MOST,),
    )
    return found + [
        f"{name}: chunk {ordinal} was read with {numbers} numbers and has {present}"
        for name, ordinal, numbers, present in counts
    ]


def unfinished_documents(connection: Connection) -> list[str]:
    """Documents that were received and never read, as after a killed run."""
    rows = connection.execute("SELECT name FROM raw.document WHERE status = 'received' ORDER BY name LIMIT %s", (MOST,))
    return [f"{row[0]}: received but not read yet; run an ingest again" for row in rows]


def unfindable_chunks(connection: Connection) -> list[str]:
    """Chunks that no search by words finds, for want of postings."""
    missing = chunks_without_postings(connection)
    return [f"chunk {chunk_id} has no postings; ingest its document again" for chunk_id in missing[:MOST]]


def count_rows(connection: Connection, table: str) -> int:
    """How many rows one of Viska's tables has."""
    schema, name = table.split(".")
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, name))).fetchone()
    return int(row[0]) if row else 0
