"""Large documents made for tests: pages and tables of invented numbers, of any length, the same for the same size."""

import io
import random
from collections.abc import Iterator

from reportlab.pdfgen.canvas import Canvas

WORDS = tuple(
    "revenue cost gross profit operating income selling general interest tax earnings inventories goodwill".split()  # noqa: SIM905
)
_ROWS = 40
_COLUMNS = 10


def html_report(size: int) -> bytes:
    """A report of about ``size`` bytes: sections of prose and dense tables."""
    parts = ["<!doctype html><html><body><p>ACME CORPORATION annual report (in millions, except per share data)</p>"]
    length = 0
    for section in _sections():
        if length >= size:
            break
        parts.append(section)
        length += len(section)
    return "".join([*parts, "</body></html>"]).encode()


def _sections() -> Iterator[str]:
    pick = random.Random(7)
    number = 0
    while True:
        number += 1
        words = (pick.choice(WORDS) for _ in iter(int, 1))
        prose = " ".join(
            f"In {pick.randint(2015, 2024)}, {next(words)} {next(words)} rose to"
            f" ${pick.randint(1, 999)}.{pick.randint(0, 9)} million, or {pick.randint(1, 40)}%,"
            f" as {next(words)} and {next(words)} fell."
            for _ in range(6)
        )
        years = "".join(
            f'<td colspan="2" style="font-weight:bold">{year}</td>' for year in range(2024, 2024 - _COLUMNS, -1)
        )
        rows = "\n".join(
            f"<tr><td>{next(words).title()} {next(words)} {pick.randint(1, 99)}</td>"
            + "".join(
                f'<td>$</td><td style="text-align:right">{pick.randint(1, 99_999):,}</td>' for _ in range(_COLUMNS)
            )
            + "</tr>"
            for _ in range(_ROWS)
        )
        heading = f"<h2>Note {number}. {next(words).title()}</h2>"
        yield f"{heading}<p>{prose}</p><table><tr><td></td>{years}</tr>{rows}</table>\n"


def html_table(rows: int) -> bytes:
    """One table of ``rows`` rows, a row span and a percentage here and there."""
    pick = random.Random(rows)
    lines = ["<tr><td>(in millions)</td><td>2024</td><td>2023</td><td>Change</td></tr>"]
    for row in range(rows):
        label = f"<td>{WORDS[row % len(WORDS)].title()} {row}</td>"
        values = "".join(f"<td>{pick.randint(1, 99_999):,}</td>" for _ in range(2))
        lines.append(f"<tr>{label}{values}<td>{'' if row % 50 else '4.2%'}</td></tr>")
    return ("<!doctype html><html><body><table>" + "".join(lines) + "</table></body></html>").encode()


def html_paragraph(sentences: int) -> bytes:
    """One paragraph of ``sentences`` sentences."""
    said = " ".join(
        f"In 2024, {WORDS[n % len(WORDS)]} rose to ${n + 1}.5 million and 4% of sales." for n in range(sentences)
    )
    return f"<!doctype html><html><body><p>{said}</p></body></html>".encode()


def csv_file(rows: int) -> bytes:
    """A delimited file of daily closes."""
    days = (f"2024-{1 + row // 28 % 12:02}-{1 + row % 28:02},ACM{row},{row}.25,{1000 + row}" for row in range(rows))
    return ("date,ticker,close,shares\n" + "\n".join(days) + "\n").encode()


def pdf_report(pages: int) -> bytes:
    """A report of ``pages`` pages: a heading, prose and a table on each."""
    pick = random.Random(11)
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(72, 780, f"NOTE {number}")
        canvas.setFont("Helvetica", 9)
        for line in range(18):
            amount = pick.randint(1, 999)
            said = f"In 2024, {pick.choice(WORDS)} rose to ${amount}.5 million and {pick.choice(WORDS)} fell by 4%."
            canvas.drawString(72, 760 - 12 * line, said)
        canvas.drawRightString(400, 520, "2024")
        canvas.drawRightString(480, 520, "2023")
        for line in range(30):
            canvas.drawString(72, 506 - 12 * line, f"{pick.choice(WORDS).title()} {line}")
            canvas.drawRightString(400, 506 - 12 * line, f"{pick.randint(1, 99_999):,}")
            canvas.drawRightString(480, 506 - 12 * line, f"{pick.randint(1, 99_999):,}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
