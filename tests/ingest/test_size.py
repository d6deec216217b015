"""Large documents: work grows with their length, not with its square; the largest are read where VISKA_BIG is set."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ingest import large
from tests.ingest.conftest import count_words
from viska_assets.ingest.chunking import cut_chunks
from viska_assets.ingest.evidence import evidence_by_chunk
from viska_assets.ingest.reading import read_document
from viska_assets.ingest.receiving import receive_files
from viska_assets.store.home import Home

ROOT = Path(__file__).resolve().parents[2]
# Four times the length is four times the work; were it the square, sixteen times.
LARGER, TOLERATED = 4, 9
LARGEST = 100_000_000

big = pytest.mark.skipif(not os.environ.get("VISKA_BIG"), reason="takes minutes: set VISKA_BIG=1")


def numbers_in(data: bytes, name: str) -> int:
    document = read_document(data, name)
    return sum(len(held) for _, held in evidence_by_chunk(document, cut_chunks(document, count_words)))


def cpu_of(data: bytes, name: str) -> float:
    """CPU seconds of the faster of two readings; this process alone counts, however busy the machine."""
    spent = []
    for _ in range(2):
        started = time.process_time()
        numbers_in(data, name)
        spent.append(time.process_time() - started)
    return min(spent)


@pytest.mark.parametrize(
    ("make", "size", "name"),
    [
        (large.html_report, 60_000, "report.html"),
        (large.html_table, 300, "table.html"),
        (large.html_paragraph, 150, "paragraph.html"),
        (large.csv_file, 500, "closes.csv"),
        (large.pdf_report, 4, "report.pdf"),
    ],
)
def test_work_grows_with_the_length(make: Callable[[int], bytes], size: int, name: str) -> None:
    numbers_in(make(size), name)
    assert cpu_of(make(LARGER * size), name) < TOLERATED * cpu_of(make(size), name)


def test_every_number_of_a_long_table_and_paragraph_is_read() -> None:
    assert numbers_in(large.html_table(400), "table.html") == 400 * 3 + 8
    assert numbers_in(large.html_paragraph(100), "paragraph.html") == 200


PROGRAM = """
import json, resource, sys
from tests.ingest import large
from tests.ingest.test_size import numbers_in
make, size, name = sys.argv[1:]
count = numbers_in(getattr(large, make)(int(size)), name)
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"numbers": count, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024}))
"""


@big
@pytest.mark.parametrize(
    ("make", "size", "name", "cpu", "megabytes"),
    # Measured: 446 MB and 337 CPU s on a loaded machine for two million numbers in HTML; 292 MB and 67 CPU s the PDF.
    [("html_report", LARGEST, "big.html", 450, 800), ("pdf_report", 2000, "big.pdf", 300, 1500)],
)
def test_the_largest_documents_are_read(make: str, size: int, name: str, cpu: int, megabytes: int) -> None:
    command = [sys.executable, "-c", PROGRAM, make, str(size), name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    used = json.loads(done.stdout)
    print(used)
    assert used["numbers"] > 100_000
    assert used["cpu"] < cpu
    assert used["mb"] < megabytes


INTO_DATABASE = """
import json, resource
from viska_assets.ingest.pipeline import read_received
from viska_assets.ingest.readers import ReadingPlan
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.home import Home
from viska_assets.store.settings import Settings
home = Home(Settings())
[result] = read_received(home.database, home.blobs, ReadingPlan("minilm-int8"), terms_of)
home.close()
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"error": result.error, "numbers": result.evidence, "mb": used.ru_maxrss / 1024}))
"""


@big
@pytest.mark.database
def test_the_largest_document_is_read_into_the_database(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "big.html"
    path.write_bytes(large.html_report(LARGEST))
    receive_files(
        home.database, home.blobs, [path], feed="t", root=tmp_path, at=home.settings.clock(), largest=2 * LARGEST
    )
    done = subprocess.run([sys.executable, "-c", INTO_DATABASE], cwd=ROOT, capture_output=True, text=True, check=True)
    used = json.loads(done.stdout)
    print(used)
    assert used["error"] == ""
    assert used["numbers"] > 1_900_000
    assert used["mb"] < 1200
    with home.database.transaction() as connection:
        stored = connection.execute("SELECT count(*), sum(value) IS NOT NULL FROM retrieval.evidence").fetchone()
    assert stored == (used["numbers"], True)
