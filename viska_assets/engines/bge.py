"""BAAI's bge-m3 and bge-reranker through FlagEmbedding: the extra ``viska[bge]``, imported on first use."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from viska_assets.engines.protocols import EngineError, ModelIdentity, Vectors

PASSAGE_TOKENS = 512


def _flag_embedding() -> Any:
    try:
        import FlagEmbedding
    except ImportError as error:
        raise EngineError("bge models need FlagEmbedding: pip install 'viska[bge]'") from error
    return FlagEmbedding


def checkpoint_sha256(path: str) -> str:
    """One hash over a local checkpoint's files, or of the hub name where the path is not a folder."""
    folder = Path(path)
    digest = hashlib.sha256(path.encode() if not folder.is_dir() else b"")
    for file in sorted(folder.rglob("*")) if folder.is_dir() else []:
        if file.is_file():
            digest.update(file.relative_to(folder).as_posix().encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


class BgeM3:
    """bge-m3's dense vectors (1024 for the published checkpoint), its lexical weights and token vectors.

    Args:
        path: a hub name or the folder of a checkpoint.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    @cached_property
    def identity(self) -> ModelIdentity:
        """Name, revision and hash of the checkpoint, and its dimension."""
        dimension = int(self._model.model.model.config.hidden_size)
        return ModelIdentity("bge-m3", Path(self._path).name, checkpoint_sha256(self._path), dimension)

    @cached_property
    def _model(self) -> Any:
        return _flag_embedding().BGEM3FlagModel(self._path, use_fp16=False, devices="cpu")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (n × dimension)."""
        return self._dense(list(texts))

    def embed_query(self, text: str) -> Vectors:
        """The unit vector (dimension) of a question."""
        vector: Vectors = self._dense([text])[0]
        return vector

    def _dense(self, texts: list[str]) -> Vectors:
        found = self._model.encode(texts, max_length=PASSAGE_TOKENS, return_sparse=False, return_colbert_vecs=False)
        vectors = np.asarray(found["dense_vecs"], dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)

    def lexical_weights(self, texts: Sequence[str]) -> list[dict[str, float]]:
        """bge-m3's own sparse weights by token id, one mapping a text."""
        found = self._model.encode(list(texts), return_dense=False, return_sparse=True, return_colbert_vecs=False)
        return [{str(token): float(weight) for token, weight in row.items()} for row in found["lexical_weights"]]

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """bge-m3's late-interaction vectors, one matrix (tokens × dimension) a text."""
        found = self._model.encode(list(texts), return_dense=False, return_sparse=False, return_colbert_vecs=True)
        return [np.asarray(matrix, dtype=np.float32) for matrix in found["colbert_vecs"]]

    def count_tokens(self, text: str) -> int:
        """Sentence pieces of the text, special tokens left out."""
        return len(self._model.tokenizer(text, add_special_tokens=False)["input_ids"])


class BgeReranker:
    """bge-reranker-v2-m3: one score a (question, passage) pair, squashed to 0..1.

    Args:
        path: a hub name or the folder of a checkpoint.
    """

    share = 1.0

    def __init__(self, path: str = "BAAI/bge-reranker-v2-m3") -> None:
        self._path = path
        self.name = f"bge-reranker-v2-m3:{Path(path).name}#{checkpoint_sha256(path)[:12]}"

    @cached_property
    def _model(self) -> Any:
        return _flag_embedding().FlagReranker(self._path, use_fp16=False, devices="cpu")

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, higher is better."""
        if not passages:
            return []
        found = self._model.compute_score([[query, passage] for passage in passages], normalize=True)
        return [float(score) for score in (found if isinstance(found, list) else [found])]
