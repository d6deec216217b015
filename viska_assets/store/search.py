"""What searching needs of the store, in one place: the scope, both legs and their hits."""

from viska_assets.store.dense import dense_search
from viska_assets.store.embeddings import chunks_without_embedding, embedding_backlog, write_embeddings
from viska_assets.store.hit import Hit
from viska_assets.store.lexical import lexical_search
from viska_assets.store.scope import SearchScope

__all__ = [
    "Hit",
    "SearchScope",
    "chunks_without_embedding",
    "dense_search",
    "embedding_backlog",
    "lexical_search",
    "write_embeddings",
]
