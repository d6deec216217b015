"""All that a home holds, free of run-dependent numbers and times, so that two homes can be compared."""

import hashlib
from pathlib import Path

from viska_assets.store.bundle_repository import BundleRepository
from viska_assets.store.database import Database
from viska_assets.store.embeddings import active_model, chunk_vectors

TABLES = {
    "document": "SELECT document_id, name, bytes, status, error, media_type, cover, notices, entity, entity_names, "
    "asserter, source_concept, authentication, needs_ocr, withdrawn, known_at FROM raw.document",
    "delivery": "SELECT document_id, feed, path FROM raw.delivery",
    "incident": "SELECT kind, document_id, path, detail FROM raw.incident",
    "mail": "SELECT document_id, result, domain, reason, chain, policy, received_at, dns FROM raw.mail_authentication",
    "text": "SELECT * FROM retrieval.document_text",
    "chunk": "SELECT chunk_id, document_id, namespace, ordinal, kind, start_char, end_char, text, prefix, headings, "
    "page, tokens, terms, text_sha256 FROM retrieval.chunk",
    "evidence": "SELECT * FROM retrieval.evidence",
    "posting": "SELECT t.namespace, t.term, t.df, c.chunk_id, p.tf, p.terms FROM retrieval.posting p "
    "JOIN retrieval.term t USING (namespace, term_no) JOIN retrieval.chunk c USING (chunk_no)",
    "corpus": "SELECT * FROM retrieval.corpus",
    "draft": "SELECT draft_id, document_id, concept_id, drafter, delta, status, known_at FROM registry.draft",
    "page": "SELECT concept_id, content_sha256, type, title, text, known_at, engine, live FROM registry.page_version",
    "claim": "SELECT * FROM registry.claim",
    "citation": "SELECT * FROM registry.citation",
    "alias": "SELECT * FROM registry.alias",
    "event": "SELECT day, verb, text, document_id FROM registry.event",
    "commit": "SELECT commit_hash, pages FROM registry.bundle_commit",
    "verdict": "SELECT draft_id, engine, passed, codes, verdict, page_text FROM gate.verdict",
    "quarantine": "SELECT draft_id, concept_id, document_id, source_ids, codes, delta, page_text, engine, "
    "quarantined_at FROM gate.quarantine",
    "human_edit": "SELECT concept_id, base, edited, author, status FROM registry.human_edit",
    "resolution": "SELECT action, reason, actor FROM gate.resolution",
}


def fingerprint(database: Database, bundle: Path) -> dict[str, str]:
    """A hash by table, and the bundle's head commit."""
    found = {"bundle": BundleRepository(bundle).head()}
    with database.transaction() as connection:
        for name, query in TABLES.items():
            rows = sorted(repr(row) for row in connection.execute(query))
            found[name] = f"{len(rows)}:{hashlib.sha256(chr(10).join(rows).encode()).hexdigest()[:16]}"
        active = active_model(connection)
        vectors = chunk_vectors(connection, active.model) if active else {}
        rows = sorted(repr((chunk_id, vector.tolist())) for chunk_id, vector in vectors.items())
        found["embedding"] = f"{len(rows)}:{hashlib.sha256(chr(10).join(rows).encode()).hexdigest()[:16]}"
    return found
