"""Where the shared evaluation data lies."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared evaluation data, or a skip that names where it was sought."""
    pack = os.environ.get("VISKA_PACK")
    beside = Path(__file__).parents[2] / ".." / "shared" / "data"
    folder = Path(pack).parent if pack else beside.resolve()
    if not (folder / "okf_bundles").is_dir():
        pytest.skip(f"no shared data at {folder}; set VISKA_PACK to a pack beside okf_bundles/")
    return folder
