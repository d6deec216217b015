"""A pack's questions as eval questions, and both paths over them, asked of the whole desk or within their document.

Gold answers by rule: a tagged fact with its unit and period; a number that stands alone or with at most two words; all
else words, of which every one that says something must occur. A unit that the gold answer does not print is taken from
its scale word or is a count, so ``value_right`` says beside the grade how often the figure alone is right.
"""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.packs import read_lines
from viska_assets.engines.protocols import Embedder
from viska_assets.model.evidence import Unit
from viska_assets.parity.eval_set import NumberAnswer, Question, Shape, SourcedBy, TextAnswer
from viska_assets.parity.rounds import System
from viska_assets.query.answers import Answer
from viska_assets.query.from_pages import Chosen, answer_from_chosen, answer_from_pages
from viska_assets.query.from_passages import PASSAGES, answer_from_chunks, answer_from_passages
from viska_assets.query.page_choice import Choice
from viska_assets.query.wording import FILLER, Asked
from viska_assets.retrieval.analyser import terms_of
from viska_assets.retrieval.search import hybrid_search
from viska_assets.store.blobs import content_hash
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.database import Connection
from viska_assets.store.index_rows import index_rows
from viska_assets.store.search import SearchScope
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Role

AS_OF = date(2100, 1, 1)
_UNITS = {"USD": (Unit.MONEY, "USD"), "shares": (Unit.SHARES, None), "USD/shares": (Unit.PER_SHARE, "USD")}


def read_pack(
    pack: Path, *, synthetic_shape: Shape = Shape.RETRIEVAL
) -> tuple[list[Question], dict[str, dict[str, Any]]]:
    """The questions, and by their id the line of the pack. A text answer is of shape mixed, a figure of retrieval."""
    lines = {line["id"]: line for line in read_lines(pack / "questions.jsonl")}
    questions = [
        Question(
            id=number,
            question=line["question"],
            shape=Shape.MIXED if line["answer_type"] == "text" else synthetic_shape,
            gold=gold_of(line),
            evidence=tuple(line["doc_ids"]),
            sourced_by=SourcedBy.PUBLIC_BENCHMARK,
            as_of=AS_OF,
        )
        for number, line in lines.items()
    ]
    return questions, lines


def gold_of(line: dict[str, Any]) -> NumberAnswer | TextAnswer:
    """The gold answer of a question (see above)."""
    answer = line["gold_answer"]
    evidence = line["gold_evidence"][0] if line["gold_evidence"] else {}
    if evidence.get("kind") == "ixbrl_fact":
        value, _, unit = answer.partition(" ")
        known, currency = _UNITS.get(unit, (Unit.RATIO, None))
        return NumberAnswer(
            value=Decimal(value),
            unit=known,
            currency=currency,
            period_start=evidence["period_start"],
            period_end=evidence["period_end"],
        )
    if isinstance(answer, list):
        return TextAnswer(facts=tuple(answer))
    figures = [q for q in read_quantities(answer) if q.role is Role.FIGURE]
    words = re.findall(r"[A-Za-z]{2,}", answer)
    if len(figures) == 1 and len(words) <= 2:
        figure = figures[0]
        return NumberAnswer(value=figure.value, unit=figure.unit, currency=figure.currency, rounded_to=figure.quantum)
    said = list(dict.fromkeys(term for term in terms_of(answer) if term not in FILLER))
    return TextAnswer(facts=tuple(said[:8] or [answer.strip() or "none"]))


def desk_systems(connection: Connection, embedder: Embedder) -> dict[str, System]:
    """Both paths over the whole desk."""
    return {
        "synthesis": lambda question: answer_from_pages(connection, question.asking),
        "baseline": lambda question: answer_from_passages(connection, embedder, question.asking),
    }


def scoped_systems(connection: Connection, embedder: Embedder, pack: Path) -> dict[str, System]:
    """Both paths within the documents of each question: their passages, and the pages that cite them."""
    ids = {
        entry["doc_id"]: content_hash((pack / entry["path"]).read_bytes())
        for entry in read_lines(pack / "manifest.jsonl")
    }
    rows = {row.concept_id: row for row in index_rows(connection) if row.type != "Source"}
    cited = connection.execute(
        "SELECT DISTINCT document_id, concept_id FROM registry.citation ORDER BY 1, 2"
    ).fetchall()
    pages: dict[str, list[str]] = {}
    for document, concept in cited:
        if concept in rows:
            pages.setdefault(document, []).append(concept)

    def baseline(question: Question) -> Answer:
        scope = SearchScope(document_ids=tuple(ids[doc] for doc in question.evidence))
        found = hybrid_search(connection, embedder, question.question, scope, PASSAGES)
        evidence = StoredEvidence(connection)
        chunks = [chunk for p in found.passages if (chunk := evidence.chunk(p.chunk_id)) is not None]
        return answer_from_chunks(question.asking, chunks, evidence)

    def synthesis(question: Question) -> Answer:
        concepts = [concept for doc in question.evidence for concept in pages.get(ids[doc], ())]
        return _from(connection, question, [rows[concept] for concept in dict.fromkeys(concepts)])

    return {"synthesis": synthesis, "baseline": baseline}


def _from(connection: Connection, question: Question, rows: Sequence[Any]) -> Answer:
    asked = Asked(question.question)
    order = sorted(rows, key=lambda row: (row.type != "Issuer", row.concept_id))
    opened = tuple(row for row in order if not row.withheld)[:2]
    chosen = Chosen(question.asking, asked, (), Choice(opened, (), len(rows), tuple(1.0 for _ in opened)))
    return answer_from_chosen(connection, chosen, StoredEvidence(connection))[0]
