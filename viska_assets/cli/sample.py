"""The sample feed into the drop folder, file by file, only where the bytes are not there yet."""

import shutil
from pathlib import Path

from viska_assets.cli.serving import PROJECT
from viska_assets.store.settings import Settings

SAMPLES = PROJECT / "samples"
# The sample's documents are dated by themselves; the two tables of figures become known on this day.
SAMPLE_CLOCK = "2025-11-28T18:00:00+00:00"


def drop_samples(settings: Settings) -> list[str]:
    """Copies the sample feed into the drop folder and its DNS answers into the home; returns the files copied."""
    settings.drop_path.mkdir(parents=True, exist_ok=True)
    copied = []
    for source in sorted((SAMPLES / "feed").iterdir()):
        if _copy(source, settings.drop_path / source.name):
            copied.append(source.name)
    _copy(SAMPLES / "dns.json", settings.home_path / "dns.json")
    return copied


def _copy(source: Path, target: Path) -> bool:
    if target.exists() and target.read_bytes() == source.read_bytes():
        return False
    scratch = target.with_name(f".{target.name}.partial")
    shutil.copyfile(source, scratch)
    scratch.replace(target)
    return True
