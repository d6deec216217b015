"""How much each scope of evidence lets through: random and swapped numbers at cell, row, chunk and document scope.

The same claims go to the gate's matching, to plain digit matching and to a public parser of prices where one is
installed, in one run.
"""

import random
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from packs import PackDocument

from viska_assets.guardrail.matching import Fit, Magnitude, fit, units_fit
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.text.numerals import last_nonzero_place

SAMPLE = 400
Matcher = Callable[[str, Decimal, Evidence, Evidence], bool]


def run_scopes(documents: dict[str, PackDocument], rows: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Share of wrong numbers that find a match, by scope and mutation, for the gate's matching and its peers."""
    generator = random.Random(7)
    samples = list(_samples(documents, generator))
    result = {"gate": _table(samples, documents, _gate), "digits": _table(samples, documents, _digits)}
    peers: dict[str, Any] = {"digit_matching": result["digits"]}
    public = _public()
    if public is not None:
        peers[public[0]] = _table(samples, documents, public[1])
    return {**result["gate"], "n": len(samples)}, peers


def _samples(
    documents: dict[str, PackDocument], generator: random.Random
) -> Iterable[tuple[str, Evidence, Decimal, Decimal]]:
    """Cells of money with a random number of the same length, and another real number of the document."""
    found: list[tuple[str, Evidence, Decimal, Decimal]] = []
    for doc_id, document in sorted(documents.items()):
        cells = [
            e
            for c in document.chunks
            for e in c.evidence
            if e.row_path and e.column_path and e.unit is Unit.MONEY and e.value
        ]
        if len(cells) < 20:
            continue
        for evidence in generator.sample(cells, min(12, len(cells))):
            digits = len(str(int(abs(evidence.value) / evidence.quantum)))
            low = 10 ** max(0, digits - 1)
            wrong = Decimal(generator.randint(low, 10 * low - 1)) * evidence.quantum
            other = generator.choice(cells)
            if wrong != abs(evidence.value) and other.value != evidence.value:
                found.append((doc_id, evidence, wrong, abs(other.value)))
    generator.shuffle(found)
    return found[:SAMPLE]


def _table(
    samples: list[tuple[str, Evidence, Decimal, Decimal]], documents: dict[str, PackDocument], matches: Matcher
) -> dict[str, Any]:
    hits: dict[tuple[str, str], int] = {}
    for doc_id, evidence, wrong, swap in samples:
        scopes = _scopes(documents[doc_id], evidence)
        for mutation, value in (("random", wrong), ("swap", swap)):
            printed = _printed(value, evidence)
            for scope, held in scopes.items():
                accepted = any(matches(printed, value, evidence, e) for e in held)
                hits[scope, mutation] = hits.get((scope, mutation), 0) + accepted
    total = len(samples) or 1
    return {
        scope: {m: round(hits.get((scope, m), 0) / total, 4) for m in ("random", "swap")}
        for scope in ("cell", "row", "chunk", "document")
    }


def _scopes(document: PackDocument, evidence: Evidence) -> dict[str, list[Evidence]]:
    chunk = next(c for c in document.chunks if c.chunk_id == evidence.chunk_id)
    return {
        "cell": [evidence],
        "row": [e for e in chunk.evidence if e.row_path == evidence.row_path],
        "chunk": list(chunk.evidence),
        "document": [e for c in document.chunks for e in c.evidence],
    }


def _printed(value: Decimal, evidence: Evidence) -> str:
    shown = value.scaleb(-evidence.scale)
    return f"{shown:,f}".rstrip("0").rstrip(".") if "." in f"{shown:f}" else f"{shown:,f}"


def _gate(printed: str, value: Decimal, claimed: Evidence, held: Evidence) -> bool:
    page = Magnitude(value, claimed.quantum, max(last_nonzero_place(value), claimed.quantum))
    source = Magnitude(abs(held.value), held.quantum, last_nonzero_place(abs(held.value)), held.bound)
    if fit(page, source) is Fit.NONE or (claimed.currency and held.currency and claimed.currency != held.currency):
        return False
    bare = held.unit is Unit.COUNT
    return units_fit(claimed.unit, held.unit, page_bare=False, source_bare=bare, per_share=False, ratio=False)


def _digits(printed: str, value: Decimal, claimed: Evidence, held: Evidence) -> bool:
    strip = str.maketrans("", "", ",()$€£% ")
    return printed.translate(strip) == held.printed.translate(strip)


def _public() -> tuple[str, Matcher] | None:
    try:
        from price_parser import Price
    except ImportError:
        return _babel()

    def matches(printed: str, value: Decimal, claimed: Evidence, held: Evidence) -> bool:
        return Price.fromstring(printed).amount == Price.fromstring(held.printed).amount

    return "price-parser", matches


def _babel() -> tuple[str, Matcher] | None:
    try:
        from babel.numbers import NumberFormatError, parse_decimal
    except ImportError:
        return None

    def parsed(text: str) -> Decimal | None:
        try:
            return abs(parse_decimal(text.strip(" $()%€£"), locale="en_US"))
        except NumberFormatError:
            return None

    def matches(printed: str, value: Decimal, claimed: Evidence, held: Evidence) -> bool:
        number = parsed(held.printed)
        return number is not None and parsed(printed) == number

    return "babel", matches
