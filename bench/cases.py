"""Worked number cases run through the product: the source becomes a chunk with evidence, the claim a page.

A case writes its source as a short note; this module spells the note out as the document it stands for (a table, a
tagged number, a paragraph) and hands that to the reader, the evidence extractor, the citation finder and the gate.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from viska_assets.guardrail.gate import judge
from viska_assets.guardrail.locate import Placement, locate_claim, locator_of
from viska_assets.guardrail.reading import ChunkReading
from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import extract_evidence, main_currency
from viska_assets.ingest.reading import read_document
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.page import Computation, ConceptType, Frontmatter, Generated, Page, SourceEntry
from viska_assets.model.span import Span
from viska_assets.model.verdict import Verdict
from viska_assets.model.views import CitedChunk
from viska_assets.okf.page import render_page
from viska_assets.text.locales import infer_locale

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class EmptyBundle:
    """A bundle without pages and claims."""

    def has_page(self, concept_id: str) -> bool:
        """No page exists."""
        return False

    def claims(self, key: ClaimKey) -> tuple[Claim, ...]:
        """No claim is accepted."""
        return ()

    def claim(self, claim_id: str) -> Claim | None:
        """No claim is accepted."""
        return None

    def disagreeing(self, key: ClaimKey) -> Iterable[Claim]:
        """Nobody else says anything."""
        return ()


@dataclass
class Chunks:
    """An evidence view over a few chunks."""

    held: dict[str, CitedChunk]

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        """One of the chunks."""
        return self.held.get(chunk_id)


@dataclass(frozen=True)
class Outcome:
    """What the gate said of a case."""

    case: dict[str, Any]
    verdict: Verdict
    placements: tuple[Placement, ...]

    @property
    def passed(self) -> bool:
        """Whether the gate answered as the case expects."""
        return self.verdict.passed == (self.case["expect"] == "grounded")


def load_cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def run_case(case: dict[str, Any]) -> Outcome:
    chunks = source_chunks(case)
    page, placements = case_page(case, chunks)
    view = Chunks({chunk.chunk_id: chunk for chunk in chunks.values()})
    return Outcome(case, judge(page, "issuers/case.md", EmptyBundle(), view), placements)


# ---------------------------------------------------------------- source


_PART = re.compile(r"\((c\d+)\)\s")
_CITED_ONLY = re.compile(r"^\(cited chunk (c\d+)\)\s*(.*?)\s*\(uncited chunk .*\)$", re.S)
_ASIDE = re.compile(r"^\(question:[^()]*\)\s*")


def source_chunks(case: dict[str, Any]) -> dict[str, CitedChunk]:
    """The chunks that the case's note stands for, by the names it uses."""
    text = case["source_text"]
    only = _CITED_ONLY.match(text)
    if only:
        return {only[1]: build_chunk(only[1], only[2], case)}
    parts = _PART.split(text)
    if len(parts) > 1:
        return {
            name: build_chunk(name, body.strip(), case) for name, body in zip(parts[1::2], parts[2::2], strict=True)
        }
    return {"c1": build_chunk("c1", _ASIDE.sub("", text), case)}


def build_chunk(name: str, text: str, case: dict[str, Any]) -> CitedChunk:
    locale = case.get("source_locale") or infer_locale(text)
    document = read_document(as_html(text).encode(), f"{name}.html")
    fye = tuple(int(part) for part in case["issuer_fye"].split("-")) if case.get("issuer_fye") else None
    cover = replace(document.cover, locale=locale, fiscal_year_end=fye)
    document = replace(document, cover=cover)
    chunks = chunk_document(document, lambda piece: len(piece.split()), target=4000, ceiling=8000)
    evidence = extract_evidence(document, chunks)
    names = re.match(r"((?:[A-Z][\w&]*\s)+(?:Inc|Corp|Ltd|plc|AG|A/S)\.?)\s", text)
    return CitedChunk(
        chunk_id=f"chunk-{name}",
        document_id=document.document_id,
        text=document.text,
        content_sha256=f"hash-{name}",
        span=Span(0, len(document.text)),
        entity="issuers/case" if names else None,
        entity_names=(names[1],) if names else (),
        fiscal_year_end=fye if fye is None else (fye[0], fye[1]),
        locale=locale,
        currency=main_currency(document),
        evidence=tuple(replace(e, chunk_id=f"chunk-{name}") for e in evidence),
    )


_NOTE = re.compile(
    r"\((?:in\s)?(?:[A-Z]{3}|[$€£]|US\$)?\s?(?:millions?|billions?|thousands?|bn|m|t\.\s?kr\.?|tkr\.?|'000)?"
    r"(?:\sof\s[\w\s]+?dollars|\sof\sdollars|,\srounded|,\sdecimals\s-?\d+)?\)",
    re.I,
)
_LABELLED = re.compile(r"^(?P<label>[^:|\d]*[^:|\d\s]):?\s+(?P<value>[-−–(]?[$€£]?\s?\d[\d.,]*\)?%?)$")
_DECIMALS = re.compile(
    r"(?P<label>[A-Za-z ]+?)\s(?P<value>\d[\d,.]*)\s\((?P<ccy>[A-Z]{3})\sm,\sdecimals\s(?P<decimals>-?\d+)\)"
)
_SIGNED = re.compile(r"^\((?P<value>\d[\d,.]*)\)\swith\ssign='-'\s\((?P<ccy>[A-Z]{3})\s(?P<scale>\w+)\)$")
_TAGGED = re.compile(
    r"<ix\ssign='-'>\((?P<value>\d[\d,.]*)\)</ix>\s(?P<label>[^,]+),\s(?P<ccy>[A-Z]{3})\s(?P<scale>\w+)"
)
_SCALED = re.compile(r"^scale=(?P<scale>-?\d+):\s(?P<value>\d[\d.]*)\s\(stored\sas\s[\d.]+\)$")
_FORMAT = re.compile(r"^(?P<format>num-?(?:comma|dot)-?decimal):\s(?P<value>[\d.,]+)\s(?P<ccy>[A-Z]{3})$")
_POWER = {"million": 6, "m": 6, "billion": 9, "thousand": 3}


def as_html(text: str) -> str:
    """The document that a case's note stands for."""
    return f"<html><body>{''.join(_blocks(text))}</body></html>"


def _blocks(text: str) -> Iterator[str]:
    tagged = _as_tagged(text)
    if tagged:
        yield tagged
        return
    lines = text.split("\n")
    rows = [line for line in lines if line.startswith("|")]
    if len(lines) > 1 and rows:
        for is_row, group in groupby(lines, key=lambda line: line.startswith("|")):
            members = list(group)
            if is_row:
                yield _table([_cells(row) for row in members])
            else:
                yield from (f"<p>{html.escape(line.replace('Table: ', ''))}</p>" for line in members)
        return
    if "|" in text:
        yield from _single_row(text)
        return
    yield from _line(text)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _table(rows: list[list[str]], caption: str = "") -> str:
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (f"<p>{html.escape(caption)}</p>" if caption else "") + f"<table>{body}</table>"


def _single_row(text: str) -> Iterator[str]:
    """One printed row, with its scale note outside the cells."""
    note = _NOTE.search(text)
    bare = text.replace(note[0], "") if note and len(note[0]) > 2 else text
    cells = [cell for cell in _cells(bare)]
    while cells and not cells[-1]:
        cells.pop()
    yield _table([cells], note[0] if note and bare != text else "")


def _line(text: str) -> Iterator[str]:
    """A label with its value is a row; anything else is a paragraph."""
    note = _NOTE.search(text)
    bare = " ".join(text.replace(note[0], " ").split()).replace(" :", ":") if note and len(note[0]) > 2 else text
    head, _, rest = bare.partition(": ")
    if note and re.search(r"(?:ended|as of)\s", head, re.I) and (inner := _LABELLED.match(rest)):
        yield _table([["", head], [inner["label"], inner["value"]]], note[0])
        return
    row = _LABELLED.match(bare)
    if row and ((note and bare != text) or ":" in bare):
        yield _table([[row["label"].rstrip(":"), row["value"]]], note[0] if note and bare != text else "")
        return
    yield f"<p>{html.escape(text)}</p>"


# ---------------------------------------------------------------- tagged numbers


def _as_tagged(text: str) -> str:
    """Notes that describe inline XBRL, as inline XBRL."""
    several = list(_DECIMALS.finditer(text))
    if several:
        return _tagged(
            [
                (m["label"], m["value"], f'scale="6" decimals="{m["decimals"]}"', m["ccy"], "us-gaap:Assets")
                for m in several
            ]
        )
    signed = _SIGNED.match(text) or _TAGGED.match(text)
    if signed:
        label = signed.groupdict().get("label") or "Net loss"
        scale = f'scale="{_POWER[signed["scale"].lower()]}" sign="-" decimals="-6"'
        return _tagged([(label, f"({signed['value']})", scale, signed["ccy"], "us-gaap:NetIncomeLoss")])
    scaled = _SCALED.match(text)
    if scaled:
        return _tagged([("Assumption", scaled["value"], f'scale="{scaled["scale"]}" decimals="3"', "", "us-gaap:Rate")])
    formed = _FORMAT.match(text)
    if formed:
        style = formed["format"].replace("num-", "num").replace("-", "")
        return _tagged(
            [("Value", formed["value"], f'scale="0" decimals="2" format="ixt:{style}"', formed["ccy"], "us-gaap:Value")]
        )
    return ""


def _tagged(items: list[tuple[str, str, str, str, str]]) -> str:
    unit = items[0][3]
    measure = f"iso4217:{unit}" if unit else "xbrli:pure"
    rows = []
    for label, value, attributes, _, concept in items:
        opened, digits, closed = re.match(r"(\(?)([^()]*)(\)?)", value).groups()  # type: ignore[union-attr]
        tag = f'<ix:nonFraction name="{concept}" contextRef="c" unitRef="u" {attributes}>{digits}</ix:nonFraction>'
        rows.append(f"<tr><td>{html.escape(label)}</td><td>{opened}{tag}{closed}</td></tr>")
    header = (
        '<div style="display:none"><ix:header><ix:resources><xbrli:context id="c"><xbrli:entity>'
        '<xbrli:identifier scheme="s">1</xbrli:identifier></xbrli:entity>'
        "<xbrli:period><xbrli:startDate>2025-01-01</xbrli:startDate><xbrli:endDate>2025-12-31</xbrli:endDate></xbrli:period></xbrli:context>"
        f'<xbrli:unit id="u"><xbrli:measure>{measure}</xbrli:measure></xbrli:unit></ix:resources></ix:header></div>'
    )
    return f"{header}<table>{''.join(rows)}</table>"


# ---------------------------------------------------------------- page


_MARK = re.compile(r"\s?\[\^?(c?\d+)\]")


def case_page(case: dict[str, Any], chunks: dict[str, CitedChunk]) -> tuple[str, tuple[Placement, ...]]:
    """The page that states the case's claim and cites its chunk."""
    text, extra = case["text"], {}
    if text.startswith("---\n"):
        head, _, text = text[4:].partition("\n---\n")
        extra = dict(line.split(": ", 1) for line in head.splitlines())
    currency = case.get("page_currency", "")
    sources: list[SourceEntry] = []
    if case.get("derivation"):
        body = _derived_page(case, text, chunks, sources)
        return _render(body, sources, currency, extra), ()
    if _MARK.search(text):
        body, placements = _marked_page(text, chunks, sources, currency or None)
        return _render(body, sources, currency, extra), placements
    if "cited" in case and case["cited"] is None:
        return _render(text, [], currency, extra), ()
    cited = [chunks[case["cited"]]] if case.get("cited") in chunks else list(chunks.values())
    placements = locate_claim(text, cited, currency=currency or None)
    return _render(_with_marks(text, placements, cited, sources), sources, currency, extra), placements


def _with_marks(
    text: str, placements: tuple[Placement, ...], cited: list[CitedChunk], sources: list[SourceEntry]
) -> str:
    hashes = {chunk.chunk_id: chunk.content_sha256 for chunk in cited}
    body = text
    for number, placement in reversed(list(enumerate(placements, start=1))):
        body = f"{body[: placement.at]}[^c{number}]{body[placement.at :]}"
    for number, placement in enumerate(placements, start=1):
        sources.append(_entry(f"c{number}", placement, hashes[placement.chunk_id]))
    return body


def _entry(source_id: str, placement: Placement, sha256: str) -> SourceEntry:
    return SourceEntry(
        id=source_id,
        resource="/sources/case.md",
        title="Case",
        chunk=placement.chunk_id,
        locator=placement.locator,
        excerpt=placement.excerpt,
        content_sha256=sha256,
    )


def _marked_page(
    text: str, chunks: dict[str, CitedChunk], sources: list[SourceEntry], currency: str | None
) -> tuple[str, tuple[Placement, ...]]:
    """A claim with marks of its own: each mark's locator serves the words since the mark before."""
    pieces, found, last = [], [], 0
    only = next(iter(chunks.values()))
    for match in _MARK.finditer(text):
        before = text[last : match.start()]
        chunk = chunks.get(match[1]) or (only if not match[1].startswith("c") else None)
        if chunk is not None and match[1] not in {entry.id for entry in sources}:
            placement = locate_claim(before, [chunk], currency=currency)[0]
            found.append(placement)
            sources.append(_entry(match[1], placement, chunk.content_sha256))
        pieces.append(f"{before}[^{match[1]}]")
        last = match.end()
    return "".join(pieces) + text[last:], tuple(found)


def _derived_page(case: dict[str, Any], text: str, chunks: dict[str, CitedChunk], sources: list[SourceEntry]) -> str:
    derivation = case["derivation"]
    operands: dict[str, str] = {}
    for name, printed in derivation.items():
        if name in ("expr", "result"):
            continue
        entry = _operand(f"c{len(sources) + 1}", printed, chunks)
        sources.append(entry)
        operands[name] = entry.id
    sources.append(
        SourceEntry(
            id="d1", resource="computed", computation=Computation(expression=derivation["expr"], operands=operands)
        )
    )
    stop = re.search(r"[.!?]?$", text)
    at = stop.start() if stop else len(text)
    return f"{text[:at]}[^d1]{text[at:]}"


def _operand(source_id: str, printed: str, chunks: dict[str, CitedChunk]) -> SourceEntry:
    wanted = printed.strip("$%()")
    for chunk in chunks.values():
        for evidence in chunk.evidence:
            if evidence.printed.strip("$%() ") == wanted:
                reading = ChunkReading(chunk)
                placement = Placement(0, chunk.chunk_id, locator_of(evidence, reading), evidence.printed)
                return _entry(source_id, placement, chunk.content_sha256)
    chunk = next(iter(chunks.values()))
    return _entry(source_id, Placement(0, chunk.chunk_id, None, printed), chunk.content_sha256)


def _render(body: str, sources: list[SourceEntry], currency: str, extra: dict[str, Any]) -> str:
    head = Frontmatter(
        type=ConceptType.ISSUER,
        title="Case",
        description="A worked case.",
        currency=currency,
        sources=tuple(sources),
        generated=Generated(by="human:case", at=NOW),
        timestamp=NOW,
        extra=extra,
    )
    return render_page(Page(concept_id="issuers/case", head=head, body=f"# Case\n\n{body}"))
