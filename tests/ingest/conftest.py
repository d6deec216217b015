"""Helpers of the ingest tests: a token counter, a reader of HTML bodies, and the pack if it is there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import evidence_by_chunk, extract_evidence
from viska_assets.ingest.reading import read_document
from viska_assets.ingest.spool import ReadChunks, spool_chunks
from viska_assets.model.document import Chunk, ParsedDocument
from viska_assets.model.evidence import Evidence

Read = Callable[..., list[Evidence]]


def count_words(text: str) -> int:
    return len(text.split())


def chunks_of(document: ParsedDocument) -> tuple[Chunk, ...]:
    return chunk_document(document, count_words)


def page(body: str) -> ParsedDocument:
    return read_document(f"<!doctype html><html><body>{body}</body></html>".encode(), "page.html")


def evidence_in(document: ParsedDocument, *, use_tags: bool = False) -> list[Evidence]:
    return list(extract_evidence(document, chunks_of(document), use_tags=use_tags))


def read_chunks_of(document: ParsedDocument) -> ReadChunks:
    return spool_chunks(evidence_by_chunk(document, chunks_of(document)), None)


def table(*rows: str, before: str = "") -> str:
    """A table of rows written as cells between bars; an empty place is an empty cell."""
    cells = ["".join(f"<td>{cell.strip()}</td>" for cell in row.split("|")) for row in rows]
    return before + "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


@pytest.fixture(scope="session")
def pack() -> Path:
    root = Path(os.environ.get("VISKA_PACK") or Path(__file__).resolve().parents[3] / "shared" / "data" / "open")
    if not (root / "manifest.jsonl").exists():
        pytest.skip("no evaluation pack: set VISKA_PACK to a folder with manifest.jsonl")
    return root
