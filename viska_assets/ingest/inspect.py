"""One document laid open: blocks, tables, chunks and the typed reading of each number, as text and as one HTML page."""

import html
from collections import Counter
from collections.abc import Iterator, Sequence

from viska_assets.ingest.spool import ReadChunks
from viska_assets.model.document import Block, Chunk, ParsedDocument
from viska_assets.model.evidence import Evidence

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--mark:#ffe08a;--hot:#ffb02e}
:root{--ink:#1c1e21;--paper:#fdfdfb;--soft:#6b7280}
@media(prefers-color-scheme:dark){
:root{--ink:#e6e6e3;--paper:#16181b;--mark:#5a4a12;--hot:#a9780f;--soft:#9aa3ad}}
body{font:15px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
body{margin:0 auto;max-width:72rem;padding:1.5rem}
h1{font-size:1.35rem;margin:0 0 .25rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0 1.5rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
section{border-top:1px solid var(--line);padding:.6rem 0 .8rem}
.meta{color:var(--soft);font-size:.8rem;white-space:pre-wrap}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:.35rem 0 0}
.table{font-family:ui-monospace,monospace;font-size:.85rem}
b[data-r]{font-weight:inherit;background:var(--mark);border-radius:3px;padding:0 2px}
b[data-r]{position:relative;cursor:help}
b[data-r]:hover,b[data-r]:focus{background:var(--hot);outline:none}
b[data-r]:hover::after,b[data-r]:focus::after{content:attr(data-r);position:absolute;left:0;top:1.6em;
z-index:9;white-space:pre;font:12px/1.5 ui-monospace,monospace;background:var(--ink);color:var(--paper);
padding:.5rem .7rem;border-radius:6px;min-width:max-content}
"""


def reading_of(evidence: Evidence) -> str:
    """The typed reading of one number, a property a line."""
    period = evidence.period
    shown = "" if period is None else (f"{period.start} to {period.end}" if period.start else f"at {period.end}")
    pairs = (
        ("value", f"{evidence.value:,f}"),
        ("unit", " ".join(part for part in (evidence.unit.value, evidence.currency or "") if part)),
        ("scale", f"10^{evidence.scale} from {evidence.scale_source.value}" if evidence.scale else ""),
        ("quantum", f"{evidence.quantum:f}"),
        ("bound", evidence.bound.value if evidence.bound.value != "eq" else ""),
        ("row", " > ".join(evidence.row_path)),
        ("column", " > ".join(evidence.column_path)),
        ("cell", evidence.cell or ""),
        ("period", shown),
        ("basis", evidence.basis.value if evidence.basis else ""),
        ("scenario", evidence.scenario.value if evidence.scenario else ""),
        ("tag", evidence.xbrl.concept if evidence.xbrl else ""),
        ("confidence", str(evidence.confidence) if evidence.confidence is not None else ""),
    )
    return "\n".join(f"{name:<10} {value}" for name, value in pairs if value)


def inspect_text(document: ParsedDocument, chunks: ReadChunks, *, numbers: bool = True) -> str:
    """Blocks, chunks and evidence of a document for the terminal."""
    lines = [f"{name:<12} {value}" for name, value in _facts(document, chunks)]
    lines += [f"notice       {notice.kind.value}: {notice.detail} ({notice.count})" for notice in document.notices]
    for chunk, held in chunks:
        place = f"page {chunk.page}, " if chunk.page else ""
        lines += [
            "",
            f"[{chunk.ordinal}] {chunk.chunk_id} {chunk.kind.value}, {place}{chunk.tokens} tokens, {len(held)} numbers",
        ]
        lines += [f"  | {line}" for line in chunk.prefix.splitlines()]
        lines += [f"  {line}" for line in chunk.text.splitlines()]
        if numbers:
            lines += [f"    {one.printed:>16}  {' · '.join(reading_of(one).split(chr(10)))}" for one in held]
    return "\n".join(lines) + "\n"


def inspect_html(document: ParsedDocument, chunks: ReadChunks) -> Iterator[str]:
    """A self-contained HTML page, part by part: every number is marked, its typed reading shows on hover or focus.

    Nothing is fetched and no script runs; all text of the document is escaped.
    """
    title = html.escape(document.cover.title or document.document_id)
    facts = "".join(f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in _facts(document, chunks))
    notices = "".join(
        f"<dt>notice</dt><dd>{html.escape(f'{n.kind.value}: {n.detail} ({n.count})')}</dd>" for n in document.notices
    )
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1><dl>{facts}{notices}</dl>"
    )
    for chunk, held in chunks:
        yield _section(chunk, held)
    yield "</body></html>\n"


def _facts(document: ParsedDocument, chunks: ReadChunks) -> Iterator[tuple[str, str]]:
    cover = document.cover
    yield "document", document.document_id
    yield "media type", document.media_type.value
    for name in ("title", "issuer", "cik", "ticker", "form", "period_end", "published_at", "asserter", "locale"):
        value = getattr(cover, name)
        if value:
            yield name.replace("_", " "), str(value)
    if cover.fiscal_year_end:
        yield "year ends", f"{cover.fiscal_year_end[0]:02d}-{cover.fiscal_year_end[1]:02d}"
    yield "blocks", ", ".join(f"{count} {kind}" for kind, count in _kinds(document.blocks))
    yield "chunks", str(chunks.chunks)
    yield "numbers", f"{chunks.numbers}" + (f", {chunks.tagged} tagged" if chunks.tagged else "")


def _kinds(blocks: Sequence[Block]) -> list[tuple[str, int]]:
    return sorted(Counter(block.kind.value for block in blocks).items())


def _section(chunk: Chunk, held: Sequence[Evidence]) -> str:
    place = f"page {chunk.page} · " if chunk.page else ""
    meta = f"{chunk.ordinal} · {chunk.chunk_id} · {chunk.kind.value} · {place}{chunk.tokens} tokens\n{chunk.prefix}"
    kind = "text table" if chunk.kind.value == "table" else "text"
    return (
        f'<section id="{chunk.chunk_id}"><div class="meta">{html.escape(meta.strip())}</div>'
        f'<div class="{kind}">{_marked(chunk, held)}</div></section>'
    )


def _marked(chunk: Chunk, held: Sequence[Evidence]) -> str:
    parts: list[str] = []
    position = 0
    for one in sorted(held, key=lambda e: (e.span.start, -e.span.end)):
        start, end = one.span.start - chunk.span.start, one.span.end - chunk.span.start
        if start < position:
            continue
        parts.append(html.escape(chunk.text[position:start]))
        reading = html.escape(reading_of(one), quote=True).replace("\n", "&#10;")
        parts.append(f'<b tabindex="0" data-r="{reading}">{html.escape(chunk.text[start:end])}</b>')
        position = end
    parts.append(html.escape(chunk.text[position:]))
    return "".join(parts)
