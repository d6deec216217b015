"""Measures the gate: worked cases, false rejections and misses on a pack, computed figures, scopes and peers.

Run as ``python bench/guardrail.py --pack PACK --cases FILE``. A claim cites the chunk(s) of its document that hold
its pair's original evidence; locators are chosen by the product's citation finder, anew for each mutated twin.
"""

import argparse
import json
import platform
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from cases import Chunks, EmptyBundle, _render, _with_marks, load_cases, run_case
from packs import PackDocument, read_documents, read_lines, words_of

from viska_assets.guardrail.context import UnitContext
from viska_assets.guardrail.gate import judge
from viska_assets.guardrail.grounding import QUANTITIES, try_evidence
from viska_assets.guardrail.locate import locate_claim
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.guardrail.rules import RULES_VERSION
from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.page import SourceEntry
from viska_assets.model.span import OffsetMap, Span
from viska_assets.model.verdict import Predicate, Severity, Verdict
from viska_assets.model.views import CitedChunk
from viska_assets.text.sentences import split_sentences

MAX_ERRORS = 200
FIGURES = frozenset({Predicate.P1, Predicate.P2})


def judge_claim(text: str, chunks: list[CitedChunk], scale: int = 0) -> Verdict:
    """The gate's verdict of a page that states the claim with the finder's citations."""
    text = " ".join(text.split())
    sources: list[SourceEntry] = []
    if scale:
        label, verb, cell = cell_parts(text)
        column = f"Figure ({SCALES[scale]})"
        placements = locate_claim(cell, chunks, row_label=label, column_label=column)
        marked = escape(_with_marks(cell, placements, chunks, sources)).replace("|", "\\|")
        row = escape(label).replace("|", "\\|")
        body = f"| Statement | {column} |\n| --- | --- |\n| {row} {verb} | {marked} |"
    else:
        placements = tuple(
            replace(p, at=p.at + span.start)
            for span in split_sentences(text)
            for p in locate_claim(span.of(text), chunks)
        )
        body = escape(_with_marks(text, placements, chunks, sources))
    view = Chunks({chunk.chunk_id: chunk for chunk in chunks})
    return judge(_render(body, sources, "", {}), "issuers/case.md", EmptyBundle(), view, predicates=FIGURES)


SCALES = {3: "thousand", 5: "lakh", 6: "million", 7: "crore", 9: "billion"}


def cell_parts(claim: str) -> tuple[str, str, str]:
    """The statement before the verb, the verb, and the cell of a claim that puts a table cell into a sentence."""
    match = re.match(r"(.*)\s(was|were|is|are)\s(.*?\d.*?)\.?$", claim, re.S)
    return (match[1], match[2], match[3]) if match else ("", "", claim.removesuffix("."))


def table_scale(claim: str, chunks: list[CitedChunk]) -> int:
    """The scale of the table that a bare cell was copied from: the page states it as the table does."""
    scales = Counter(e.scale for c in chunks for e in c.evidence if e.row_path and e.scale in SCALES)
    for scale, _ in scales.most_common():
        if judge_claim(claim, chunks, scale).passed:
            return scale
    return 0


def escape(text: str) -> str:
    """A claim as one markdown paragraph."""
    plain = " ".join(text.split())
    plain = re.sub(r"([\\`*_<>|#~])", r"\\\1", plain)
    return re.sub(r"\[(?!\^[cd]\d)", r"\\[", plain)


def original_of(row: dict[str, Any]) -> str:
    """The true claim behind a row."""
    if row["label"] == "grounded":
        return row["claim"]
    return restore(row["claim"], row["mutated_to"], row["original"])


def restore(claim: str, mutated: str, original: str) -> str:
    at = claim.lower().find(mutated.lower())
    return claim if at < 0 else claim[:at] + original + claim[at + len(mutated) :]


def evidence_chunks(claim: str, document: PackDocument) -> list[CitedChunk]:
    """The chunk(s) that hold a true claim's evidence: its sentence verbatim, else the best by numbers and words."""
    flat = " ".join(claim.split())
    for chunk in document.chunks:
        if flat in " ".join(chunk.text.split()):
            return [chunk]
    words = words_of(claim)
    numbers = {w for w in words if w[0].isdigit() and len(w) > 1}
    unit = ClaimUnit(UnitKind.SENTENCE, claim, Span(0, len(claim)), OffsetMap())
    scored: list[tuple[int, int, int, CitedChunk]] = []
    for number, (chunk, held) in enumerate(zip(document.chunks, document.words, strict=True)):
        shared = len(words & held)
        if shared >= 2:
            scored.append((6 * len(numbers & held) + shared, -number, 0, chunk))
    scored.sort(key=lambda item: (-item[0], -item[1]))
    ranked: list[tuple[int, int, CitedChunk]] = []
    for score, _, _, chunk in scored[:25]:
        reading = ChunkReading(chunk)
        context = UnitContext(unit, None, chunk.fiscal_year_end)
        fits = sum(
            any(e.unit in QUANTITIES and try_evidence(f, e, context, reading).code is None for e in chunk.evidence)
            for f in context.quantities
            if f.is_figure
        )
        ranked.append((fits + 2 * holds_labelled(claim, chunk), score, chunk))
    ranked.sort(key=lambda item: (-item[0], -item[1]))
    return [item[2] for item in ranked[:1]] or document.chunks[:1]


def holds_labelled(claim: str, chunk: CitedChunk) -> bool:
    """Whether a chunk prints one of the claim's numbers on a row whose label the claim names."""
    said, digits = claim.lower(), set(re.findall(r"\d[\d,.]*\d|\d", claim))
    return any(
        e.row_path
        and e.row_path[-1].lower() in said
        and len(e.row_path[-1]) > 3
        and set(re.findall(r"\d[\d,.]*\d|\d", e.printed)) & digits
        for e in chunk.evidence
    )


class Tally(Counter[str]):
    """Hits and totals by name."""

    def add(self, name: str, hit: bool) -> None:
        """Count one."""
        self[f"{name}:n"] += 1
        self[f"{name}:hit"] += hit

    def share(self, name: str) -> float | None:
        """Share of hits."""
        return round(self[f"{name}:hit"] / self[f"{name}:n"], 5) if self[f"{name}:n"] else None

    def names(self) -> list[str]:
        """All names counted."""
        return sorted({key.rsplit(":", 1)[0] for key in self})


def run_grounding(documents: dict[str, PackDocument], rows: list[dict[str, Any]]) -> dict[str, Any]:
    rejected, missed, stated = Tally(), Tally(), Tally()
    errors: list[dict[str, Any]] = []
    times: list[float] = []
    held: dict[str, list[CitedChunk]] = {}
    for row in rows:
        document = documents[row["doc_id"]]
        original = original_of(row)
        if row["pair"] not in held:
            held[row["pair"]] = evidence_chunks(original, document)
        chunks = held[row["pair"]]
        scale = 0
        if row["kind"] in ("table_cell", "qa_lookup"):
            bare = judge_claim(original, chunks)
            if row["label"] == "grounded":
                rejected.add(f"{row['kind']}_without_scale", not bare.passed)
            scale = 0 if bare.passed else table_scale(original, chunks)
        start = time.process_time()
        verdict = judge_claim(row["claim"], chunks, scale)
        times.append(time.process_time() - start)
        hard = [f for f in verdict.findings if f.severity is Severity.HARD]
        note = {
            "id": row["id"],
            "kind": row["kind"],
            "mutation": row["mutation"],
            "claim": row["claim"],
            "findings": [f"{f.code} {f.message}" for f in hard],
            "cited": [f.cited for f in verdict.findings][:2],
            "doc": row["doc_id"],
        }
        if row["label"] == "grounded":
            rejected.add("all", not verdict.passed)
            rejected.add(row["kind"], not verdict.passed)
            if not verdict.passed:
                errors.append({"error": "false_rejection", **note})
            continue
        states = is_stated(row, chunks)
        stated.add(row["mutation"], states)
        if states:
            missed.add(row["mutation"], verdict.passed)
            if verdict.passed:
                errors.append({"error": "miss", "change": f"{row['original']} -> {row['mutated_to']}", **note})
    return {
        "false_rejection": rejected.share("all"),
        "false_rejection_by_kind": {k: rejected.share(k) for k in rejected.names() if k != "all"},
        "miss": {k: missed.share(k) for k in missed.names()},
        "stated_share": {k: stated.share(k) for k in stated.names()},
        "counts": {"grounded": rejected["all:n"], **{k: missed[f"{k}:n"] for k in missed.names()}},
        "claim_ms_p50_p95": quantiles(times),
        "errors": errors,
    }


def quantiles(times: list[float]) -> list[float]:
    ordered = sorted(times) or [0.0]
    return [round(1000 * ordered[int(len(ordered) * q) if len(ordered) > 1 else 0], 2) for q in (0.5, 0.95)]


def is_stated(row: dict[str, Any], chunks: list[CitedChunk]) -> bool:
    """Whether the cited evidence states the property that the mutation changed."""
    text = " ".join(" ".join(c.text for c in chunks).split()).lower()
    original = row["original"].lower()
    if row["mutation"] == "digit_swap":
        return True
    if row["mutation"] == "entity":
        names = " ".join(n for c in chunks for n in c.entity_names).lower()
        return original in text or original in names or any(w in names for w in original.split()[:1])
    if row["mutation"] == "period":
        years = re.findall(r"(?:19|20)\d{2}", original)
        dated = {str(e.period.end.year) for c in chunks for e in c.evidence if e.period} | {
            str(e.period.start.year) for c in chunks for e in c.evidence if e.period and e.period.start
        }
        return any(y in text or y in dated for y in years) or original in text
    if row["mutation"] == "unit":
        return any(e.currency or e.unit.value != "count" for c in chunks for e in c.evidence)
    return True


# ---------------------------------------------------------------- computed figures


def run_derived(documents: dict[str, PackDocument], rows: list[dict[str, Any]]) -> dict[str, Any]:
    from derived import judge_derived

    tally = Tally()
    errors: list[dict[str, Any]] = []
    for row in rows:
        outcome = judge_derived(row, documents[row["doc_id"]])
        if outcome is None:
            tally["skipped"] += 1
            continue
        tally.add("accepted_with_operands", outcome.given.passed)
        tally.add("accepted_without_record", outcome.bare.passed)
        tally.add("accepted_with_altered_operand", outcome.altered.passed)
        if not outcome.given.passed or outcome.bare.passed or outcome.altered.passed:
            errors.append(
                {
                    "error": "derived",
                    "id": row["id"],
                    "claim": row["claim"],
                    "program": row["program"],
                    "expression": outcome.expression,
                    "given": list(outcome.given.codes),
                    "messages": [f.message for f in outcome.given.findings if f.severity is Severity.HARD],
                    "bare_passed": outcome.bare.passed,
                    "altered_passed": outcome.altered.passed,
                }
            )
    names = ("accepted_with_operands", "accepted_without_record", "accepted_with_altered_operand")
    result: dict[str, Any] = {name: tally.share(name) for name in names}
    return {**result, "n": tally["accepted_with_operands:n"], "not_run": tally["skipped"], "errors": errors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--only", default="", help="comma-separated parts: cases, grounding, derived, scopes")
    arguments = parser.parse_args()
    parts = set(arguments.only.split(",")) if arguments.only else {"cases", "grounding", "derived", "scopes"}
    result: dict[str, Any] = {"engine_version": RULES_VERSION, "machine": platform.platform()}
    errors: list[dict[str, Any]] = []
    if arguments.cases and "cases" in parts:
        outcomes = [run_case(case) for case in load_cases(arguments.cases)]
        result["cases_total"] = len(outcomes)
        result["cases_passed"] = sum(o.passed for o in outcomes)
        result["failed_cases"] = [
            {
                "id": o.case["id"],
                "expect": o.case["expect"],
                "findings": [f"{f.code} {f.message}" for f in o.verdict.findings],
            }
            for o in outcomes
            if not o.passed
        ]
    grounding = read_lines(arguments.pack / "grounding.jsonl")
    derived = read_lines(arguments.pack / "derived.jsonl")
    if arguments.limit:
        grounding, derived = grounding[: arguments.limit], derived[: arguments.limit]
    wanted = {row["doc_id"] for row in (grounding if parts & {"grounding", "scopes"} else [])}
    wanted |= {row["doc_id"] for row in (derived if "derived" in parts else [])}
    documents = {d.doc_id: d for d in read_documents(arguments.pack, wanted, arguments.cache)}
    if "grounding" in parts:
        measured = run_grounding(documents, grounding)
        errors += measured.pop("errors")
        result |= measured
    if "derived" in parts:
        measured = run_derived(documents, derived)
        errors += measured.pop("errors")
        result["derived"] = measured
    if "scopes" in parts:
        from scopes import run_scopes

        result["scopes"], result["peers"] = run_scopes(documents, grounding)
    result["n"] = len(grounding)
    result["error_count"] = len(errors)
    result["errors_by_code"] = dict(Counter(f.split()[0] for e in errors for f in e.get("findings", [])))
    result["errors"] = errors[:MAX_ERRORS]
    print(json.dumps(result, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
