"""Chunks as llama-index nodes and back, so that LlamaIndex users can consume what Viska ingests."""

from typing import TYPE_CHECKING, Any

from viska_assets.model.document import BlockKind, Chunk
from viska_assets.model.span import Span

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

_KEYS = ("ordinal", "kind", "headings", "page", "tokens", "prefix", "source_span")


def to_node(chunk: Chunk) -> "TextNode":
    """A chunk as a ``TextNode``: same id and text; the prefix is metadata that is embedded but never quoted."""
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    metadata: dict[str, Any] = {
        "ordinal": chunk.ordinal,
        "kind": chunk.kind.value,
        "headings": list(chunk.headings),
        "page": chunk.page,
        "tokens": chunk.tokens,
        "prefix": chunk.prefix,
        "source_span": [chunk.span.start, chunk.span.end],
    }
    return TextNode(
        id_=chunk.chunk_id,
        text=chunk.text,
        metadata=metadata,
        excluded_embed_metadata_keys=[key for key in _KEYS if key != "prefix"],
        excluded_llm_metadata_keys=list(_KEYS),
        metadata_template="{value}",
        start_char_idx=chunk.span.start,
        end_char_idx=chunk.span.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk.document_id)},
    )


def from_node(node: "TextNode") -> Chunk:
    """The chunk that ``to_node`` made a node of; raises ``ValueError`` for a node of other origin."""
    missing = [key for key in _KEYS if key not in node.metadata]
    if missing or node.ref_doc_id is None:
        raise ValueError(f"node {node.node_id} is no Viska chunk: it lacks {', '.join(missing) or 'its source'}")
    start, end = node.metadata["source_span"]
    return Chunk(
        chunk_id=node.node_id,
        document_id=node.ref_doc_id,
        ordinal=node.metadata["ordinal"],
        kind=BlockKind(node.metadata["kind"]),
        span=Span(start, end),
        text=node.text,
        prefix=node.metadata["prefix"],
        headings=tuple(node.metadata["headings"]),
        page=node.metadata["page"],
        tokens=node.metadata["tokens"],
    )
