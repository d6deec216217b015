"""The embedded default model: real weights, unit vectors, and a refusal of weights that are not the pinned ones."""

from pathlib import Path

import numpy as np
import pytest

from viska_assets.engines import minilm
from viska_assets.engines.catalogue import load_embedder
from viska_assets.engines.protocols import EngineError


def test_meaning_is_nearer_than_chance() -> None:
    vectors = load_embedder("minilm-int8").embed_passages(
        ["Net sales rose in the fiscal year.", "Revenue increased over the year.", "The cat slept on the mat."]
    )
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


def test_a_text_has_the_same_vector_alone_and_in_a_batch() -> None:
    embedder = load_embedder("minilm-int8")
    together = embedder.embed_passages(["short", "a much longer passage about gross margin and capital returns " * 9])
    assert np.allclose(embedder.embed_query("short"), together[0], atol=1e-6)


def test_tokens_are_counted_past_the_window() -> None:
    assert load_embedder("minilm-int8").count_tokens("margin " * 400) == 400


def test_other_weights_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"not the model")
    with pytest.raises(EngineError, match=r"model\.onnx is not the pinned file"):
        minilm._checked(file, minilm.MODEL_SHA256)


def test_an_unknown_engine_names_the_setting() -> None:
    with pytest.raises(EngineError, match=r"VISKA_EMBEDDER takes one of minilm-int8, bge-m3"):
        load_embedder("word2vec")
