"""What Viska asks of a model: an embedder or a reranker with an identity, and nothing of where it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# In quotes: whoever only catches an EngineError does not wait for numpy.
Vectors: TypeAlias = "NDArray[np.float32]"


class EngineError(RuntimeError):
    """A model could not be loaded or did not answer; the message names the model and the mend."""


@dataclass(frozen=True)
class ModelIdentity:
    """Which weights exactly: part of the engine version, and the key under which embeddings are stored."""

    name: str
    revision: str
    sha256: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}#{self.sha256[:12]}"


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> ModelIdentity:
        """Which weights these are."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n × dimension) of texts that are to be found."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The unit vector (dimension) of a question."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many of the model's tokens the text has, special tokens left out."""
        ...


class Reranker(Protocol):
    """Orders passages by how well they answer a question.

    ``share`` is the part of a passage's final score that is the reranker's own; the legs have the rest in equal parts.
    """

    name: str
    share: float

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, higher is better."""
        ...
