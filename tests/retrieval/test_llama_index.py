"""Viska inside llama-index: three lines to plug it in, nodes with scores, places and what a citation names."""

import asyncio
import subprocess
import sys

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from tests.retrieval.corpus import KNOWN, BagOfWords, DeadEmbedder, add_texts
from viska_assets.retrieval.llama_index import ViskaRetriever, citation_of
from viska_assets.store.database import Database
from viska_assets.store.home import Home
from viska_assets.store.search import SearchScope

pytestmark = pytest.mark.database
TEXTS = ["Gross margin was 38% in fiscal 2018.", "Operating expenses rose because of hiring.", "Gross margin fell."]


@pytest.fixture
def retriever(database: Database) -> ViskaRetriever:
    with database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
        add_texts(connection, 2, ["Net sales rose in Europe."], "issuers/acme")
    return ViskaRetriever(database, BagOfWords(), limit=3)


def test_nodes_have_ids_scores_and_places(retriever: ViskaRetriever) -> None:
    nodes = retriever.retrieve("gross margin was 38%")
    assert [node.node.node_id for node in nodes][:2] == ["1-0", "1-2"]
    scores = [node.score for node in nodes]
    assert all(scores) and scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    first = nodes[0].node
    assert isinstance(first, TextNode)
    assert (first.start_char_idx, first.end_char_idx, first.text) == (0, len(TEXTS[0]), TEXTS[0])
    assert first.ref_doc_id == first.metadata["document_id"] == f"{1:064x}"
    assert first.metadata["known_at"] == KNOWN.isoformat()
    assert first.metadata["ranks"] == {"bm25": 1, "dense": 1}


def test_a_citation_names_the_source_page_the_chunk_and_its_text(retriever: ViskaRetriever) -> None:
    citation = citation_of(retriever.retrieve("gross margin was 38%")[0])
    assert citation["resource"] == "/sources/1.md"
    assert citation["chunk"] == "1-0"
    assert len(citation["text_sha256"]) == 64
    with pytest.raises(ValueError, match="no passage of Viska"):
        citation_of(NodeWithScore(node=TextNode(text="from elsewhere"), score=1.0))


def test_models_are_told_the_place_but_no_hashes(retriever: ViskaRetriever) -> None:
    node = retriever.retrieve("gross margin was 38%")[0].node
    told = node.get_content(MetadataMode.LLM)
    assert "1.txt" in told and TEXTS[0] in told
    assert node.metadata["text_sha256"] not in told
    assert "1.txt" not in node.get_content(MetadataMode.EMBED)


def test_asynchronous_retrieval_is_the_same_and_leaves_the_loop_free(retriever: ViskaRetriever) -> None:
    async def together() -> list[list[NodeWithScore]]:
        return list(await asyncio.gather(*(retriever.aretrieve("gross margin") for _ in range(6))))

    expected = [(node.node.node_id, node.score) for node in retriever.retrieve("gross margin")]
    for nodes in asyncio.run(together()):
        assert [(node.node.node_id, node.score) for node in nodes] == expected


def test_scope_and_dead_legs_reach_the_nodes(database: Database, retriever: ViskaRetriever) -> None:
    scoped = ViskaRetriever(database, DeadEmbedder(), scope=SearchScope(entity="issuers/acme"))
    nodes = scoped.retrieve("gross margin and net sales")
    assert [node.node.node_id for node in nodes] == ["2-0"]
    assert nodes[0].node.metadata["degraded"] == ["dense"]


def test_a_query_engine_answers_from_the_passages(retriever: ViskaRetriever) -> None:
    synthesizer = get_response_synthesizer(llm=MockLLM())
    answer = RetrieverQueryEngine(retriever, synthesizer).query("gross margin was 38%")
    assert answer.source_nodes[0].node.node_id == "1-0"
    assert TEXTS[0] in str(answer)


def test_a_home_is_enough(home: Home) -> None:
    with home.database.transaction() as connection:
        add_texts(connection, 1, TEXTS)
    nodes = ViskaRetriever.from_home(home, limit=1).retrieve("gross margin")
    assert len(nodes) == 1
    assert ViskaRetriever.from_home(limit=2, scope=SearchScope(namespace="other")).retrieve("gross margin") == []


def test_search_itself_does_not_import_llama_index() -> None:
    program = "import sys, viska_assets.retrieval.search; assert 'llama_index' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
