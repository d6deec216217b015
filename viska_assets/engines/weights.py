"""Model weights that come inside installed packages: found without importing the package, checked by their hash."""

import hashlib
import importlib.util
from pathlib import Path

from viska_assets.engines.protocols import EngineError


def package_file(package: str, relative: str) -> Path:
    """A data file of an installed package.

    Raises:
        EngineError: where the package is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EngineError(f"the package {package} is not installed; install Viska's dependencies again")
    return Path(spec.submodule_search_locations[0]) / relative


def checked(path: Path, sha256: str) -> Path:
    """The path, if its bytes are the pinned ones.

    Raises:
        EngineError: where the file is missing or another.
    """
    if not path.exists():
        raise EngineError(f"{path.name} is missing from its package; install Viska's dependencies again")
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        raise EngineError(f"{path.name} is not the pinned file (sha256 {found[:12]}…, not {sha256[:12]}…)")
    return path
