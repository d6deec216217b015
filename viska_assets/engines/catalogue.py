"""The engines by the names that settings use."""

from collections.abc import Callable

from viska_assets.engines.protocols import Embedder, EngineError


def _minilm() -> Embedder:
    from viska_assets.engines.minilm import MiniLm

    return MiniLm()


def _bge_m3() -> Embedder:
    from viska_assets.engines.bge import BgeM3

    return BgeM3("BAAI/bge-m3")


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"minilm-int8": _minilm, "bge-m3": _bge_m3}


def load_embedder(name: str) -> Embedder:
    """The embedder that a setting names; ``bge-m3:PATH`` reads a local checkpoint.

    Raises:
        EngineError: for an unknown name, or where its extra is not installed.
    """
    kind, _, path = name.partition(":")
    if kind == "bge-m3" and path:
        from viska_assets.engines.bge import BgeM3

        return BgeM3(path)
    if name not in EMBEDDERS:
        raise EngineError(f"no embedder is called {name!r}; VISKA_EMBEDDER takes one of {', '.join(EMBEDDERS)}")
    return EMBEDDERS[name]()
