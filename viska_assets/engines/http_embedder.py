"""Embedding by a model server: text-embeddings-inference (``/embed``) and the OpenAI form (``/v1/embeddings``)."""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from viska_assets.engines.http_client import ModelServer, RequestTooLargeError
from viska_assets.engines.protocols import EngineError, ModelIdentity, Vectors

BATCH = 32  # the most texts a text-embeddings-inference server takes in its default configuration
QUERY_TIMEOUT = 5.0
_PIECES = re.compile(r"\w{1,6}|[^\w\s]")


class _HttpEmbedder(ABC):
    """What both forms share: batches, checks of every answer, an identity asked for once."""

    def __init__(self, server: ModelServer, model: str) -> None:
        self._server = server
        self._model = model
        soon = min(QUERY_TIMEOUT, server.timeout)
        self._hurried = replace(server, timeout=soon, patience=soon, attempts=2)

    @cached_property
    def identity(self) -> ModelIdentity:
        """The served model: its name and revision as the server states them, and its dimension as it answers.

        The server keeps its weights to itself, so the hash is one over what it says of them.
        """
        name, revision = self._stated()
        digest = hashlib.sha256(f"{name}\0{revision}".encode()).hexdigest()
        return ModelIdentity(name, revision or "unstated", digest, self._checked(["dimension"], 0).shape[1])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n × dimension)."""
        dimension = self.identity.dimension
        batches = [self._halved(list(texts[at : at + BATCH]), dimension) for at in range(0, len(texts), BATCH)]
        return np.concatenate(batches) if batches else np.empty((0, dimension), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector (dimension) of a question; a server that is busy is soon given up."""
        vector: Vectors = self._checked([text], self.identity.dimension, hurried=True)[0]
        return vector

    def count_tokens(self, text: str) -> int:
        """About how many tokens the text has: pieces of at most six letters, and signs. Asks no server."""
        return len(_PIECES.findall(text))

    def _halved(self, texts: list[str], dimension: int) -> Vectors:
        try:
            return self._checked(texts, dimension)
        except RequestTooLargeError:
            if len(texts) == 1:
                raise
            half = len(texts) // 2
            return np.concatenate([self._halved(texts[:half], dimension), self._halved(texts[half:], dimension)])

    def _checked(self, texts: list[str], dimension: int, *, hurried: bool = False) -> Vectors:
        """Unit vectors of an answer that holds what it must; dimension 0 takes any."""
        rows = self._ask(self._hurried if hurried else self._server, texts)
        try:
            vectors = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise self._fault("answers with vectors of different lengths, or with no numbers") from error
        if vectors.ndim != 2 or vectors.shape[0] != len(texts) or vectors.shape[1] == 0:
            raise self._fault(f"answers {len(texts)} texts with an array of shape {vectors.shape}")
        if dimension and vectors.shape[1] != dimension:
            raise self._fault(f"answers with {vectors.shape[1]} dimensions where its model has {dimension}")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not (norms > 0).all():
            raise self._fault("answers with a vector that is not finite, or zero")
        return np.asarray(vectors / norms, dtype=np.float32)

    def _fault(self, what: str) -> EngineError:
        return EngineError(f"{self._server.url} {what}; check which model it serves")

    @abstractmethod
    def _stated(self) -> tuple[str, str]:
        """The model's name and revision, as far as the server states them."""

    @abstractmethod
    def _ask(self, server: ModelServer, texts: list[str]) -> Any:
        """What the server answers for the texts, unchecked."""


class TeiEmbedder(_HttpEmbedder):
    """A text-embeddings-inference server.

    Args:
        server: where it listens.
        model: the model id that it must state; empty takes whatever it serves.
    """

    def _stated(self) -> tuple[str, str]:
        info = self._server.get("/info")
        name = info.get("model_id") if isinstance(info, dict) else None
        if not isinstance(name, str) or not name:
            raise self._fault("states no model_id at /info")
        if self._model and name != self._model:
            raise self._fault(f"serves {name!r}, not {self._model!r}")
        return name, str(info.get("model_sha") or "")

    def _ask(self, server: ModelServer, texts: list[str]) -> Any:
        return server.post("/embed", {"inputs": texts, "normalize": True, "truncate": True})


class OpenAiEmbedder(_HttpEmbedder):
    """A server with OpenAI's embeddings form.

    Args:
        server: where it listens, ``/v1`` included.
        model: the model to ask for; the answer must name the same one.
    """

    def _stated(self) -> tuple[str, str]:
        return self._model, ""

    def _ask(self, server: ModelServer, texts: list[str]) -> Any:
        answer = server.post("/embeddings", {"model": self._model, "input": texts, "encoding_format": "float"})
        if not isinstance(answer, dict) or not isinstance(answer.get("data"), list):
            raise self._fault("answers without a list of embeddings")
        if answer.get("model") != self._model:
            raise self._fault(f"answers for the model {answer.get('model')!r}, not {self._model!r}")
        try:
            by_index = {int(row["index"]): row["embedding"] for row in answer["data"]}
        except (KeyError, TypeError, ValueError) as error:
            raise self._fault("answers with embeddings that lack their index") from error
        if sorted(by_index) != list(range(len(texts))):
            raise self._fault(f"answers {len(texts)} texts with {len(answer['data'])} embeddings")
        return [by_index[at] for at in range(len(texts))]
