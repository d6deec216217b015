"""What there is to search at this moment: namespaces that hold chunks, and a model's embeddings, in one statement."""

from collections.abc import Sequence
from typing import NamedTuple

from viska_assets.store.database import Connection
from viska_assets.store.embeddings import MODEL_COLUMNS, EmbeddingModel

_STATEMENT = f"""
    SELECT ARRAY(SELECT namespace FROM retrieval.corpus WHERE namespace = ANY(%s::text[]) AND chunks > 0),
        {MODEL_COLUMNS}
    FROM (SELECT) AS one LEFT JOIN retrieval.embedding_model ON model = %s
"""  # noqa: S608


class Searchable(NamedTuple):
    """Those of the namespaces asked for in which there is anything to find, in their order, and the model.

    ``model`` is None where it has no embeddings yet.
    """

    namespaces: tuple[str, ...]
    model: EmbeddingModel | None


def searchable(connection: Connection, namespaces: Sequence[str], model: str) -> Searchable:
    """What of some namespaces can be searched, and with which embeddings.

    Args:
        connection: in a transaction.
        namespaces: which are asked for.
        model: the identity of the embedder; empty where there is none.
    """
    row = connection.execute(_STATEMENT, (list(namespaces), model)).fetchone()
    assert row is not None
    held, *found = row
    named = tuple(name for name in namespaces if name in held)
    return Searchable(named, EmbeddingModel(*found) if found[0] is not None else None)
