"""PDF: printed lines, tables by position, pages, scans and OCR engines."""

import io
import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.ingest.conftest import evidence_in
from viska_assets.ingest.errors import ReadingError
from viska_assets.ingest.ocr import HttpOcr, OcrReading, TesseractOcr, read_tsv
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import NoticeKind


def pdf(*pages: list[tuple[float, float, str]], encrypt: str | None = None, scan: bool = False) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=encrypt)
    for page in pages:
        canvas.setFont("Helvetica", 10)
        for x, y, text in page:
            if x < 0:
                canvas.drawRightString(-x, y, text)
            else:
                canvas.drawString(x, y, text)
        if scan:
            from PIL import Image

            canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), "white")), 100, 100, 200, 200)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


TABLE = [
    (72, 700, "Results of the quarter were good and"),
    (72, 688, "sales rose to $16.7 million."),
    (-400, 650, "2024"),
    (-480, 650, "2023"),
    (72, 650, "(In millions)"),
    (72, 636, "Depreciation and amortization"),
    (-400, 636, "1,488"),
    (-480, 636, "1,544"),
    (72, 622, "Net loss"),
    (-400, 622, "$ (25)"),
    (-480, 622, "$ 7"),
    (72, 608, "Goodwill"),
    (-480, 608, "1"),
]


def test_lines_become_paragraphs_and_a_table_with_its_columns() -> None:
    document = read_document(pdf([(72, 700, "First page.")], TABLE), "report.pdf")
    found = {one.printed: one for one in evidence_in(document)}
    assert "were good and sales rose" in document.text
    assert found["1,544"].column_path == ("2023",)
    assert found["1,544"].row_path == ("Depreciation and amortization",)
    assert found["1,544"].value == 1_544_000_000
    assert found["1"].column_path == ("2023",)
    assert min(one.value for one in found.values()) == -25_000_000
    assert {block.page for block in document.blocks} == {1, 2}


def test_an_encrypted_pdf_is_refused() -> None:
    with pytest.raises(ReadingError, match="encrypted"):
        read_document(pdf(TABLE, encrypt="secret"), "locked.pdf")


def test_a_scan_without_an_engine_is_flagged_not_silent() -> None:
    document = read_document(pdf([], scan=True), "scan.pdf")
    notice = next(notice for notice in document.notices if notice.kind is NoticeKind.NEEDS_OCR)
    assert (notice.count, "1" in notice.detail) == (1, True)


class FakeOcr:
    def read_page(self, image: Any, number: int) -> OcrReading:
        return OcrReading(f"Page {number}: revenue was $5 million.", Decimal("0.87"))


def test_a_scan_goes_to_the_engine_and_its_confidence_reaches_the_evidence() -> None:
    document = read_document(pdf([], scan=True), "scan.pdf", ocr=FakeOcr())
    found = evidence_in(document)
    assert [(one.value, one.confidence) for one in found] == [(Decimal(5_000_000), Decimal("0.87"))]
    assert not any(notice.kind is NoticeKind.NEEDS_OCR for notice in document.notices)


class Vendor(BaseHTTPRequestHandler):
    polls = 0
    final = "SUCCESS"

    def answer(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        assert self.headers["Authorization"] == "Bearer k"
        received = self.rfile.read(int(self.headers["Content-Length"]))
        assert b"\x89PNG" in received
        self.answer({"id": "job-1"})

    def do_GET(self) -> None:
        if self.path.endswith("/result/text"):
            self.answer({"text": "Revenue was $7 million.", "confidence": 0.5})
            return
        Vendor.polls += 1
        self.answer({"status": "PENDING" if Vendor.polls < 3 else Vendor.final})

    def log_message(self, *args: Any) -> None:
        return


@pytest.fixture
def vendor() -> Iterator[str]:
    Vendor.polls, Vendor.final = 0, "SUCCESS"
    server = HTTPServer(("127.0.0.1", 0), Vendor)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_parse_vendor_is_polled_until_its_job_is_done(vendor: str) -> None:
    engine = HttpOcr(vendor, "k", pause=lambda seconds: None)
    document = read_document(pdf([], scan=True), "scan.pdf", ocr=engine)
    assert [(int(one.value), one.confidence) for one in evidence_in(document)] == [(7_000_000, Decimal("0.5"))]
    assert Vendor.polls == 3


def test_a_failed_job_is_an_error_with_its_mend(vendor: str) -> None:
    Vendor.final = "ERROR"
    with pytest.raises(ReadingError, match="ended the job with ERROR"):
        read_document(pdf([], scan=True), "scan.pdf", ocr=HttpOcr(vendor, "k", pause=lambda seconds: None))


def test_a_vendor_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ReadingError, match="vendor failed"):
        read_document(pdf([], scan=True), "scan.pdf", ocr=HttpOcr("http://127.0.0.1:9", pause=lambda seconds: None))


def test_tesseract_tables_become_lines_with_a_mean_confidence() -> None:
    header = "level\tpage\tblock\tpar\tline\tword\tleft\ttop\twidth\theight\tconf\ttext"
    rows = [
        "5\t1\t1\t1\t1\t1\t0\t0\t1\t1\t90\tNet",
        "5\t1\t1\t1\t1\t2\t0\t0\t1\t1\t80\tsales",
        "5\t1\t1\t2\t1\t1\t0\t0\t1\t1\t70\t5",
    ]
    reading = read_tsv("\n".join([header, *rows]))
    assert (reading.text, reading.confidence) == ("Net sales\n\n5", Decimal("0.800"))


def test_tesseract_that_is_not_installed_says_so() -> None:
    engine = TesseractOcr(executable="no-such-tesseract")
    assert not engine.is_installed
    with pytest.raises(ReadingError, match="not installed"):
        read_document(pdf([], scan=True), "scan.pdf", ocr=engine)
