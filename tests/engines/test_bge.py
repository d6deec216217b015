"""The real FlagEmbedding paths on a tiny checkpoint that the test makes: nothing is downloaded."""

from pathlib import Path

import numpy as np
import pytest

from viska_assets.engines.catalogue import load_embedder

pytestmark = pytest.mark.bge
HIDDEN = 32
WORDS = ["▁net", "▁sales", "▁rose", "▁margin", "▁fell", "▁the", "▁in", "▁fiscal", "▁year", "▁"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory):
    pytest.importorskip("FlagEmbedding", reason="the extra viska[bge] is not installed; run make test-bge")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import XLMRobertaTokenizerFast

    letters = [(chr(code), -9.0) for code in range(ord("a"), ord("z") + 1)]
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((w, -2.0) for w in WORDS), *letters]
    raw = Tokenizer(models.Unigram([*pieces, ("<mask>", 0.0)], unk_id=3))
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    file = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    raw.save(str(file))
    return XLMRobertaTokenizerFast(tokenizer_file=str(file), model_max_length=128)


def config(size: int, **more: object):
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=size,
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=140,
        pad_token_id=1,
        **more,
    )


@pytest.fixture(scope="module")
def m3(tmp_path_factory: pytest.TempPathFactory, tokenizer) -> Path:
    import torch
    from transformers import XLMRobertaModel

    folder = tmp_path_factory.mktemp("bge-m3")
    torch.manual_seed(0)
    XLMRobertaModel(config(len(tokenizer))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def test_dense_sparse_and_token_vectors_come_from_the_checkpoint(m3: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    embedder = load_embedder(f"bge-m3:{m3}")
    texts = ["net sales rose in the fiscal year", "the margin fell"]
    dense = embedder.embed_passages(texts)
    assert dense.shape == (2, HIDDEN)
    assert np.allclose(np.linalg.norm(dense, axis=1), 1, atol=1e-5)
    assert np.allclose(embedder.embed_query(texts[0]), dense[0], atol=1e-5)
    assert embedder.identity.dimension == HIDDEN
    assert len(embedder.identity.sha256) == 64
    assert embedder.count_tokens("net sales") == 2
    sparse = embedder.lexical_weights(texts)
    assert len(sparse) == 2
    vectors = embedder.token_vectors(texts)
    assert {matrix.shape[1] for matrix in vectors} == {HIDDEN}


def test_the_reranker_scores_every_pair(tmp_path: Path, tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import XLMRobertaForSequenceClassification

    from viska_assets.engines.bge import BgeReranker

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.manual_seed(0)
    XLMRobertaForSequenceClassification(config(len(tokenizer), num_labels=1)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    reranker = BgeReranker(str(tmp_path))
    scores = reranker.scores("net sales", ["net sales rose", "the margin fell"])
    assert len(scores) == 2
    assert all(0 <= score <= 1 for score in scores)
    assert reranker.scores("net sales", []) == []
