"""What stands around a block: the line that names its document, and the paragraphs that caption a table."""

import re

from viska_assets.model.document import Block, BlockKind, Cover, ParsedDocument

_MAX_BACK = 3
_CAPTION_LENGTH = 700
_SCALE_LINE = re.compile(
    r"\b(?:in|of)\s+(?:thousands|millions|billions)|\b(?:dollars|amounts)\s+in\b|\((?:millions|thousands)|000[s']",
    re.IGNORECASE,
)


def document_line(cover: Cover) -> str:
    """Title, issuer, form and period of a document in one line, each said once."""
    parts = [cover.title, cover.issuer, cover.form]
    if cover.period_end:
        parts.append(f"period ended {cover.period_end.isoformat()}")
    line: list[str] = []
    for part in parts:
        if part and not any(part.lower() in said.lower() for said in line):
            line.append(part)
    return " | ".join(line)


def caption_blocks(document: ParsedDocument, index: int) -> tuple[Block, ...]:
    """The blocks just before a table that introduce it: a heading, a sentence ending in a colon, a scale line."""
    found: list[Block] = []
    for back in range(index - 1, max(-1, index - 1 - _MAX_BACK), -1):
        block = document.blocks[back]
        text = block.span.of(document.text)
        if block.table is not None or len(text) > _CAPTION_LENGTH * 3:
            break
        introduces = (
            not found
            or block.kind is BlockKind.HEADING
            or text.rstrip().endswith(":")
            or (len(text) < 200 and _SCALE_LINE.search(text) is not None)
        )
        if not introduces:
            break
        found.append(block)
        if block.kind is BlockKind.HEADING and len(found) > 1:
            break
    return tuple(reversed(found))
