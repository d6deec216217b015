"""The verdict's bytes do not depend on hash seed, zone or locale, and importing the gate is fast."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
sys.path[:0] = [{tests!r}, {root!r}]
from support import verdict_of, source
from viska_assets.guardrail.report import verdict_json
body = "Net sales were $5,227 million in FY2024[^c1].\\n\\nBeta Corp doubled 06/07/2026[^c9] $51,27 l,234."
sys.stdout.write(verdict_json(verdict_of(body, [source(), source("c2", "Operating income", "FY2024")])))
"""


def _run(seed: str, zone: str, locale: str) -> bytes:
    program = PROGRAM.format(tests=str(Path(__file__).parent), root=str(ROOT))
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "TZ": zone,
        "LC_ALL": locale,
        "LANG": locale,
        "PYTHONUTF8": "1",
    }
    return subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True).stdout


def test_verdict_bytes_are_identical_under_other_seeds_zones_and_locales() -> None:
    runs = {
        _run("0", "UTC", "C"),
        _run("1", "Asia/Kolkata", "da_DK.UTF-8"),
        _run("424242", "America/New_York", "C.UTF-8"),
    }
    assert len(runs) == 1
    assert b'"codes"' in runs.pop()


def test_import_is_fast() -> None:
    program = "import time; t = time.process_time(); import viska_assets.guardrail.gate; print(time.process_time() - t)"
    seconds = [
        float(
            subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        )
        for _ in range(2)
    ]
    assert min(seconds) < 1.5
