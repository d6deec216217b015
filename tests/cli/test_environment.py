"""A broken environment: a message and exit code 3, never a traceback."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.disposable import VISKA


def viska(tmp_path: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("VISKA_")}
    environment = clean | {"VISKA_HOME": str(tmp_path / "home")} | variables
    return subprocess.run(
        [VISKA, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"VISKA_DATABASE_URL": "postgresql://u:p@127.0.0.1:9/x"}, "the database cannot be reached"),
        ({"VISKA_DATABASE_URL": "garbage"}, "VISKA_DATABASE_URL must begin with postgresql://"),
        ({"VISKA_HOME": "/proc/nowhere"}, "/proc/nowhere"),
        ({"VISKA_NOW": "garbage"}, "VISKA_NOW"),
        ({"VISKA_OCR": "foo"}, "VISKA_OCR"),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    done = viska(tmp_path, "status", **variables)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"VISKA_RERANKER": "cohere"}, "VISKA_RERANKER takes one of none, late-interaction"),
        ({"VISKA_EMBEDDER": "word2vec"}, "VISKA_EMBEDDER takes one of minilm-int8, e5-small"),
        ({"VISKA_EMBEDDER": "openai:http://127.0.0.1:9/v1"}, "VISKA_EMBEDDER must name the model"),
    ],
)
def test_an_unknown_engine_is_named(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    done = viska(tmp_path, "search", "gross margin", **variables)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert said in " ".join(done.stderr.split())


def test_an_unknown_code_is_a_usage_error(tmp_path: Path) -> None:
    done = viska(tmp_path, "gate", "--explain", "LETSGO")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert viska(tmp_path, "gate", "--explain", "ungrounded").stdout.startswith("UNGROUNDED")
