"""Measures the LLM drafter before an in-process endpoint: an honest model's drafts pass, a fabricating one's never do.

Run as ``python bench/maintain_llm.py --pack P --documents 50``. The honest model answers from the evidence of the shown
chunks, as the extractive drafter reads it. The fabricating one gives the same answer with one thing exchanged, another
kind for each document in turn, and the same again when the gate complains. The right code of a fabrication is the one
that names it: a digit ``UNGROUNDED``, a scale ``SCALE_MISMATCH``, a unit ``UNIT_MISMATCH``, a currency
``CCY_MISMATCH``, a period ``PERIOD_MISMATCH``, the figure and place of another row ``LABEL_CONFLICT``, the name of
another company in a sentence ``LABEL_CONFLICT`` (the words of a sentence must stand in what it cites).
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.llm_answers import honest_answer, shown_chunks, shown_text
from bench.llm_mutations import Fabrication, fabricate
from bench.llm_server import MODEL, ChatServer, Reply, completion
from bench.maintainer import maintain, receive
from bench.packs import read_lines
from viska_assets.engines.llm_http import HttpChatModel
from viska_assets.maintain.extractive.drafter import ExtractiveDrafter
from viska_assets.maintain.extractive.identification import identify_documents
from viska_assets.maintain.llm.converting import skeletons_of
from viska_assets.maintain.llm.drafter import FAMILY, DrafterPolicy, LlmDrafter
from viska_assets.store.chunks import cited_chunks
from viska_assets.store.home import Home
from viska_assets.store.quarantine import open_quarantine
from viska_assets.store.registry import undrafted_documents
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings

MOST_ROUNDS = 4
_RESET = """
    TRUNCATE registry.draft, registry.drafted, registry.page_version, registry.claim, registry.citation,
        registry.event, registry.bundle_commit, registry.llm_call, gate.verdict,
        gate.quarantine, gate.resolution CASCADE
"""


def llm_drafting(pack: Path, documents: int = 50) -> dict[str, Any]:
    """Both measures, over the first documents of the pack that touch an issuer, an event or a thesis.

    A pack with fewer of them is fabricated about in several rounds, each document in another way, until there are as
    many fabricated drafts as ``documents``.

    Returns:
        ``honest_llm`` and ``fabricating_llm``.
    """
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        receive(home, [pack / entry["path"] for entry in read_lines(pack / "manifest.jsonl")])
        _keep(home, documents)
        result = both_models(home, documents)
        home.close()
        EmbeddedServer(Path(scratch)).stop()
    return result


def both_models(home: Home, documents: int) -> dict[str, Any]:
    """Both measures over the documents that a home has read, each pass on an empty bundle."""
    honest = _honest(_emptied(home, "honest"))
    hit: list[tuple[Fabrication, dict[str, Any]]] = []
    for number in range(MOST_ROUNDS):
        if len(hit) < documents:
            hit += _fabricating(_emptied(home, f"fabricated-{number}"), number)
    return {"honest_llm": honest, "fabricating_llm": _summary(hit)}


def _emptied(home: Home, name: str) -> Home:
    """The same home without a synthesis tier, its bundle under another name."""
    with home.database.transaction() as connection:
        connection.execute(_RESET)
    settings = home.settings.model_copy(update={"bundle": home.settings.home_path / name})
    emptied = Home(settings)
    emptied.__dict__["database"] = home.database
    return emptied


def _keep(home: Home, documents: int) -> None:
    """Leaves only so many documents of which a model writes a page; the others count as not read."""
    identify_documents(home.database, FAMILY, home.policy)
    kept: list[str] = []
    with home.database.transaction() as connection:
        for document in undrafted_documents(connection, FAMILY):
            deltas = skeletons_of(ExtractiveDrafter().draft(connection, document))[1] if len(kept) < documents else []
            if deltas:
                kept.append(document)
        connection.execute(
            "UPDATE raw.document SET status = 'received' WHERE status = 'ingested' AND document_id <> ALL(%s)", (kept,)
        )


def _honest(home: Home) -> dict[str, Any]:
    rows = _pass(home, lambda request: completion(json.dumps(honest_answer(home.database, request))))
    passed = [row for row in rows if row["status"] == "accepted"]
    refused = [row for row in rows if row["status"] != "accepted"]
    return {
        "documents": len({row["document"] for row in rows}),
        "drafts": len(rows),
        "pass_rate": round(len(passed) / max(1, len(rows)), 4),
        "refused": [{"concept": row["concept"], "codes": row["codes"], "why": _why(home, row)} for row in refused],
    }


def _why(home: Home, row: dict[str, Any]) -> list[str]:
    with home.database.transaction() as connection:
        item = next(i for i in open_quarantine(connection) if i.draft_id == row["draft"])
    return [f"{f.message} [{f.claim}]" for f in item.verdict.findings if f.code in item.codes][:3]


def _fabricating(home: Home, number: int) -> list[tuple[Fabrication, dict[str, Any]]]:
    """One round: every document's fabrication with the draft it was made in."""
    made: dict[str, Fabrication] = {}

    def behave(request: dict[str, Any]) -> Reply:
        answer = honest_answer(home.database, request)
        document = _document_of(home, request)
        if document not in made:
            made[document] = fabricate(answer, len(made) + 3 * number, shown_text(home.database, request))
        return completion(json.dumps(made[document].answer))

    rows = {(row["document"], row["concept"]): row for row in _pass(home, behave)}
    return [(fabrication, rows[document, fabrication.concept]) for document, fabrication in made.items()]


def _summary(hit: list[tuple[Fabrication, dict[str, Any]]]) -> dict[str, Any]:
    right = [row for fabrication, row in hit if row["status"] == "quarantined" and fabrication.code in row["codes"]]
    wrong = [
        {
            "kind": f.kind,
            "concept": f.concept,
            "from": f.before,
            "to": f.after,
            "is": row["status"],
            "codes": row["codes"],
        }
        for f, row in hit
        if row not in right
    ]
    return {
        "drafts": len(hit),
        "in_bundle": sum(1 for _, row in hit if row["status"] == "accepted"),
        "quarantined_right_code": len(right),
        "by_kind": dict(Counter(fabrication.kind for fabrication, _ in hit)),
        "not_as_expected": wrong,
    }


def _pass(home: Home, behave: Callable[[dict[str, Any]], Reply]) -> list[dict[str, Any]]:
    """One maintainer pass with a model; the drafts that it signed with their status and codes."""
    with ChatServer(behave) as server:
        drafter = LlmDrafter(HttpChatModel(server.url, MODEL), DrafterPolicy(seconds=600.0))
        maintain(home, drafter)
        with home.database.transaction() as connection:
            rows = connection.execute(
                """
                SELECT d.document_id, d.concept_id, d.status, coalesce(q.codes, '{}'), d.draft_id
                FROM registry.draft d LEFT JOIN gate.quarantine q USING (draft_id) WHERE d.drafter = %s
                """,
                (drafter.signature,),
            ).fetchall()
    return [dict(zip(("document", "concept", "status", "codes", "draft"), row, strict=True)) for row in rows]


def _document_of(home: Home, request: dict[str, Any]) -> str:
    with home.database.transaction() as connection:
        return next(iter(cited_chunks(connection, shown_chunks(request)[:1]).values())).document_id


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=50)
    arguments = parser.parse_args()
    print(json.dumps(llm_drafting(arguments.pack, arguments.documents), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
