"""EDGAR text, plain text, Markdown, CSV, workbooks and Word: their tables and covers."""

import io
import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from tests.ingest.conftest import evidence_in
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.parsers.csv import find_delimiter
from viska_assets.ingest.parsers.xlsx import print_cell
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import BlockKind, NoticeKind
from viska_assets.model.evidence import Period, Unit

SUBMISSION = """-----BEGIN PRIVACY-ENHANCED MESSAGE-----
Proc-Type: 2001,MIC-CLEAR

<SEC-DOCUMENT>0000000001-05-000001.txt : 20050510
<SEC-HEADER>0000000001-05-000001.hdr.sgml : 20050510
<ACCEPTANCE-DATETIME>20050510172510
CONFORMED SUBMISSION TYPE:\t8-K
CONFORMED PERIOD OF REPORT:\t20050509
FILED AS OF DATE:\t\t20050510
FILER:
\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tACME TOOLS INC
\t\tCENTRAL INDEX KEY:\t\t\t0000000042
\t\tFISCAL YEAR END:\t\t\t0930
</SEC-HEADER>
<DOCUMENT>
<TYPE>8-K
<TEXT>
<PAGE>
                     ACME TOOLS INC

Acme reported results for the quarter. Sales rose
to $16.7 million.
<PAGE>
<TABLE>
<CAPTION>
                              Three Months Ended          Six Months Ended
                            3/31/05       3/31/04       3/31/05       3/31/04
                            -------       -------       -------       -------
<S>                         <C>           <C>           <C>           <C>
Revenues:
Finance income            $16,662,000   $12,864,000   $30,492,000   $24,319,000
Third party                         0       454,000             0     1,316,000
                           ----------    ----------    ----------    ----------
Net loss                   $(281,000)    $5,433,000                 $10,121,000
Basic                           $0.54         $0.41         $1.00         $0.76
</TABLE>
</TEXT>
</DOCUMENT>
<DOCUMENT>
<TYPE>GRAPHIC
<FILENAME>logo.jpg
<TEXT>
begin 644 logo.jpg
M_]C_X
</TEXT>
</DOCUMENT>
</SEC-DOCUMENT>
"""


def test_an_edgar_submission_gives_its_header_and_its_ascii_tables() -> None:
    document = read_document(SUBMISSION.encode(), "0000000001-05-000001.txt")
    cover = document.cover
    assert (cover.issuer, cover.cik, cover.form) == ("ACME TOOLS INC", "0000000042", "8-K")
    assert (cover.period_end, cover.fiscal_year_end) == (date(2005, 5, 9), (9, 30))
    assert cover.published_at == datetime.fromisoformat("2005-05-10T17:25:10+00:00")
    assert "PRIVACY" not in document.text
    table = next(block for block in document.blocks if block.table)
    assert table.page == 2
    read = {one.printed: one for one in evidence_in(document)}
    assert read["$24,319,000"].column_path == ("Six Months Ended", "3/31/04")
    assert read["$24,319,000"].row_path == ("Revenues", "Finance income")
    assert read["$(281,000)"].value == -281000
    assert read["$10,121,000"].column_path == ("Six Months Ended", "3/31/04")
    assert read["$10,121,000"].period == Period(date(2004, 3, 31), date(2003, 10, 1))
    assert read["$16.7 million"].value == 16_700_000
    assert any(notice.kind is NoticeKind.TRUNCATED and "logo.jpg" in notice.detail for notice in document.notices)


def test_offsets_of_a_submission_lead_back_to_the_file() -> None:
    document = read_document(SUBMISSION.encode(), "x.txt")
    for printed in ("16.7 million", "12,864,000", "1,316,000"):
        at = document.offsets.to_source(document.text.index(printed))
        assert SUBMISSION[at : at + len(printed)] == printed


def test_plain_text_tables_are_found_by_their_columns() -> None:
    text = (
        "Results of the quarter.\n\n"
        "(in thousands)              2024       2023\n"
        "Sales                     $1,234     $1,100\n"
        "Cost of sales ........      (600)      (500)\n\n"
        "The next paragraph runs\nover two lines."
    )
    document = read_document(text.encode(), "note.txt")
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]
    found = evidence_in(document)
    assert [(one.row_path, int(one.value)) for one in found if one.cell][2:] == [
        (("Cost of sales",), -600_000),
        (("Cost of sales",), -500_000),
    ]


def test_markdown_keeps_its_structure_and_its_ordered_numbers() -> None:
    text = (
        "# Acme\n\nSales **rose** to $5 million.\n\n## 8. Debtors\n\n- one\n- two\n\n3. third\n\n"
        "| | 2019 | 2018 |\n| --- | ---: | --- |\n| | £m | £m |\n| Trade debtors | 1,234 | (56 ) |\n"
    )
    document = read_document(text.encode(), "note.md")
    read = [(block.kind, block.span.of(document.text)) for block in document.blocks[:6]]
    assert read[:3] == [
        (BlockKind.HEADING, "Acme"),
        (BlockKind.PARAGRAPH, "Sales rose to $5 million."),
        (BlockKind.HEADING, "8. Debtors"),
    ]
    assert (BlockKind.LIST_ITEM, "3. third") in read
    found = [one for one in evidence_in(document) if one.cell]
    assert [(int(one.value), one.currency, one.column_path) for one in found] == [
        (1_234_000_000, "GBP", ("2019", "£m")),
        (-56_000_000, "GBP", ("2018", "£m")),
    ]
    at = document.offsets.to_source(document.text.index("1,234"))
    assert text[at : at + 5] == "1,234"


def test_csv_is_one_table_with_true_offsets() -> None:
    text = 'Metric;2024;2023\n"Sales; net";"1,234";1100\nMargin;24.1%;n/a\n'
    document = read_document(text.encode(), "figures.csv")
    assert document.metadata["delimiter"] == ";"
    found = evidence_in(document)
    assert [(one.row_path[0], one.column_path[0], one.unit) for one in found] == [
        ("Sales; net", "2024", Unit.COUNT),
        ("Sales; net", "2023", Unit.COUNT),
        ("Margin", "2024", Unit.PERCENT),
    ]
    at = document.offsets.to_source(found[0].span.start)
    assert text[at : at + 5] == "1,234"


@pytest.mark.parametrize(
    ("text", "delimiter"), [("a,b\n1,2", ","), ("a;b\n1,5;2", ";"), ("a\tb\n1\t2", "\t"), ("a|b\n1|2", "|")]
)
def test_delimiters_are_counted(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Model"
    for row in (["USD millions", 2024, 2023], ["Revenue", 1234.5, 1100], ["Margin", 0.241, 0.2], [], ["Notes", "x"]):
        sheet.append(row)
    for cell in (*sheet[3][1:],):
        cell.number_format = "0.0%"
    sheet["B2"].number_format = "#,##0.0"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_workbooks_print_values_as_their_formats_do() -> None:
    document = read_document(workbook(), "model.xlsx")
    read = {one.printed: one for one in evidence_in(document)}
    assert read["1,234.5"].value == 1_234_500_000
    assert read["24.1%"].unit is Unit.PERCENT
    assert document.blocks[0].span.of(document.text) == "Model"


@pytest.mark.parametrize(
    ("value", "number_format", "printed"),
    [
        (1234.5, "#,##0", "1,235"),
        (0.1, "General", "0.1"),
        (-5, "$#,##0.00", "-$5.00"),
        (0.305, "0%", "31%"),
        (date(2024, 1, 2), None, "2024-01-02"),
        (True, None, "TRUE"),
    ],
)
def test_number_formats(value: object, number_format: str | None, printed: str) -> None:
    assert print_cell(value, number_format) == printed


def docx(body: str) -> bytes:
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{relation}" Target="word/document.xml"/></Relationships>'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", rels)
        archive.writestr("word/document.xml", f"<w:document {namespace}><w:body>{body}</w:body></w:document>")
    return buffer.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_word_documents_are_read_with_their_tables() -> None:
    rows = [["(in millions)", "2024"], ["Sales", "$1,234"]]
    cells = "".join("<w:tr>" + "".join(f"<w:tc>{paragraph(c)}</w:tc>" for c in row) + "</w:tr>" for row in rows)
    document = read_document(docx(paragraph("Research note") + f"<w:tbl>{cells}</w:tbl>"), "note.docx")
    found = evidence_in(document)
    assert document.text.startswith("Research note")
    assert [(one.row_path, one.column_path, int(one.value)) for one in found] == [
        (("Sales",), ("2024",), 1_234_000_000)
    ]


def test_a_word_document_without_its_part_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "<broken")
    with pytest.raises(ReadingError, match=r"broken\.docx"):
        read_document(buffer.getvalue(), "broken.docx")
