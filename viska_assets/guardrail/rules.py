"""The version of the rules: a hash over the source of everything that can change a verdict."""

import hashlib
from functools import lru_cache
from pathlib import Path

_ROOMS = ("guardrail", "text", "okf", "model")


@lru_cache(maxsize=1)
def rules_version() -> str:
    """Hash of the source files of the rooms that the gate consists of, in a fixed order."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for room in _ROOMS:
        for file in sorted((root / room).rglob("*.py")):
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(b"\0")
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


RULES_VERSION = rules_version()
