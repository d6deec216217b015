"""Readings too large to hold: batches in a file give back what was read, and memory grows by little per megabyte."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ingest import large
from tests.ingest.conftest import chunks_of, count_words
from tests.ingest.test_size import ROOT
from viska_assets.ingest import spool
from viska_assets.ingest.chunking import cut_chunks
from viska_assets.ingest.evidence import evidence_by_chunk, extract_evidence
from viska_assets.ingest.reading import read_document
from viska_assets.ingest.spool import spool_chunks
from viska_assets.model.document import Cell
from viska_assets.model.packed import PackedCells, PackedRuns
from viska_assets.model.span import OffsetMap, Span

# Measured: 6.3 MB a megabyte between 1 and 4 MB, where whole documents as objects took 39.
MOST_PER_MEGABYTE = 12


def test_chunks_in_a_file_are_those_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MOST_NUMBERS", 500)
    document = read_document(large.html_report(100_000), "report.html")
    read = list(evidence_by_chunk(document, chunks_of(document)))
    kept = spool_chunks(iter(read), str(tmp_path))
    assert kept.batches > 2
    assert len(list(tmp_path.iterdir())) == 1
    assert list(kept) == list(kept) == read
    assert kept.chunks == len(read)
    assert kept.numbers == sum(len(held) for _, held in read) == len(extract_evidence(document, chunks_of(document)))
    kept.discard()
    kept.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_document_of_ordinary_length_needs_no_file(tmp_path: Path) -> None:
    document = read_document(large.html_report(20_000), "report.html")
    read = list(evidence_by_chunk(document, chunks_of(document)))
    assert spool_chunks(read, str(tmp_path)) == spool_chunks(read, None)
    assert list(tmp_path.iterdir()) == []


def test_a_reading_cut_short_leaves_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_MOST_CHUNKS", 1)
    document = read_document(large.html_report(20_000), "report.html")

    def broken():
        yield from list(evidence_by_chunk(document, chunks_of(document)))[:3]
        raise IndexError("a defect of the reader")

    with pytest.raises(IndexError, match="a defect"):
        spool_chunks(broken(), str(tmp_path))


def test_chunks_come_before_the_document_has_been_gone_through() -> None:
    document = read_document(large.html_report(50_000), "report.html")
    seen = 0

    def counted():
        nonlocal seen
        for chunk in cut_chunks(document, count_words):
            seen += 1
            yield chunk

    next(evidence_by_chunk(document, counted()))
    assert 1 <= seen <= 2


def test_packed_cells_are_the_cells() -> None:
    document = read_document(large.html_table(30), "table.html")
    packed = document.blocks[0].table.cells
    assert isinstance(packed, PackedCells)
    cells = tuple(packed)
    assert all(cell.span.of(document.text) == cell.text for cell in cells)
    assert packed == cells
    assert hash(packed) == hash(cells)
    assert repr(packed) == repr(cells)
    assert (packed[0], packed[-1], packed[1:3], len(packed)) == (cells[0], cells[-1], cells[1:3], len(cells))
    assert packed != cells[1:]
    assert pickle.loads(pickle.dumps(packed)) == packed
    assert packed.shifted(7)[1].span == cells[1].span.shifted(7)
    assert isinstance(document.blocks[0].table.unpacked().cells[0], Cell)
    with pytest.raises(IndexError):
        packed[len(packed)]


def test_packed_runs_are_the_runs() -> None:
    runs = PackedRuns()
    for clean, source in ((0, 5), (3, 8), (4, 20), (4, 30), (9, 40)):
        runs.add(clean, source)
    # The second goes on with the first; the fourth starts where the third did.
    kept = ((0, 5), (4, 30), (9, 40))
    assert runs == kept
    assert (tuple(runs), runs[1], runs[1:], len(runs), hash(runs), repr(runs)) == (
        kept,
        kept[1],
        kept[1:],
        3,
        hash(kept),
        repr(kept),
    )
    packed, plain = OffsetMap(runs), OffsetMap(kept)
    assert [packed.to_source(at) for at in range(12)] == [plain.to_source(at) for at in range(12)]
    assert pickle.loads(pickle.dumps(packed)) == packed
    runs.shorten(1)
    assert runs.from_start() == ((0, 5),)
    assert PackedRuns(((2, 9),)).from_start() == ((0, 0), (2, 9))


def test_numbers_and_places_survive_the_way_between_processes() -> None:
    document = read_document(large.html_report(20_000), "report.html")
    evidence = extract_evidence(document, chunks_of(document))
    assert pickle.loads(pickle.dumps(evidence)) == evidence
    assert pickle.loads(pickle.dumps(Span(1, 2))) == Span(1, 2)


PROGRAM = """
import json, resource, sys
from pathlib import Path
from tests.ingest.test_size import numbers_in
count = numbers_in(Path(sys.argv[1]).read_bytes(), "report.html")
print(json.dumps({"numbers": count, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def test_memory_grows_by_little_per_megabyte(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (1, 3):
        path = tmp_path / f"{megabytes}.html"
        path.write_bytes(large.html_report(megabytes * 1_000_000))
        command = [sys.executable, "-c", PROGRAM, str(path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ})
        used = json.loads(done.stdout)
        assert used["numbers"] > 20_000 * megabytes
        peaks.append(used["mb"])
    assert peaks[1] - peaks[0] < 2 * MOST_PER_MEGABYTE
