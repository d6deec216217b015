"""Writes ``bundle/`` again: exactly what ``make run`` makes of the sample feed, in a home of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def build_bundle(target: Path) -> list[str]:
    """Ingests the sample feed into a temporary home and copies the bundle's files; returns their paths."""
    viska = str(Path(sys.executable).with_name("viska"))
    with tempfile.TemporaryDirectory() as scratch:
        variables = {k: v for k, v in os.environ.items() if not k.startswith("VISKA_")} | {"VISKA_HOME": scratch}
        try:
            subprocess.run([viska, "up", "--sample", "--headless"], env=variables, check=True)
        finally:
            subprocess.run([viska, "db", "stop"], env=variables, check=False)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(scratch) / "bundle", target, ignore=shutil.ignore_patterns(".git"))
    return sorted(path.relative_to(target).as_posix() for path in target.rglob("*.md"))


if __name__ == "__main__":
    for name in build_bundle(REPOSITORY / "bundle"):
        print(name)
