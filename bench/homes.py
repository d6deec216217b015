"""Homes for the benchmarks: one that was made before, a scratch one, and one that holds a pack."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.maintainer import receive
from bench.packs import read_lines
from viska_assets.engines.catalogue import load_embedder
from viska_assets.retrieval.embedding import embed_backlog
from viska_assets.store.home import Home
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings


@contextmanager
def home_at(path: Path) -> Iterator[Home]:
    """The home of a folder, closed afterwards; its server runs on."""
    home = Home(Settings(home=path))
    try:
        yield home
    finally:
        home.close()


@contextmanager
def scratch_home() -> Iterator[Home]:
    """An empty home of its own, whose server is stopped and whose folder is removed afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with home_at(Path(scratch)) as home:
                yield home
        finally:
            EmbeddedServer(Path(scratch)).stop()


@contextmanager
def pack_home(pack: Path, given: Path | None) -> Iterator[Home]:
    """The home that was given; where none is, a scratch home with the pack (the whole of one takes some minutes)."""
    if given is not None:
        with home_at(given) as home:
            yield home
        return
    with scratch_home() as home:
        receive(home, [pack / entry["path"] for entry in read_lines(pack / "manifest.jsonl")])
        embedder = load_embedder(home.settings.embedder)
        embed_backlog(home.database, embedder, progress=lambda done: print(f"{done} embedded", file=sys.stderr))
        yield home
