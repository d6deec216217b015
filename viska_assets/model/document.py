"""A document as it was read: its blocks, tables and cover facts, in offsets of one cleaned text."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from viska_assets.model.evidence import Period
from viska_assets.model.span import OffsetMap, Span


class MediaType(StrEnum):
    """The formats that Viska reads."""

    HTML = "html"
    EDGAR = "edgar"
    PDF = "pdf"
    DOCX = "docx"
    EMAIL = "email"
    CSV = "csv"
    XLSX = "xlsx"
    MARKDOWN = "markdown"
    TEXT = "text"


class BlockKind(StrEnum):
    """What a block of a document is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    PREFORMATTED = "preformatted"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table's grid; ``span`` points at its text, which may be empty."""

    text: str
    span: Span
    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A data table: cells on a grid of ``rows`` × ``columns``, the first ``header_rows`` rows being headers.

    ``cells`` stand in reading order, row by row.
    """

    cells: Sequence[Cell]
    rows: int
    columns: int
    header_rows: int = 0
    caption: str = ""

    def unpacked(self) -> "Table":
        """The table with its cells made once, for a reader that goes through them many times."""
        return replace(self, cells=tuple(self.cells))


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, list item or table; ``page`` counts from 1 where the format has pages."""

    kind: BlockKind
    span: Span
    level: int = 0
    table: Table | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class XbrlFact:
    """A number that the filer tagged with inline XBRL.

    ``value`` is in whole units (scale and sign applied); ``span`` points at the printed digits, and is None
    for a hidden fact. ``context`` is the filer's own name of the context.
    """

    concept: str
    value: Decimal | None
    unit: str
    decimals: str
    scale: int
    period: Period | None
    dimensions: tuple[tuple[str, str], ...] = ()
    span: Span | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Cover:
    """What a document says of itself on its cover, in its headers or in its file name.

    ``asserter`` is who speaks: an issuer for a filing, "house / analyst" for a broker note.
    ``fiscal_year_end`` is (month, day). ``published_at`` is when the document became known.
    """

    title: str = ""
    issuer: str = ""
    cik: str = ""
    ticker: str = ""
    form: str = ""
    period_end: date | None = None
    fiscal_year_end: tuple[int, int] | None = None
    published_at: datetime | None = None
    asserter: str = ""
    locale: str = "en"


class NoticeKind(StrEnum):
    """What the reader noticed about a document that an operator should see."""

    HIDDEN_TEXT = "hidden_text"
    CLEANED = "cleaned"
    DECODED_WITH_LOSS = "decoded_with_loss"
    NEEDS_OCR = "needs_ocr"
    TRUNCATED = "truncated"
    INSTRUCTION_LIKE = "instruction_like"
    ATTACHMENT = "attachment"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing noticed while reading, with the text concerned (decoded where it was hidden)."""

    kind: NoticeKind
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """One document, read: ``text`` is the cleaned text that all spans index; ``blocks`` are in reading order."""

    document_id: str
    media_type: MediaType
    text: str
    offsets: OffsetMap
    blocks: tuple[Block, ...]
    cover: Cover
    facts: tuple[XbrlFact, ...] = ()
    notices: tuple[Notice, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    def without_tables(self) -> "ParsedDocument":
        """The document without the insides of its tables and its tagged numbers, once evidence was read from them."""
        blocks = tuple(block if block.table is None else replace(block, table=None) for block in self.blocks)
        return replace(self, blocks=blocks, facts=())


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is indexed, cited and gated as one.

    ``text`` is exactly ``document.text[span.start:span.end]`` except for the rows repeated into a split table,
    which stand in ``prefix``. ``prefix`` gives context for retrieval (title, issuer, form, period, headings,
    and for a split table its caption, header and scale line) and is never cited.
    """

    chunk_id: str
    document_id: str
    ordinal: int
    kind: BlockKind
    span: Span
    text: str
    prefix: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    tokens: int = 0
