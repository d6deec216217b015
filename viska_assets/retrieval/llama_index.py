"""Viska as a llama-index retriever: hybrid search whose passages are nodes. Imported by llama-index users only."""

import asyncio
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from viska_assets.engines.catalogue import load_embedder, load_reranker
from viska_assets.engines.protocols import Embedder, Reranker
from viska_assets.retrieval.search import Passage, hybrid_search
from viska_assets.store.database import Database
from viska_assets.store.home import Home
from viska_assets.store.search import SearchScope
from viska_assets.store.settings import Settings

_CITED = ("resource", "chunk", "text_sha256")
_TOLD_TO_MODELS = ("document", "page", "prefix")


class ViskaRetriever(BaseRetriever):
    """Retrieves passages from a Viska home.

    Args:
        database: where the chunks live.
        embedder: the active model; None searches by words only.
        reranker: who reads the best passages again.
        scope: which chunks may be found.
        limit: how many passages at most.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        *,
        reranker: Reranker | None = None,
        scope: SearchScope | None = None,
        limit: int = 10,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._reranker = reranker
        self._scope = scope or SearchScope()
        self._limit = limit
        super().__init__(callback_manager=callback_manager)

    @classmethod
    def from_home(cls, home: Home | None = None, **options: Any) -> "ViskaRetriever":
        """A retriever over the home that the ``VISKA_*`` settings name, with their embedder and reranker.

        Args:
            home: another home.
            options: ``scope``, ``limit`` and the like, as the constructor takes them.
        """
        state = home or Home(Settings())
        settings = state.settings
        return cls(
            state.database, load_embedder(settings.embedder), **{"reranker": load_reranker(settings.reranker)} | options
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with self._database.transaction() as connection:
            found = hybrid_search(
                connection,
                self._embedder,
                query_bundle.query_str,
                self._scope,
                self._limit,
                reranker=self._reranker,
            )
        return [node_of(passage, found.degraded) for passage in found.passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """In a thread: the model and the database would hold up the event loop."""
        return await asyncio.to_thread(self._retrieve, query_bundle)


def node_of(passage: Passage, degraded: tuple[str, ...] = ()) -> NodeWithScore:
    """A passage as a node: its id is the chunk's, its metadata holds what a citation needs.

    ``resource``, ``chunk`` and ``text_sha256`` name the cited text; ``start_char_idx`` and ``end_char_idx`` are offsets
    in the document's cleaned text. A model is told the document, the page and the prefix, and embeds the prefix alone.
    """
    metadata: dict[str, Any] = {
        "document": passage.document,
        "document_id": passage.document_id,
        "page": passage.page,
        "prefix": passage.prefix,
        "kind": passage.kind,
        "known_at": passage.known_at.isoformat(),
        "authentication": passage.authentication,
        "resource": passage.resource,
        "chunk": passage.chunk_id,
        "text_sha256": passage.text_sha256,
        "ranks": dict(passage.ranks),
        "duplicates": list(passage.duplicates),
        "degraded": list(degraded),
    }
    node = TextNode(
        id_=passage.chunk_id,
        text=passage.text,
        metadata=metadata,
        excluded_embed_metadata_keys=[key for key in metadata if key != "prefix"],
        excluded_llm_metadata_keys=[key for key in metadata if key not in _TOLD_TO_MODELS],
        start_char_idx=passage.start,
        end_char_idx=passage.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage.document_id)},
    )
    return NodeWithScore(node=node, score=passage.score)


def citation_of(node: NodeWithScore) -> dict[str, str]:
    """What a citation of a retrieved node names.

    Raises:
        ValueError: for a node of other origin.
    """
    missing = [key for key in _CITED if key not in node.node.metadata]
    if missing:
        raise ValueError(f"node {node.node.node_id} is no passage of Viska: it lacks {', '.join(missing)}")
    return {key: str(node.node.metadata[key]) for key in _CITED}
