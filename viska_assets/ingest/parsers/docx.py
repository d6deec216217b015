"""Word documents: mammoth makes HTML of them, the HTML walker reads it."""

import io
import zipfile
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

import mammoth

from viska_assets.ingest.archives import check_archive
from viska_assets.ingest.builder import DocumentBuilder
from viska_assets.ingest.covers import cover_of_text, finished
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.parsers.html import walk_html
from viska_assets.model.document import MediaType, ParsedDocument


def parse_docx(data: bytes, name: str, document_id: str) -> ParsedDocument:
    """Read a DOCX file; offsets point into the HTML that mammoth makes of it."""
    members = check_archive(data, name)
    if "word/document.xml" not in members:
        raise ReadingError(name, "the archive holds no word/document.xml", "save it as .docx from a word processor")
    try:
        html = mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(_no_image)).value
    except (zipfile.BadZipFile, ParseError, ExpatError, KeyError, ValueError, IndexError) as error:
        raise ReadingError(name, f"the document part cannot be read ({error})", "save it again as .docx") from error
    builder = DocumentBuilder()
    if html:
        walk_html(f"<html><body>{html}</body></html>", name, builder)
    cover = finished(cover_of_text(builder.text(), builder.blocks, name))
    return builder.build(document_id, MediaType.DOCX, cover)


def _no_image(image: object) -> dict[str, str]:
    del image
    return {"src": ""}
