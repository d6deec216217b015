"""Measures reading: how much of a pack's numbers, labels and periods is recovered from print alone, and how fast.

Run as ``python bench/parsing.py --pack PACK``. Inline-XBRL tags serve as truth only; evidence is extracted with
``use_tags=False``. Definitions of the shares stand in ``docs`` of the JSON output.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lxml import etree

from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import Chunk, ParsedDocument, XbrlFact
from viska_assets.model.evidence import Evidence, ScaleSource, Unit

ROOT = Path(__file__).resolve().parents[1]
MAX_ERRORS = int(os.environ.get("MAX_ERRORS", "200"))
DOCS = {
    "ixbrl_value_recovery": "facts whose printed digits have evidence with the tagged magnitude (scale applied), unit class"
    " and currency, and the sign that brackets or a minus print; all visible facts are the denominator",
    "sign_as_tagged": "recovered facts whose printed sign is also the tagged sign (presentation may negate a concept)",
    "ixbrl_recovered_with_labels": "recovered table facts whose chunk (prefix and text) holds the row label as the HTML row"
    " gives it, every column header and the text that states the scale",
    "table_cells_recovered": "numeric cells with evidence of the same digits under the row and column label of the gold"
    " table; a cell of a second header row (a year) counts where it heads the evidence of its column",
    "period_accuracy": "facts whose evidence states a period equal to the tag's (start within 7 days, end exactly)",
    "text_coverage": "visible characters (no white space, no ruling lines) that stand in some chunk",
}


@dataclass(slots=True)
class Tally:
    """Hits of a measure, with the reasons of the misses."""

    hits: int = 0
    total: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, hit: bool, **reason: Any) -> None:
        self.total += 1
        self.hits += hit
        if not hit:
            self.errors.append(reason)

    @property
    def share(self) -> float | None:
        return round(self.hits / self.total, 5) if self.total else None


def count_tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


@dataclass(slots=True)
class Parsed:
    document: ParsedDocument
    chunks: tuple[Chunk, ...]
    evidence: tuple[Evidence, ...]


def read(data: bytes, name: str) -> Parsed:
    document = read_document(data, name)
    chunks = chunk_document(document, count_tokens)
    return Parsed(document, chunks, extract_evidence(document, chunks, use_tags=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", required=True, type=Path)
    parser.add_argument("--only", default="", help="read only documents whose id contains this")
    parser.add_argument("--core", action="store_true", help="read only the documents marked core")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-determinism", action="store_true")
    parser.add_argument("--digest", action="store_true", help="print only the digest of all readings")
    args = parser.parse_args()
    rows = [row for row in lines(args.pack / "manifest.jsonl") if args.only in row["doc_id"]]
    rows = [row for row in rows if not args.core or row.get("core")]
    if args.digest:
        print(json.dumps({"digest": digest(args.pack, rows)}))
        return
    print(json.dumps(measure(args, rows), indent=1))


def lines(path: Path) -> Iterable[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def measure(args: argparse.Namespace, rows: list[dict[str, Any]]) -> dict[str, Any]:
    facts_by, cells_by = grouped(args.pack / "ixbrl_facts.jsonl"), grouped(args.pack / "table_cells.jsonl")
    tallies: dict[str, Tally] = defaultdict(Tally)
    costs: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for row in rows:
        data = (args.pack / row["path"]).read_bytes()
        started = time.process_time()
        parsed = read(data, Path(row["path"]).name)
        spent = time.process_time() - started
        cost = costs[row["format"]]
        cost[0] += spent
        cost[1] += len(data) / 1e6
        cost[2] += 1
        measure_coverage(row, data, parsed, tallies)
        if row["doc_id"] in facts_by:
            measure_facts(row, data, parsed, facts_by[row["doc_id"]], tallies)
        if row["doc_id"] in cells_by:
            measure_cells(row["doc_id"], parsed, cells_by[row["doc_id"]], tallies)
        print(f"{row['doc_id']}: {spent:.2f} s, {len(parsed.evidence)} numbers", file=sys.stderr)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "engine_version": engine_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "n": len(rows),
        "ixbrl_value_recovery_tables": tallies["tables"].share,
        "ixbrl_value_recovery_prose": tallies["prose"].share,
        "ixbrl_recovered_with_labels": tallies["labels"].share,
        "table_cells_recovered": tallies["cells"].share,
        "text_coverage": tallies["coverage"].share,
        "period_accuracy": tallies["period"].share,
        "period_accuracy_strict": tallies["period_strict"].share,
        "period_stated": tallies["period_stated"].share,
        "sign_as_tagged": tallies["signed"].share,
        "counts": {key: [tally.hits, tally.total] for key, tally in sorted(tallies.items())},
        "cpu_s_per_mb": {key: round(spent / size, 3) for key, (spent, size, _) in sorted(costs.items()) if size},
        "cpu_s_per_document": {key: round(spent / count, 3) for key, (spent, _, count) in sorted(costs.items())},
        "peak_rss_mb": round(peak / 1e6, 1),
        "determinism": None if args.no_determinism else check_determinism(args),
        "peers": {} if args.no_peers else measure_peers(args.pack, rows, facts_by, cells_by),
        "docs": DOCS,
        "errors": {
            key: {"count": len(tally.errors), "listed": tally.errors[:MAX_ERRORS]}
            for key, tally in sorted(tallies.items())
            if tally.errors
        },
    }


def grouped(path: Path) -> dict[str, list[dict[str, Any]]]:
    by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in lines(path):
        by[row["doc_id"]].append(row)
    return dict(by)


# --- inline XBRL -----------------------------------------------------------------------------------------------


def measure_facts(
    row: dict[str, Any], data: bytes, parsed: Parsed, truths: list[dict[str, Any]], tallies: dict[str, Tally]
) -> None:
    document = parsed.document
    labels = row_labels(data)
    visible = document.facts[len(document.facts) - len(labels) :]
    placed: dict[tuple[Any, ...], list[tuple[XbrlFact, str]]] = defaultdict(list)
    for fact, label in zip(visible, labels, strict=True):
        if fact.span is None:
            continue
        placed[fact_key(fact)].append((fact, label))
        placed[(*fact_key(fact)[:-1], "typed")].append((fact, label))
    spans = [(block.span.start, block.span.end) for block in document.blocks if block.table is not None]
    by_place = sorted(parsed.evidence, key=lambda e: e.span.start)
    starts = [e.span.start for e in by_place]
    chunks = {chunk.chunk_id: chunk for chunk in parsed.chunks}
    for truth in truths:
        if truth["hidden"] or truth["value"] is None:
            continue
        held = placed.get(truth_key(truth)) or placed.get((*truth_key(truth)[:-1], "typed"))
        if not held:
            tallies["prose"].add(
                False, doc=row["doc_id"], why="not located", concept=truth["concept"], display=truth["display"]
            )
            continue
        fact, label = held.pop(0) if len(held) > 1 else held[0]
        judge_fact(row["doc_id"], truth, fact, label, document, by_place, starts, chunks, spans, tallies)


def judge_fact(
    doc_id: str,
    truth: dict[str, Any],
    fact: XbrlFact,
    label: str,
    document: ParsedDocument,
    by_place: list[Evidence],
    starts: list[int],
    chunks: dict[str, Chunk],
    spans: list[tuple[int, int]],
    tallies: dict[str, Tally],
) -> None:
    from bisect import bisect_left

    span = fact.span
    assert span is not None
    kind = "tables" if any(start <= span.start < end for start, end in spans) else "prose"
    index = max(0, bisect_left(starts, span.start) - 2)
    near: list[Evidence] = []
    while index < len(by_place) and by_place[index].span.start <= span.end:
        if by_place[index].span.overlaps(span):
            near.append(by_place[index])
        index += 1
    found = next((e for e in near if agrees(e, truth, document.text)), None)
    around = document.text[max(0, span.start - 60) : span.end + 40].replace("\n", "⏎")
    reading = [f"{e.value} {e.unit} {e.currency} {e.scale_source}" for e in near]
    tallies[kind].add(
        found is not None,
        doc=doc_id,
        concept=truth["concept"],
        display=truth["display"],
        value=truth["value"],
        unit=truth["unit"],
        read=reading,
        text=around,
        path=[list(e.row_path + ("//",) + e.column_path) for e in near],
    )
    if found is None:
        return
    tallies["signed"].add(
        (found.value < 0) == (Decimal(truth["value"]) < 0),
        doc=doc_id,
        concept=truth["concept"],
        display=truth["display"],
    )
    if kind == "tables":
        missing = missing_labels(found, label, chunks[found.chunk_id])
        tallies["labels"].add(not missing, doc=doc_id, display=truth["display"], missing=missing, text=around)
    judge_period(doc_id, truth, found, around, tallies)


def judge_period(doc_id: str, truth: dict[str, Any], found: Evidence, around: str, tallies: dict[str, Tally]) -> None:
    tallies["period_stated"].add(
        found.period is not None, doc=doc_id, display=truth["display"], concept=truth["concept"], text=around
    )
    if found.period is None:
        return
    start = found.period.start.isoformat() if found.period.start else None
    end = found.period.end.isoformat()
    tallies["period_strict"].add(
        (start, end) == (truth["period_start"], truth["period_end"]), doc=doc_id, display=truth["display"]
    )
    one_day = truth["period_start"] == truth["period_end"] and start is None
    close = end == truth["period_end"] and ((start is None) == (truth["period_start"] is None) or one_day)
    if close and start is not None and found.period.start is not None:
        from datetime import date

        close = abs((found.period.start - date.fromisoformat(truth["period_start"])).days) <= 7
    tallies["period"].add(
        close,
        doc=doc_id,
        concept=truth["concept"],
        display=truth["display"],
        read=f"{start}..{end}",
        tagged=f"{truth['period_start']}..{truth['period_end']}",
        row=list(found.row_path),
        column=list(found.column_path),
        text=around,
    )


def fact_key(fact: XbrlFact) -> tuple[Any, ...]:
    period = fact.period
    return (
        fact.concept,
        str(fact.value.normalize()) if fact.value is not None else None,
        period.start.isoformat() if period and period.start else None,
        period.end.isoformat() if period else None,
        tuple(sorted(fact.dimensions)),
    )


def truth_key(truth: dict[str, Any]) -> tuple[Any, ...]:
    return (
        truth["concept"],
        str(Decimal(truth["value"]).normalize()),
        truth["period_start"],
        truth["period_end"],
        tuple(sorted(truth["dims"].items())),
    )


def agrees(evidence: Evidence, truth: dict[str, Any], text: str) -> bool:
    value = Decimal(truth["value"])
    unit = truth["unit"].lower()
    read = evidence.value
    if "share" in unit and unit != "shares":
        fits = evidence.unit is Unit.PER_SHARE
    elif unit == "shares":
        fits = evidence.unit is Unit.SHARES
    elif re.fullmatch(r"(?:iso4217[_:-]?)?[a-z]{3}", unit):
        fits = evidence.unit is Unit.MONEY and evidence.currency == unit[-3:].upper()
    elif evidence.unit is Unit.PERCENT:
        fits, read = True, read.scaleb(-2)
    elif evidence.unit is Unit.BASIS_POINT:
        fits, read = True, read.scaleb(-4)
    else:
        fits = evidence.unit in (Unit.COUNT, Unit.RATIO)
    return fits and abs(read) == abs(value) and (read == 0 or (read < 0) == printed_negative(evidence, text))


def printed_negative(evidence: Evidence, text: str) -> bool:
    """Whether a bracket or minus stands before the digits, read from the text without the product's code."""
    before = text[max(0, evidence.span.start - 6) : evidence.span.start].rstrip(" $€£")
    if re.search(r"(?:^|[\s(|])[-−]$", before) and not re.search(r"[\d%]\s*[-−]$", before):
        return True
    after = text[evidence.span.end : evidence.span.end + 4].lstrip(" %")
    return before.endswith("(") and after.startswith(")")


def missing_labels(found: Evidence, label: str, chunk: Chunk) -> list[str]:
    held = squeezed(chunk.prefix + " " + chunk.text)
    missing = []
    if label and squeezed(label) not in held:
        missing.append(f"row label {label!r}")
    missing.extend(f"column header {head!r}" for head in found.column_path if squeezed(head) not in held)
    stated = found.scale_source not in (ScaleSource.NONE, ScaleSource.CELL) and found.scale
    words = {3: ("thousand", "000"), 6: ("million", "mm"), 9: ("billion",)}
    if stated and not any(word in held for word in words.get(found.scale, ("",))):
        missing.append(f"scale 10^{found.scale} ({found.scale_source})")
    return missing


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "0123456789()abcdefghijklmnoprstuvwxyz")


def squeezed(text: str) -> str:
    return re.sub(r"[^0-9a-z%$()]", "", text.translate(_SUPERSCRIPTS).lower())


def row_labels(data: bytes) -> list[str]:
    """For each visible tagged number in order, the first text of its HTML row (empty outside of tables)."""
    try:
        root = etree.fromstring(data, etree.XMLParser(huge_tree=True, resolve_entities=False))
    except etree.XMLSyntaxError:
        root = etree.fromstring(data, etree.HTMLParser(huge_tree=True))
    labels: list[str] = []
    for element in root.iter():
        if not isinstance(element.tag, str) or not element.tag.lower().replace("}", ":").endswith(":nonfraction"):
            continue
        ancestors = [a for a in element.iterancestors() if isinstance(a.tag, str)]
        names = [a.tag.lower().rpartition("}")[2].rpartition(":")[2] for a in ancestors]
        if "hidden" in names or "header" in names:
            continue
        row = next((a for a, name in zip(ancestors, names, strict=True) if name == "tr"), None)
        cells = ["".join(cell.itertext()).strip() for cell in row] if row is not None else []
        first = next((cell for cell in cells if cell), "")
        labels.append(first if any(c.isalpha() for c in first) else "")
    return labels


# --- cells of FinQA and TAT-QA tables --------------------------------------------------------------------------


def measure_cells(doc_id: str, parsed: Parsed, truths: list[dict[str, Any]], tallies: dict[str, Tally]) -> None:
    by_digits: dict[str, list[Evidence]] = defaultdict(list)
    for evidence in parsed.evidence:
        by_digits[cell_digits(evidence.span.of(parsed.document.text))].append(evidence)
    heads = {squeezed(head) for evidence in parsed.evidence for head in evidence.column_path}
    for truth in truths:
        digits = cell_digits(truth["cell"])
        near = by_digits.get(digits, [])
        if not re.search(r"\d", truth["cell"]):
            continue
        hit = any(has_labels(e, truth) for e in near) or squeezed(truth["cell"]) in heads
        tallies["cells"].add(
            hit,
            doc=doc_id,
            cell=truth["cell"],
            row=truth["row_label"],
            column=truth["col_label"],
            read=[list(e.row_path + ("//",) + e.column_path) for e in near[:4]],
        )


def cell_digits(text: str) -> str:
    found = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", text)
    return found.group().replace(",", "") if found else ""


def has_labels(evidence: Evidence, truth: dict[str, Any]) -> bool:
    rows, columns = squeezed(" ".join(evidence.row_path)), squeezed(" ".join(evidence.column_path))
    row, column = squeezed(truth["row_label"]), squeezed(truth["col_label"])
    return (not row or row in rows or same_label(row, rows)) and (
        not column or column in columns or same_label(column, columns)
    )


def same_label(wanted: str, held: str) -> bool:
    """Equal up to a footnote mark at the end."""
    return bool(held) and re.sub(r"(?:\(\w{1,2}\)|\d)$", "", wanted) in held


# --- coverage --------------------------------------------------------------------------------------------------


def measure_coverage(row: dict[str, Any], data: bytes, parsed: Parsed, tallies: dict[str, Tally]) -> None:
    if row["format"] in ("html", "htm"):
        shown = visible_html(data)
    elif row["format"] == "pdf":
        shown = visible_pdf(data)
    elif row["format"] == "md":
        shown = re.sub(r"[|]|^\s*#+|-{3,}|\*\*|[*_`]", "", data.decode("utf-8"), flags=re.M)
    else:
        shown = visible_text(data.decode("utf-8", "replace"))
    wanted = Counter(plain(shown))
    held = Counter(plain("".join(chunk.text for chunk in parsed.chunks)))
    missing = wanted - held
    lost, total = sum(missing.values()), sum(wanted.values())
    tally = tallies["coverage"]
    tally.hits += total - lost
    tally.total += total
    if lost:
        tally.errors.append({"doc": row["doc_id"], "lost": lost, "of": total, "characters": missing.most_common(8)})


def plain(text: str) -> str:
    text = text.translate(_SUPERSCRIPTS)
    text = re.sub(r"[-=_~*.]{3,}", "", text)
    return re.sub(r"[\s|\u00ad\u200b-\u200f\u2060\ufeff\x00-\x1f\ufffe\u2010-\u2015\u2212-]", "", text)


def visible_html(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    body = re.search(r"<TEXT>(.*)</TEXT>", text, re.S)
    if text.lstrip().startswith("<DOCUMENT>") and body:
        text = body[1]
    text = re.sub(r"<\?xml[^>]*\?>", "", text).replace("<br/>", "<br> ")
    root = etree.fromstring(text.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    parts: list[str] = []
    walk(root, parts)
    return "".join(parts)


def walk(element: Any, parts: list[str]) -> None:
    name = element.tag.lower() if isinstance(element.tag, str) else ""
    style = (element.get("style") or "").lower().replace(" ", "") if name else ""
    hidden = (
        not name or name in ("script", "style", "head", "title", "ix:header", "ix:hidden") or "display:none" in style
    )
    if not hidden:
        parts.append(element.text or "")
        for child in element:
            walk(child, parts)
            parts.append(child.tail or "")


def visible_pdf(data: bytes) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    return "".join(document[index].get_textpage().get_text_range() for index in range(len(document)))


def visible_text(text: str) -> str:
    """The submission without transport envelope and SGML marks."""
    text = re.sub(r"-----BEGIN PRIVACY.*?(?=<(?:SEC|IMS)-HEADER)", "", text, flags=re.S)
    text = re.sub(r"-----END PRIVACY[^\n]*|^<(?:SEQUENCE|FILENAME|TEXT|DOCUMENT)>.*$", "", text, flags=re.M)
    text = re.sub(r"<(?:SEC|IMS)-HEADER>[^\n]*", "", text)
    return re.sub(r"</?[A-Z][A-Z0-9-]*>", "", text)


# --- determinism, peers, versions -------------------------------------------------------------------------------


def digest(pack: Path, rows: list[dict[str, Any]]) -> str:
    total = hashlib.sha256()
    for row in rows:
        parsed = read((pack / row["path"]).read_bytes(), Path(row["path"]).name)
        total.update(repr((parsed.document, parsed.chunks, parsed.evidence)).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def check_determinism(args: argparse.Namespace) -> dict[str, Any]:
    """Digests of two runs of the core documents with other hash seed, locale and time zone."""
    digests = []
    for seed, locale, zone in (("1", "C", "UTC"), ("4242", "de_DE.UTF-8", "Pacific/Auckland")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
        command = [sys.executable, __file__, "--pack", str(args.pack), "--digest", "--core"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        digests.append(json.loads(done.stdout)["digest"])
    return {"identical": len(set(digests)) == 1, "digests": digests}


def measure_peers(
    pack: Path, rows: list[dict[str, Any]], facts_by: dict[str, Any], cells_by: dict[str, Any]
) -> dict[str, Any]:
    """Public parsers on the same files: CPU per MB, and the share of truth numbers that stand whole in their output."""
    peers: dict[str, tuple[str, Callable[[bytes], str]]] = {
        "lxml.text_content": ("html", peer_lxml),
        "pandas.read_html": ("html", peer_pandas),
        "pypdfium2.text": ("pdf", visible_pdf),
        "pdfminer.six": ("pdf", peer_pdfminer),
    }
    results: dict[str, Any] = {}
    for name, (kind, peer) in peers.items():
        spent = size = 0.0
        kept = wanted = 0
        for row in rows:
            limit = 400_000 if name == "pdfminer.six" else 1 << 40
            if row["format"] != kind or row["bytes"] > limit:
                continue
            data = (pack / row["path"]).read_bytes()
            started = time.process_time()
            try:
                text = peer(data)
            except (ValueError, ImportError) as error:
                results.setdefault(name, {}).setdefault("failed", []).append(f"{row['doc_id']}: {error}")
                text = ""
            spent += time.process_time() - started
            size += len(data) / 1e6
            numbers = set(re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text))
            displays = [t["display"] for t in facts_by.get(row["doc_id"], ()) if not t["hidden"]]
            displays += [t["cell"] for t in cells_by.get(row["doc_id"], ())]
            for display in displays:
                found = re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", display)
                if found:
                    wanted += 1
                    kept += found.group() in numbers
        results.setdefault(name, {}).update(
            cpu_s_per_mb=round(spent / size, 3) if size else None,
            numbers_kept=round(kept / wanted, 5) if wanted else None,
            n_numbers=wanted,
            scale_sign_unit_read=False,
        )
        print(f"peer {name}: {results[name]}", file=sys.stderr)
    return results


def peer_lxml(data: bytes) -> str:
    import lxml.html

    return str(lxml.html.document_fromstring(data).text_content())


def peer_pandas(data: bytes) -> str:
    import io

    import pandas

    tables = pandas.read_html(io.BytesIO(data), flavor="lxml", thousands=None)
    return "\n".join(" ".join(map(str, table.to_numpy().ravel())) for table in tables)


def peer_pdfminer(data: bytes) -> str:
    import io

    from pdfminer.high_level import extract_text

    return extract_text(io.BytesIO(data))


def engine_version() -> str:
    total = hashlib.sha256()
    for room in ("model", "text", "ingest"):
        for path in sorted((ROOT / "viska_assets" / room).rglob("*.py")):
            total.update(path.read_bytes())
    return total.hexdigest()[:12]


if __name__ == "__main__":
    try:
        main()
    except InvalidOperation as error:
        raise SystemExit(f"a truth value is no number: {error}") from error
