"""Questions of a pack with the chunks that hold their gold evidence, and measures of a ranking against them.

A passage is relevant if it holds a gold evidence of the question: the cells of a row on one line, four fifths of the
words of a sentence or paragraph, the page of a page text, or the printed number of a tagged fact.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.packs import read_lines
from viska_assets.store.blobs import content_hash
from viska_assets.store.database import Connection
from viska_assets.store.search import SearchScope

DEPTH = 10


@dataclass(frozen=True)
class Chunk:
    """A stored chunk as relevance is judged on it."""

    chunk_id: str
    document_id: str
    page: int | None
    text: str
    prefix: str
    kind: str
    words: frozenset[str]

    @property
    def embedded(self) -> str:
        """The whole text with its prefix, as every peer is given it."""
        return f"{self.prefix}\n{self.text}" if self.prefix else self.text


@dataclass(frozen=True)
class Asked:
    """A question with the chunks that hold each of its gold evidences."""

    question: str
    scope: SearchScope
    evidences: tuple[frozenset[str], ...]
    self_contained: bool
    source_set: str
    answer_type: str
    documents: tuple[str, ...]

    @property
    def relevant(self) -> frozenset[str]:
        """The chunks that hold any of the gold evidence."""
        return frozenset().union(*self.evidences)


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{2,}|\d[\d.,]*\d|\d", text.lower()))


def squeezed(text: str) -> str:
    return re.sub(r"[\s|$]+", "", text.lower())


def holds(evidence: dict[str, Any], chunk: Chunk) -> bool:
    kind = evidence["kind"]
    if kind == "table_row":
        wanted = [squeezed(cell) for cell in evidence["cells"] if squeezed(cell)]
        return any(all(cell in squeezed(line) for cell in wanted) for line in chunk.text.splitlines())
    if kind == "page_text":
        return chunk.page == evidence["page"]
    if kind == "ixbrl_fact":
        return evidence["text"] in chunk.text
    wanted_words = words_of(evidence["text"])
    return bool(wanted_words) and len(wanted_words & chunk.words) >= 0.8 * len(wanted_words)


def read_chunks(connection: Connection) -> dict[str, list[Chunk]]:
    """All chunks by document."""
    rows = connection.execute(
        "SELECT chunk_id, document_id, page, text, prefix, kind FROM retrieval.chunk ORDER BY chunk_no"
    )
    found: dict[str, list[Chunk]] = {}
    for row in rows:
        found.setdefault(row[1], []).append(Chunk(*row, words_of(row[3])))
    return found


def read_questions(pack: Path, chunks: dict[str, list[Chunk]], errors: list[dict[str, str]]) -> list[Asked]:
    """The questions of which at least one gold evidence stands in a chunk; the others are listed as errors."""
    documents = {
        entry["doc_id"]: content_hash((pack / entry["path"]).read_bytes())
        for entry in read_lines(pack / "manifest.jsonl")
    }
    found = []
    for line in read_lines(pack / "questions.jsonl"):
        own = tuple(documents[doc_id] for doc_id in line["doc_ids"])
        candidates = [chunk for document_id in own for chunk in chunks.get(document_id, [])]
        evidences = [frozenset(c.chunk_id for c in candidates if holds(e, c)) for e in line["gold_evidence"]]
        if not all(evidences):
            errors.append({"id": line["id"], "reason": "a gold evidence stands in no chunk by the rule of this bench"})
        if any(evidences):
            scope = SearchScope() if line["self_contained"] else SearchScope(document_ids=own)
            found.append(
                Asked(
                    line["question"],
                    scope,
                    tuple(e for e in evidences if e),
                    line["self_contained"],
                    line["source_set"],
                    line["answer_type"],
                    own,
                )
            )
    return found


def measures(asked: Asked, ranked: Sequence[str]) -> dict[str, float]:
    """Recall at 5 and 10 of the gold evidences, binary nDCG at 10 and reciprocal rank over passages."""

    def recall(k: int) -> float:
        top = set(ranked[:k])
        return sum(1 for evidence in asked.evidences if evidence & top) / len(asked.evidences)

    relevant = asked.relevant
    gains = [1.0 if chunk in relevant else 0.0 for chunk in ranked[:DEPTH]]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(relevant))))
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), 0)
    return {
        "recall5": recall(5),
        "recall10": recall(10),
        "ndcg10": sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains)) / ideal,
        "mrr": 1 / first if first else 0.0,
    }


def any_evidence_in_top5(asked: Asked, ranked: Sequence[str]) -> float:
    """Whether a passage with gold evidence stands among the first five."""
    return float(bool(asked.relevant & set(ranked[:5])))


def mean_of(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    held = list(rows)
    return {key: round(sum(row[key] for row in held) / len(held), 4) for key in held[0]} if held else {}
