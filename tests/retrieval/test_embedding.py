"""Working off the backlog: what is embedded, once; and a new model beside the old one, killed on the way."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.store.corpora import add
from viska_assets.engines.protocols import Embedder, EngineError, ModelIdentity
from viska_assets.retrieval.embedding import catch_up, embed_backlog, searching_engine
from viska_assets.store.database import Database
from viska_assets.store.dense import dense_search
from viska_assets.store.embeddings import active_model, embedding_backlog
from viska_assets.store.scope import SearchScope

pytestmark = pytest.mark.database


@dataclass
class Letters:
    """An embedder of letter counts that remembers what it was asked."""

    name: str = "letters"
    dimension: int = 26
    seen: list[str] = field(default_factory=list)

    @property
    def identity(self) -> ModelIdentity:
        """The name, and a hash of nothing."""
        return ModelIdentity(self.name, "1", "0" * 64, self.dimension)

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of the texts' letters."""
        self.seen += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        """The unit vector of a text's letters."""
        counts = np.zeros(self.dimension, dtype=np.float32)
        for letter in text.lower():
            counts[ord(letter) % self.dimension] += 1
        return counts / np.linalg.norm(counts)

    def count_tokens(self, text: str) -> int:
        """How many words a text has."""
        return len(text.split())


def active(database: Database) -> str:
    with database.transaction() as connection:
        found = active_model(connection)
    return found.engine if found else ""


def test_a_text_is_embedded_once_and_the_run_counts_chunks(database: Database) -> None:
    embedder = Letters()
    with database.transaction() as connection:
        add(connection, 1, ["same text", "same text", "another"])
    first = embed_backlog(database, embedder)
    assert sorted(embedder.seen) == ["another", "same text"]
    assert first.backlog == 0
    with database.transaction() as connection:
        add(connection, 2, ["same text", "fresh"])
    second = embed_backlog(database, embedder)
    assert embedder.seen[2:] == ["fresh"]
    assert (second.embedded, second.tokens, second.switched) == (1, 1, False)


def test_a_limit_leaves_a_backlog(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["a", "b", "c"])
    run = embed_backlog(database, Letters(), limit=2)
    assert (run.embedded, run.backlog) == (2, 1)


def test_a_new_model_takes_over_when_it_has_caught_up_and_the_old_one_is_kept_up_to_date_until_then(
    database: Database,
) -> None:
    engines: dict[str, Embedder] = {"old": Letters("old"), "new": Letters("new", 20)}
    with database.transaction() as connection:
        add(connection, 1, ["a b", "c d"])
    catch_up(database, "old", load=engines.__getitem__)
    assert active(database) == "old"
    with database.transaction() as connection:
        add(connection, 2, ["e f", "g h"])
    embed_backlog(database, engines["new"], engine="new", limit=3)
    assert searching_engine(database, "new") == "old"
    run = catch_up(database, "new", load=engines.__getitem__)
    assert run.switched
    assert searching_engine(database, "old") == "new"
    with database.transaction() as connection:
        assert embedding_backlog(connection, str(engines["old"].identity), 26) == 0


def test_an_old_engine_that_is_gone_does_not_hold_the_new_one_up(database: Database) -> None:
    with database.transaction() as connection:
        add(connection, 1, ["a b"])
    embed_backlog(database, Letters("old"), engine="gone")

    def load(name: str) -> Embedder:
        if name == "gone":
            raise EngineError("gone")
        return Letters(name, 20)

    assert catch_up(database, "new", load=load).switched


KILLED = """
    import sys, time
    from tests.retrieval.test_embedding import Letters
    from viska_assets.retrieval import embedding
    from viska_assets.store.database import Database

    embedding.BATCH = 4

    class Slow(Letters):
        def embed_passages(self, texts):
            if len(self.seen) >= int(sys.argv[2]):
                print("stopped", flush=True)
                time.sleep(600)
            return super().embed_passages(texts)

    def stop(connection, model):
        if model.startswith("old"):
            return False
        print("stopped", flush=True)
        time.sleep(600)

    if sys.argv[2] == "99":
        embedding.settle_model = stop
    embedding.catch_up(Database(sys.argv[1]), "new", load=lambda name: Slow(name, 26 if name == "old" else 20))
"""


@pytest.mark.parametrize("after", [0, 8, 99], ids=["at its start", "half way", "before the switch"])
def test_a_kill_while_a_new_model_catches_up_leaves_the_old_one_searching(
    database: Database, database_url: str, after: int
) -> None:
    texts = [f"{letter * 3} {chr(ord(letter) + 1)}" for letter in "abcdefghijklmnop"]
    with database.transaction() as connection:
        add(connection, 1, texts)
    old = Letters("old")
    embed_backlog(database, old, engine="old")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), database_url, str(after)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert active(database) == "old"
    with database.transaction() as connection:
        query = old.embed_query(texts[5])
        assert dense_search(connection, str(old.identity), query, SearchScope(), 1)[0].chunk_id == "1-5"
    new = Letters("new", 20)
    engines: dict[str, Embedder] = {"old": old, "new": new}
    run = catch_up(database, "new", load=engines.__getitem__)
    assert run.switched
    assert run.embedded == 16 - min(after, 16), "what was embedded before the kill is kept"
    assert active(database) == "new"
    with database.transaction() as connection:
        query = new.embed_query(texts[5])
        assert dense_search(connection, str(new.identity), query, SearchScope(), 1)[0].chunk_id == "1-5"
