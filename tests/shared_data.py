"""Where the shared evaluation data lies: beside the repository, or beside the pack that VISKA_PACK names."""

import os
from pathlib import Path

import pytest


def shared_data(*parts: str) -> Path:
    """A file or folder of the shared data; skips the test, naming the place, where it is absent."""
    pack = os.environ.get("VISKA_PACK")
    data = Path(pack).parent if pack else Path(__file__).parents[1] / ".." / "shared" / "data"
    found = data.joinpath(*parts)
    if not found.exists():
        pytest.skip(f"no shared data at {found}; set VISKA_PACK to a pack of it")
    return found
