"""The embedded default model: real weights, unit vectors, and a refusal of weights that are not the pinned ones."""

from pathlib import Path

import numpy as np
import pytest

from viska_assets.engines import minilm
from viska_assets.engines.bundled import MINILM
from viska_assets.engines.catalogue import load_embedder, load_reranker
from viska_assets.engines.minilm import MiniLm
from viska_assets.engines.protocols import EngineError
from viska_assets.engines.weights import checked


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
        checked(file, MINILM.sha256)


def test_an_unknown_engine_names_the_setting() -> None:
    with pytest.raises(
        EngineError, match=r"VISKA_EMBEDDER takes one of minilm-int8, e5-small, bge-m3, bge-m3:PATH, tei:URL"
    ):
        load_embedder("word2vec")


def test_token_vectors_are_units_and_agree_with_the_text() -> None:
    model = MiniLm()
    first, second = model.token_vectors(["net sales rose", "margin " * 400])
    assert first.shape == (3, 384)
    assert second.shape == (minilm.WINDOW - 2, 384)
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)


def test_late_interaction_prefers_the_passage_with_the_asked_words() -> None:
    reranker = load_reranker("late-interaction")
    assert reranker is not None
    right, wrong = reranker.scores(
        "gross margin in 2019", ["The gross margin was 38% in 2019.", "Our dogs like cheese."]
    )
    assert 1 >= right > wrong >= -1
    assert reranker.scores("", ["a text"]) == [0.0]
    assert reranker.scores("a question", ["", "margin"])[0] == 0.0
    assert reranker.scores("a question", []) == []
    assert MINILM.sha256[:12] in reranker.name


def test_rerankers_by_name() -> None:
    assert load_reranker("none") is None
    with pytest.raises(EngineError, match="VISKA_RERANKER takes one of none, late-interaction, bge-reranker-v2-m3"):
        load_reranker("cohere")
