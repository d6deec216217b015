"""From pages to graph.json: networkx's node-link form with the keys that graphify's server reads.

It is written directly, not through graphify's own builder, which collapses the ``links_to`` and ``cites`` edges
of one pair into one and loses OKF's bundle-absolute links.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NotRequired, TypedDict

from viska_assets.model.page import ConceptType, Page
from viska_assets.okf.blocks import read_body
from viska_assets.okf.links import body_links, resource_target
from viska_assets.okf.positions import LineTable

LINKS_TO = "links_to"
CITES = "cites"


class Node(TypedDict):
    """A page in graph.json; its community is known where communities were looked for."""

    id: str
    label: str
    file_type: str
    source_file: str
    attributes: dict[str, str]
    community: NotRequired[int]
    community_name: NotRequired[str]


class Edge(TypedDict):
    """A link or a citation in graph.json; ``weight`` counts how often the page makes it."""

    source: str
    target: str
    relation: str
    confidence: str
    confidence_score: float
    weight: int
    source_file: str


class Graph(TypedDict):
    """The whole of graph.json."""

    directed: bool
    multigraph: bool
    graph: dict[str, str]
    nodes: list[Node]
    links: list[Edge]
    hyperedges: list[object]
    built_at_commit: str


def build_graph(pages: Iterable[Page], commit: str, namespace: str = "") -> Graph:
    """Build the graph of a bundle.

    Args:
        pages: The bundle's pages, in any order.
        commit: The bundle's commit that they were read from.
        namespace: A prefix of node ids that keeps the pages of two bundles apart; ids are concept ids without it.

    Returns:
        The graph, ready for ``json.dumps``. Nodes and edges are sorted, so the same pages give the same bytes.
        Links to pages that do not exist make no edge.
    """
    known = {page.concept_id: page for page in sorted(pages, key=lambda page: page.concept_id)}
    prefix = f"{namespace}:" if namespace else ""
    return Graph(
        directed=True,
        multigraph=True,
        graph={"namespace": namespace} if namespace else {},
        nodes=[_node(page, prefix) for page in known.values()],
        links=[edge for page in known.values() for edge in _edges(page, known, prefix)],
        hyperedges=[],
        built_at_commit=commit,
    )


def _node(page: Page, prefix: str) -> Node:
    head = page.head
    attributes = {
        "type": head.type.value,
        "status": head.status.value,
        "trust": trust_tier(page),
        "updated": head.timestamp.isoformat(),
    }
    if head.stale_after is not None:
        attributes["stale_after"] = head.stale_after.isoformat()
    if head.description:
        attributes["description"] = head.description
    attributes.update({f"identifier_{name}": value for name, value in sorted(head.identifiers.items())})
    return Node(
        id=f"{prefix}{page.concept_id}",
        label=head.title,
        file_type="document" if head.type is ConceptType.SOURCE else "concept",
        source_file=page.path,
        attributes=attributes,
    )


def trust_tier(page: Page) -> str:
    """OKF's derived trust tier (v0.2 §7): ``unverified``, ``machine-confirmed`` or ``human-reviewed``."""
    if not page.head.verified:
        return "unverified"
    reviewed = any(actor.by.startswith("human:") for actor in page.head.verified)
    return "human-reviewed" if reviewed else "machine-confirmed"


def _edges(page: Page, known: Mapping[str, Page], prefix: str) -> Iterator[Edge]:
    counts = Counter((target, LINKS_TO) for target in _linked(page))
    counts.update((target, CITES) for target in _cited(page))
    for (target, relation), count in sorted(counts.items()):
        if target in known and target != page.concept_id:
            yield Edge(
                source=f"{prefix}{page.concept_id}",
                target=f"{prefix}{target}",
                relation=relation,
                confidence="EXTRACTED",
                confidence_score=1.0,
                weight=count,
                source_file=page.path,
            )


def _linked(page: Page) -> Iterator[str]:
    if "](" not in page.body and "]:" not in page.body:
        return
    body = read_body(page.body, 0, len(page.body), LineTable.of(page.body))
    ids = frozenset(source.id for source in page.head.sources)
    for link in body_links(body, page.path, ids):
        if link.target.concept_id:
            yield link.target.concept_id


def _cited(page: Page) -> Iterator[str]:
    for source in page.head.sources:
        target = resource_target(source.resource, page.path)
        if target is not None and target.concept_id:
            yield target.concept_id
