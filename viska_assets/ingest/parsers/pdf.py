"""PDF: text with positions from pypdfium2, put back into printed lines, paragraphs and tables, page by page."""

from itertools import pairwise
from typing import Any

import pypdfium2

from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.ocr import OcrEngine
from viska_assets.ingest.parsers.pdf_text import Fragment, page_fragments
from viska_assets.ingest.print_lines import PrintLine, Segment, emit_lines
from viska_assets.model.document import BlockKind, MediaType, Notice, NoticeKind, ParsedDocument

MAX_PAGES = 20_000
_OCR_DPI = 200


def parse_pdf(data: bytes, name: str, document_id: str, *, ocr: OcrEngine | None = None) -> ParsedDocument:
    """Read a PDF; a page without a text layer goes to ``ocr``, or is flagged where there is none."""
    document = _open(data, name)
    builder = DocumentBuilder()
    source_length = 0
    confidences: dict[str, str] = {}
    unread: list[int] = []
    for number in range(1, len(document) + 1):
        page = document[number - 1]
        fragments = list(page_fragments(page))
        if fragments:
            lines, source_length = _print_lines(fragments, builder, source_length)
            emit_lines(builder, lines, page=number)
        elif _has_marks(page):
            if ocr is None:
                unread.append(number)
            else:
                confidences[f"ocr_confidence_page_{number}"] = _read_scan(page, number, ocr, builder)
        page.close()
    document.close()
    if unread:
        pages = ", ".join(map(str, unread[:50])) + (" …" if len(unread) > 50 else "")
        builder.notices.append(Notice(NoticeKind.NEEDS_OCR, f"pages without a text layer: {pages}", len(unread)))
    cover = finished(cover_of_text(builder.text(), builder.blocks, name))
    return builder.build(document_id, MediaType.PDF, cover, metadata=confidences)


def _open(data: bytes, name: str) -> Any:
    try:
        document = pypdfium2.PdfDocument(data)
        pages = len(document)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ReadingError(name, "the PDF is encrypted", "save a copy without a password") from error
        raise ReadingError(
            name, f"the PDF cannot be opened ({error})", "download it again; it may be cut off"
        ) from error
    if pages == 0:
        raise ReadingError(name, "the PDF has no pages", "download it again; it may be cut off")
    if pages > MAX_PAGES:
        raise ReadingError(name, f"the PDF has {pages} pages, more than {MAX_PAGES}", "split it")
    return document


def _print_lines(
    fragments: list[Fragment], builder: DocumentBuilder, source_length: int
) -> tuple[list[PrintLine], int]:
    """Fragments on one level, each to the right of the one before, become one printed line."""
    rows: list[list[Fragment]] = []
    for fragment in fragments:
        if rows and _continues(rows[-1], fragment):
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    lines: list[PrintLine] = []
    line_pitch = _line_pitch(rows)
    last: list[Fragment] | None = None
    for row in rows:
        segments: list[Segment] = []
        for fragment in row:
            piece = builder.reader.read(fragment.text, source_length).stripped()
            source_length += len(fragment.text) + 1
            if piece.text:
                segments.append(
                    Segment(piece, round(fragment.left), max(round(fragment.right), round(fragment.left) + 1))
                )
        if segments:
            bold = sum(len(f.text) for f in row if f.bold) * 2 > sum(len(f.text) for f in row)
            lines.append(PrintLine(tuple(segments), _gap(last, row, line_pitch), bold))
            last = row
    return lines, source_length


def _continues(row: list[Fragment], fragment: Fragment) -> bool:
    last = row[-1]
    height = min(last.top - last.bottom, fragment.top - fragment.bottom)
    overlap = min(last.top, fragment.top) - max(last.bottom, fragment.bottom)
    return overlap >= 0.4 * max(height, 0.1) and fragment.left >= last.right - 0.5 * last.size


def _pitch(above: list[Fragment], row: list[Fragment]) -> float:
    """The distance from the top of one printed line to the next, in font sizes."""
    size = max(fragment.size for fragment in row)
    return (max(f.top for f in above) - max(f.top for f in row)) / size


def _line_pitch(rows: list[list[Fragment]]) -> float:
    """The pitch at which a page sets the lines of a paragraph: the lower quartile of its pitches."""
    pitches = sorted(pitch for above, row in pairwise(rows) if (pitch := _pitch(above, row)) > 0.5)
    return max(1.0, pitches[len(pitches) // 4]) if pitches else 1.2


def _gap(above: list[Fragment] | None, row: list[Fragment], line_pitch: float) -> int:
    """Blank lines between two printed lines; a jump up the page counts as a wide gap."""
    if above is None:
        return 1
    pitch = _pitch(above, row)
    if pitch < -1:
        return 4
    return 0 if pitch <= 1.25 * line_pitch else max(1, round(pitch / line_pitch) - 1)


def _has_marks(page: Any) -> bool:
    """Whether a page without text shows anything (an image, a drawing) that could be read by OCR."""
    return any(True for _ in page.get_objects(max_depth=2))


def _read_scan(page: Any, number: int, ocr: OcrEngine, builder: DocumentBuilder) -> str:
    image = page.render(scale=_OCR_DPI / 72).to_pil()
    reading = ocr.read_page(image, number)
    for paragraph in reading.text.split("\n\n"):
        builder.add(BlockKind.PARAGRAPH, builder.reader.read(paragraph), page=number)
    return str(reading.confidence)
