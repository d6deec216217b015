"""A home that holds a pack: one that was made before, or a scratch one, ingested and embedded now."""

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
def pack_home(pack: Path, given: Path | None) -> Iterator[Home]:
    """The home that was given; where none is, a scratch home with the pack (the whole of one takes some minutes)."""
    if given is not None:
        home = Home(Settings(home=given))
        yield home
        home.close()
        return
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        try:
            receive(home, [pack / entry["path"] for entry in read_lines(pack / "manifest.jsonl")])
            embedder = load_embedder(home.settings.embedder)
            embed_backlog(home.database, embedder, progress=lambda done: print(f"{done} embedded", file=sys.stderr))
            yield home
        finally:
            home.close()
            EmbeddedServer(Path(scratch)).stop()
