"""The sample's press release: Amazon's results for 2024 as published, in our own words, as a PDF with a table."""

from io import BytesIO

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

RESULTS = (
    ("(in millions, except per share data)", "Year Ended December 31, 2024", "Year Ended December 31, 2023"),
    ("Net sales", "637,959", "574,785"),
    ("Cost of sales", "326,288", "304,739"),
    ("Operating income", "68,593", "36,852"),
    ("Net income", "59,248", "30,425"),
    ("Diluted earnings per share", "5.53", "2.90"),
    ("Operating cash flow", "115,877", "84,946"),
)
SEGMENTS = (
    ("Net sales (in millions)", "Year Ended December 31, 2024", "Year Ended December 31, 2023"),
    ("North America", "387,497", "352,828"),
    ("International", "142,906", "131,200"),
    ("AWS", "107,556", "90,757"),
    ("Consolidated", "637,959", "574,785"),
)
_OPENING = (
    "Amazon.com, Inc. (NASDAQ: AMZN) today announced its results for the year ended December 31, 2024.",
    "Net sales increased 11% to $638.0 billion in 2024, compared with $574.8 billion in 2023. Operating income was "
    "$68.6 billion, compared with $36.9 billion in 2023.",
    "Net income was $59.2 billion, or $5.53 per diluted share, compared with $30.4 billion, or $2.90 per diluted "
    "share, in 2023.",
    "AWS segment sales increased 19% to $107.6 billion.",
)
_OUTLOOK = (
    "For the first quarter of 2025 the company expects net sales between $151.0 billion and $155.5 billion.",
    "Operating income for the first quarter of 2025 is expected to be between $14.0 billion and $18.0 billion, "
    "compared with $15.3 billion in the first quarter of 2024.",
)
_NOTE = (
    "This is a sample document of the Viska project. Its figures are those that the company published; its sentences "
    "and layout are the project's own."
)


def build_press_release() -> bytes:
    """The release as a PDF without dates, identifiers or compression that differ between runs."""
    out = BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=A4,
        title="Amazon.com announces results for 2024 (Viska sample)",
        author="Viska sample builder",
        invariant=1,
        pageCompression=0,
    )
    styles = getSampleStyleSheet()
    text, heading = styles["BodyText"], styles["Heading2"]
    story = [
        Paragraph("Amazon.com Announces Results for 2024", styles["Title"]),
        Paragraph("SEATTLE, February 6, 2025", text),
        *(Paragraph(sentence, text) for sentence in _OPENING),
        Spacer(1, 8),
        Paragraph("Financial results", heading),
        Paragraph("The figures of the year and of the year before are as follows.", text),
        _table(RESULTS),
        Spacer(1, 14),
        Paragraph("Segments", heading),
        Paragraph("Net sales of the three segments were as follows.", text),
        _table(SEGMENTS),
        Paragraph("First Quarter 2025 Guidance", heading),
        *(Paragraph(sentence, text) for sentence in _OUTLOOK),
        Spacer(1, 12),
        Paragraph(f"<i>{_NOTE}</i>", text),
    ]
    document.build(story)
    return out.getvalue()


def _table(rows: tuple[tuple[str, ...], ...]) -> Table:
    table = Table(rows, colWidths=(190, 140, 140))
    table.setStyle(
        TableStyle(
            [
                ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
                ("FONTSIZE", (0, 0), (-1, -1), 9),
                ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
                ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey),
            ]
        )
    )
    return table
