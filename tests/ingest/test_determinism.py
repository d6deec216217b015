"""Same bytes, same reading: whatever the hash seed, the locale and the time zone."""

import os
import subprocess
import sys
from pathlib import Path

from tests.ingest.test_formats import SUBMISSION
from tests.ingest.test_ixbrl import FILING

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import hashlib, sys
from viska_assets.ingest.chunking import chunk_document
from viska_assets.ingest.evidence import evidence_by_chunk, extract_evidence
from viska_assets.ingest.reading import read_document
from viska_assets.ingest.inspect import inspect_html
from viska_assets.ingest.spool import spool_chunks
data = sys.stdin.buffer.read()
document = read_document(data, sys.argv[1])
chunks = chunk_document(document, len)
evidence = extract_evidence(document, chunks)
page = inspect_html(document, spool_chunks(evidence_by_chunk(document, chunks), None))
shown = repr((document, chunks, evidence)) + "".join(page)
print(hashlib.sha256(shown.encode()).hexdigest())
"""


def digest(data: bytes, name: str, seed: str, locale: str, zone: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
    command = [sys.executable, "-c", PROGRAM, name]
    done = subprocess.run(command, input=data, capture_output=True, env=environment, cwd=ROOT, check=True)
    return done.stdout.decode().strip()


def test_readings_do_not_depend_on_the_process() -> None:
    for text, name in ((FILING, "acme-10-k-2024-08-15.html"), (SUBMISSION, "submission.txt")):
        once = digest(text.encode(), name, "1", "C", "UTC")
        again = digest(text.encode(), name, "4242", "C.UTF-8", "Pacific/Auckland")
        assert once == again
        assert len(once) == 64
