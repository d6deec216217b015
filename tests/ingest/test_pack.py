"""The evaluation pack: every document is read, and print alone gives what the tags and gold tables say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ingest.conftest import chunks_of, evidence_in
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import ParsedDocument

pytestmark = pytest.mark.pack
ROOT = Path(__file__).resolve().parents[2]


def sample(pack: Path, *, largest: int = 600_000) -> list[tuple[Path, dict[str, str]]]:
    rows = [json.loads(line) for line in (pack / "manifest.jsonl").read_text("utf-8").splitlines()]
    return [(pack / row["path"], row) for row in rows if row["bytes"] <= largest]


def reassembles(document: ParsedDocument) -> bool:
    joined = "".join("".join(chunk.text.split()) for chunk in chunks_of(document))
    return joined == "".join(document.text.split())


def test_every_document_is_read_whole_and_every_span_is_true(pack: Path) -> None:
    for path, _ in sample(pack):
        document = read_document(path.read_bytes(), path.name)
        assert reassembles(document), path.name
        for one in evidence_in(document):
            printed = one.span.of(document.text)
            assert printed.strip() == printed != "", (path.name, one)
        for block in document.blocks:
            assert all(cell.span.of(document.text) == cell.text for cell in (block.table.cells if block.table else ()))


def test_the_bars_hold_on_the_tagged_filings_and_gold_tables(pack: Path) -> None:
    command = [sys.executable, str(ROOT / "bench" / "parsing.py"), "--pack", str(pack), "--formats", "html", "md"]
    done = subprocess.run([*command, "--no-peers", "--no-determinism"], capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    bars = {
        "ixbrl_value_recovery_tables": 0.99,
        "ixbrl_value_recovery_prose": 0.995,
        "ixbrl_recovered_with_labels": 0.97,
        "table_cells_recovered": 0.99,
        "period_accuracy": 0.97,
        "text_coverage": 1.0,
    }
    assert {key: measured[key] for key, bar in bars.items() if measured[key] < bar} == {}
