"""The sample's quarterly report: NVIDIA's second quarter of fiscal 2026 as filed, as plain HTML without tags."""

from collections.abc import Sequence
from html import escape

_COLUMNS = ("Jul 27, 2025", "Jul 28, 2024", "Jul 27, 2025", "Jul 28, 2024")

INCOME_STATEMENT = (
    ("Revenue", "$46,743", "$30,040", "$90,805", "$56,084"),
    ("Cost of revenue", "12,890", "7,466", "30,284", "13,105"),
    ("Gross profit", "33,853", "22,574", "60,521", "42,979"),
    ("Research and development", "4,291", "3,090", "8,280", "5,810"),
    ("Sales, general and administrative", "1,122", "842", "2,163", "1,618"),
    ("Total operating expenses", "5,413", "3,932", "10,443", "7,428"),
    ("Operating income", "28,440", "18,642", "50,078", "35,551"),
    ("Interest income", "592", "444", "1,108", "803"),
    ("Interest expense", "(62)", "(61)", "(124)", "(125)"),
    ("Other income (expense), net", "2,236", "189", "2,055", "264"),
    ("Income before income tax", "31,206", "19,214", "53,117", "36,493"),
    ("Income tax expense", "4,784", "2,615", "7,920", "5,013"),
    ("Net income", "$26,422", "$16,599", "$45,197", "$31,480"),
    ("Net income per share, basic", "$1.08", "$0.68", "$1.85", "$1.28"),
    ("Net income per share, diluted", "$1.08", "$0.67", "$1.84", "$1.27"),
)
END_MARKETS = (
    ("Data Center", "$41,096", "$26,272", "$80,208", "$48,835"),
    ("Compute", "33,844", "22,604", "67,999", "41,996"),
    ("Networking", "7,252", "3,668", "12,209", "6,839"),
    ("Gaming", "4,287", "2,880", "8,050", "5,527"),
    ("Professional Visualization", "601", "454", "1,110", "881"),
    ("Automotive", "586", "346", "1,153", "675"),
    ("OEM and Other", "173", "88", "284", "166"),
    ("Total revenue", "$46,743", "$30,040", "$90,805", "$56,084"),
)
BALANCE_SHEET = (
    ("Cash and cash equivalents", "$11,639", "$8,589"),
    ("Marketable securities", "45,152", "34,621"),
    ("Accounts receivable, net", "27,808", "23,065"),
    ("Inventories", "14,962", "10,080"),
    ("Total current assets", "102,219", "80,126"),
    ("Total assets", "$140,740", "$111,601"),
    ("Total liabilities", "40,609", "32,274"),
    ("Total shareholders’ equity", "100,131", "79,327"),
)


def build_quarterly_report() -> bytes:
    """The report as UTF-8 HTML."""
    page = f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>NVIDIA Corporation quarterly report (Viska sample)</title></head>
<body>
<p>FORM 10-Q</p>
<p>QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934</p>
<p>For the quarterly period ended July 27, 2025</p>
<h1>NVIDIA CORPORATION</h1>
<p>(Exact name of registrant as specified in its charter)</p>
<p>Trading symbol: NVDA</p>
<p>Fiscal year 2026 ends on January 25, 2026, the last Sunday in January.</p>
<h2>Condensed Consolidated Statements of Income</h2>
<p>(In millions, except per share data) (Unaudited)</p>
{_table(INCOME_STATEMENT)}
<h2>Condensed Consolidated Balance Sheets, excerpt</h2>
<p>(In millions) (Unaudited)</p>
{_dated_table(("Jul 27, 2025", "Jan 26, 2025"), BALANCE_SHEET)}
<h2>Revenue by End Market</h2>
<p>(In millions)</p>
{_table(END_MARKETS)}
<h2>Management’s Discussion and Analysis</h2>
<p>Revenue for the second quarter of fiscal year 2026 was $46.7 billion, up 56% from a year ago and up 6% from the first
quarter.</p>
<p>Data Center revenue was $41.1 billion, up 56% from a year ago. Compute contributed $33.8 billion and networking $7.3
billion of it.</p>
<p>Gross margin was 72.4% in the second quarter of fiscal year 2026, against 75.1% a year ago.</p>
<p>On August 26, 2025, the Board of Directors approved an additional $60.0 billion of share repurchases without
expiration.</p>
<h2>Liquidity</h2>
<p>Cash, cash equivalents and marketable securities were $56.8 billion as of July 27, 2025. The company believes that
this is sufficient for its operating requirements over the next twelve months and for the foreseeable future.</p>
<p>Date: August 27, 2025</p>
<p><i>This is a sample document of the Viska project. Its figures are those of the company’s filing; its sentences and
layout are the project’s own. It is not the filing.</i></p>
</body>
</html>
"""
    return page.encode()


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    top = '<tr><th></th><th colspan="2">Three Months Ended</th><th colspan="2">Six Months Ended</th></tr>'
    head = "<tr><th></th>" + "".join(f"<th>{column}</th>" for column in _COLUMNS) + "</tr>"
    return "\n".join(["<table>", top, head, *(_row(row) for row in rows), "</table>"])


def _dated_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    head = "<tr><th></th>" + "".join(f"<th>{column}</th>" for column in columns) + "</tr>"
    return "\n".join(["<table>", head, *(_row(row) for row in rows), "</table>"])


def _row(row: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
