"""Judges of the parsing benchmark: readings against inline-XBRL facts, gold table cells and visible characters."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from lxml import etree

from viska_assets.model.document import Chunk, ParsedDocument, XbrlFact
from viska_assets.model.evidence import Evidence, ScaleSource, Unit


@dataclass(slots=True)
class Tally:
    """Hits of a measure, with the reasons of the misses."""

    hits: int = 0
    total: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, hit: bool, **reason: Any) -> None:
        """Count a case; a miss keeps its reason."""
        self.total += 1
        self.hits += hit
        if not hit:
            self.errors.append(reason)

    @property
    def share(self) -> float | None:
        """Hits over cases, None where there are none."""
        return round(self.hits / self.total, 5) if self.total else None


@dataclass(slots=True)
class Parsed:
    """One document with its chunks and its evidence as printed."""

    document: ParsedDocument
    chunks: tuple[Chunk, ...]
    evidence: tuple[Evidence, ...]


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
        path=[[*e.row_path, "//", *e.column_path] for e in near],
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
            read=[[*e.row_path, "//", *e.column_path] for e in near[:4]],
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
    # Parted, so that a mark at the end of one chunk and a rule at the start of the next are not taken for one rule.
    held = Counter(plain("\n".join(chunk.text for chunk in parsed.chunks)))
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
