"""Reading an evaluation pack: its documents as cited chunks with evidence, and the claims that cite them."""

import hashlib
import json
import pickle
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence, main_currency
from viska_assets.ingest.reading import read_document
from viska_assets.model.views import CitedChunk

_LEGAL = re.compile(r"[,.]?\s(?:inc|corp|corporation|company|co|ltd|plc|llc|group|holdings?)\b\.?", re.I)


@dataclass
class PackDocument:
    """A document of a pack: its chunks as the gate sees them."""

    doc_id: str
    company: str
    chunks: list[CitedChunk]
    _words: list[frozenset[str]] = field(default_factory=list)

    @property
    def words(self) -> list[frozenset[str]]:
        """The words and numbers of each chunk."""
        if not self._words:
            self._words = [words_of(chunk.text) for chunk in self.chunks]
        return self._words


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{3,}|\d[\d.,]*\d|\d", text.lower()))


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def count_tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def read_documents(pack: Path, wanted: set[str], cache: Path | None = None) -> Iterator[PackDocument]:
    """The wanted documents of a pack, one after the other."""
    for entry in read_lines(pack / "manifest.jsonl"):
        if entry["doc_id"] in wanted:
            print(f"reading {entry['doc_id']}", file=sys.stderr)
            yield _read(pack, entry, cache)


def _read(pack: Path, entry: dict[str, Any], cache: Path | None) -> PackDocument:
    file = pack / entry["path"]
    data = file.read_bytes()
    key = hashlib.sha256(data + _ingest_version().encode()).hexdigest()[:24]
    held = cache / f"{key}.pickle" if cache else None
    if held is not None and held.is_file():
        return pickle.loads(held.read_bytes())
    document = PackDocument(entry["doc_id"], entry["company"] or "", list(_chunks(data, file.name, entry)))
    if held is not None:
        held.parent.mkdir(parents=True, exist_ok=True)
        held.write_bytes(pickle.dumps(document))
    return document


def _chunks(data: bytes, name: str, entry: dict[str, Any]) -> Iterator[CitedChunk]:
    document = read_document(data, name)
    chunks = chunk_document(document, count_tokens)
    by_chunk: dict[str, list[Any]] = {}
    for evidence in extract_evidence(document, chunks):
        by_chunk.setdefault(evidence.chunk_id, []).append(evidence)
    names = [n for n in (entry["company"], document.cover.issuer, entry["ticker"]) if n]
    currency = main_currency(document)
    for chunk in chunks:
        yield CitedChunk(
            chunk_id=chunk.chunk_id,
            document_id=document.document_id,
            text=chunk.text,
            content_sha256=hashlib.sha256(chunk.text.encode()).hexdigest(),
            span=chunk.span,
            entity=entry["company"] or None,
            entity_names=tuple(dict.fromkeys([*names, *(_LEGAL.sub("", n) for n in names)])),
            fiscal_year_end=document.cover.fiscal_year_end,
            locale=document.cover.locale,
            currency=currency,
            known_at=document.cover.published_at,
            evidence=tuple(by_chunk.get(chunk.chunk_id, ())),
        )


def _ingest_version() -> str:
    root = Path(__file__).resolve().parents[1] / "viska_assets"
    digest = hashlib.sha256()
    for room in ("ingest", "text", "model"):
        for file in sorted((root / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
