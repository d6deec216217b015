"""The engines by the names that settings use."""

import os
from collections.abc import Callable

from viska_assets.engines.bundled import E5_SMALL, MINILM
from viska_assets.engines.protocols import Embedder, EngineError, Reranker

KEY_VARIABLE = "VISKA_EMBEDDER_KEY"
DEFAULT_BGE_M3 = "BAAI/bge-m3"
DEFAULT_BGE_RERANKER = "BAAI/bge-reranker-v2-m3"


def _minilm() -> Embedder:
    from viska_assets.engines.minilm import MiniLm

    return MiniLm()


def _e5_small() -> Embedder:
    from viska_assets.engines.e5 import E5Small

    return E5Small()


def _bge_m3() -> Embedder:
    from viska_assets.engines.bge import BgeM3

    return BgeM3(DEFAULT_BGE_M3)


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"minilm-int8": _minilm, "e5-small": _e5_small, "bge-m3": _bge_m3}
_OTHER_EMBEDDERS = ("bge-m3:PATH", "tei:URL", "openai:URL#MODEL")
RERANKERS = ("none", "late-interaction", "bge-reranker-v2-m3", "bge-reranker-v2-m3:PATH")


def load_embedder(name: str, key: str | None = None) -> Embedder:
    """The embedder that a setting names.

    Beside the names of ``EMBEDDERS``: ``bge-m3:PATH`` reads a local checkpoint, ``tei:URL`` or ``tei:URL#MODEL`` asks
    a text-embeddings-inference server, ``openai:URL#MODEL`` a server of OpenAI's form (its URL ends in ``/v1``).

    Args:
        name: the setting.
        key: the bearer token for a model server; where not given, what ``VISKA_EMBEDDER_KEY`` holds. It is no setting,
            so that it travels in no plan, is printed with none, and is part of no engine version.

    Raises:
        EngineError: for an unknown name, or where its extra is not installed.
    """
    if name in EMBEDDERS:
        return EMBEDDERS[name]()
    kind, _, place = name.partition(":")
    if kind == "bge-m3" and place:
        from viska_assets.engines.bge import BgeM3

        return BgeM3(place)
    if kind in ("tei", "openai") and place.startswith(("http://", "https://")):
        return _served(kind, place, os.environ.get(KEY_VARIABLE, "") if key is None else key)
    known = ", ".join((*EMBEDDERS, *_OTHER_EMBEDDERS))
    raise EngineError(f"no embedder is called {name!r}; VISKA_EMBEDDER takes one of {known}")


def _served(kind: str, place: str, key: str) -> Embedder:
    from viska_assets.engines.http_client import ModelServer
    from viska_assets.engines.http_embedder import OpenAiEmbedder, TeiEmbedder

    url, _, model = place.partition("#")
    server = ModelServer(url, key)
    if kind == "tei":
        return TeiEmbedder(server, model)
    if not model:
        raise EngineError(f"VISKA_EMBEDDER must name the model after a #: openai:{url}#MODEL")
    return OpenAiEmbedder(server, model)


def load_reranker(name: str) -> Reranker | None:
    """The reranker that a setting names; None for ``none``.

    Raises:
        EngineError: for an unknown name.
    """
    kind, _, path = name.partition(":")
    if name == "none":
        return None
    if name == "late-interaction":
        from viska_assets.engines.late_interaction import LateInteraction

        return LateInteraction()
    if kind == "bge-reranker-v2-m3":
        from viska_assets.engines.bge import BgeReranker

        return BgeReranker(path or DEFAULT_BGE_RERANKER)
    raise EngineError(f"no reranker is called {name!r}; VISKA_RERANKER takes one of {', '.join(RERANKERS)}")


def weights_of(name: str) -> str:
    """Which weights a setting stands for, without loading them: a part of the engine version.

    Names, revisions and hashes of the weights that come with Viska; the hash over the files of a local checkpoint; the
    address and model of a server, which alone knows its weights.
    """
    kind, _, path = name.partition(":")
    if name in ("minilm-int8", "late-interaction"):
        return f"{name} {MINILM}"
    if name == "e5-small":
        return f"{name} {E5_SMALL}"
    if kind in ("bge-m3", "bge-reranker-v2-m3"):
        from viska_assets.engines.bge import checkpoint_sha256

        return f"{kind} {checkpoint_sha256(path or (DEFAULT_BGE_M3 if kind == 'bge-m3' else DEFAULT_BGE_RERANKER))}"
    return name
