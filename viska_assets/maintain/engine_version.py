"""The engine version: one hash over everything that decides what is drafted, gated and answered."""

import hashlib
from functools import lru_cache
from pathlib import Path

import viska_assets
from viska_assets.engines.catalogue import weights_of
from viska_assets.store.settings import Settings

ROOMS = ("model", "text", "okf", "guardrail", "graph", "maintain")
# What beside the above decides how a question is answered and graded.
ANSWERING_ROOMS = ("retrieval", "query", "parity")
# The prompt of the LLM drafter is a markdown file: it decides what is drafted as code does.
SOURCES = (".py", ".md")


def source_hash(rooms: tuple[str, ...] = ROOMS) -> str:
    """The sha256 over the source files of some rooms as they are on disk, in one order on every machine.

    Files are read again only where one has another size or time than before, so a long-lived process notices a change.
    """
    root = Path(viska_assets.__file__).parent
    found = sorted(path for room in rooms for path in (root / room).rglob("*") if path.suffix in SOURCES)
    seen = [(path, path.stat()) for path in found]
    return _hash_of(root, tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in seen))


@lru_cache(maxsize=8)
def _hash_of(root: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _, _ in files:
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def engine_version(embedder: str, policy: str = "", reranker: str = "none", drafter: str = "extractive") -> str:
    """Twelve hex digits that change whenever code, models or policy change.

    Args:
        embedder: the name of the active embedder, as the settings have it; its weights' hash counts with it.
        policy: the text of the policy file.
        reranker: the name of the active reranker, likewise.
        drafter: the name of the drafter, with its model where it has one.
    """
    parts = (source_hash(), weights_of(embedder), policy, weights_of(reranker), drafter)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def engine_of(settings: Settings) -> str:
    """The engine version under some settings."""
    drafter = f"llm:{settings.llm.model}" if settings.drafter == "llm" else settings.drafter
    return engine_version(settings.embedder, settings.policy_text(), settings.reranker, drafter)


def answering_engine_of(settings: Settings) -> str:
    """The engine version that a parity verdict holds for: what drafts and gates pages, and what answers from them."""
    answerer = f"llm:{settings.llm.model}" if settings.answerer == "llm" else settings.answerer
    parts = (engine_of(settings), source_hash(ANSWERING_ROOMS), answerer)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
