"""Documents as the nodes of their page tree, in the framework's other indexes, retrievers and pipelines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from pageindex_core.options import IndexOptions, ReadOptions
from pageindex_core.tokens import count_tokens
from pageindex_llamaindex import PageIndex, PageIndexNodeParser

GUIDE = (
    "# Pumps\n\nEach pump moves 40 litres a minute.\n\n"
    "## Seals\n\nReplace the seals every year.\n\n## Bearings\n\nGrease them with lithium soap.\n\n"
    "# Filters\n\nThe filter is replaced every 500 hours.\n\n"
    "# Manifolds\n\n## Ports\n\nPorts are threaded.\n"
)


class Words(BaseEmbedding):
    """A small deterministic embedding: which of a few words a text holds."""

    def _embed(self, text: str) -> list[float]:
        words = ("seals", "soap", "filter", "pump", "threaded", "bearings")
        return [0.01 + float(word in text.lower()) for word in words]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)


@pytest.fixture
def guide() -> Document:
    return Document(text=GUIDE, id_="guide", metadata={"file_name": "guide.md", "file_path": "/data/guide.md"})


@pytest.fixture
def nodes(guide: Document) -> list[BaseNode]:
    return PageIndexNodeParser().get_nodes_from_documents([guide])


def titles(nodes: Sequence[BaseNode]) -> list[str]:
    return [str(node.metadata["title"]) for node in nodes]


def named(nodes: Sequence[BaseNode], title: str, *, leaf: bool = True) -> BaseNode:
    """The node of that title, the leaf or the section with all below it."""
    return next(n for n in nodes if n.metadata["title"] == title and (n.child_nodes is None) == leaf)


def test_the_tree_comes_as_nodes_each_before_its_children(nodes: list[BaseNode]) -> None:
    """Sections with more than one part stand above their parts; one that has a single part is that part."""
    assert titles(nodes) == ["Pumps", "Pumps", "Seals", "Bearings", "Filters", "Ports"]
    whole = nodes[0]
    assert [info.node_id for info in whole.child_nodes or ()] == [node.node_id for node in nodes[1:4]]
    assert titles(get_leaf_nodes(nodes)) == ["Pumps", "Seals", "Bearings", "Filters", "Ports"]
    assert titles(get_root_nodes(nodes)) == ["Pumps", "Filters", "Ports"]
    text = whole.get_content(metadata_mode=MetadataMode.NONE)
    assert all(words in text for words in ("40 litres", "every year", "lithium soap"))
    assert "500 hours" not in text


def test_relationships_hold_together(nodes: list[BaseNode]) -> None:
    """PARENT and CHILD mirror each other, leaves are chained in reading order, and SOURCE is the document."""
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    for node in nodes:
        assert node.ref_doc_id == "guide"
        for child in node.child_nodes or ():
            parent = by_id[child.node_id].parent_node
            assert parent is not None
            assert parent.node_id == node.node_id
    leaves = get_leaf_nodes(nodes)
    assert leaves[0].prev_node is None
    assert leaves[-1].next_node is None
    for before, after in pairwise(leaves):
        assert before.next_node is not None
        assert after.prev_node is not None
        assert (before.next_node.node_id, after.prev_node.node_id) == (after.node_id, before.node_id)


def test_the_embedded_text_holds_the_section_path_and_no_ids(nodes: list[BaseNode]) -> None:
    """What an embedding sees is the path and the text."""
    text = named(nodes, "Seals").get_content(metadata_mode=MetadataMode.EMBED)
    assert "section_path: Pumps > Seals" in text
    assert "Replace the seals every year." in text
    assert "/data" not in text
    assert "node_id" not in text


def test_leaves_are_the_retrievers_own_nodes(guide: Document, nodes: list[BaseNode]) -> None:
    """Ids and hashes are the same, so that fusion with a vector index counts a section once."""
    retriever = PageIndex.from_documents([guide]).as_retriever(similarity_top_k=10)
    found = {each.node.node_id: each.node.hash for each in retriever.retrieve("seals")}
    assert found == {node.node_id: node.hash for node in get_leaf_nodes(nodes)}


def test_places_in_the_source_text_are_given(nodes: list[BaseNode], guide: Document) -> None:
    """A leaf whose text stands in its document says where."""
    leaf = named(nodes, "Seals")
    assert isinstance(leaf, TextNode)
    assert leaf.start_char_idx is not None
    assert guide.text[leaf.start_char_idx : leaf.end_char_idx] == leaf.text


def test_the_callers_metadata_and_exclusions_stay(guide: Document) -> None:
    """What a document says of itself is on each node, and what it keeps from models stays kept from them."""
    guide.metadata["year"] = 2024
    guide.excluded_embed_metadata_keys = ["year"]
    for node in PageIndexNodeParser().get_nodes_from_documents([guide]):
        assert node.metadata["year"] == 2024
        assert "2024" not in node.get_content(metadata_mode=MetadataMode.EMBED)
        assert "2024" in node.get_content(metadata_mode=MetadataMode.LLM)


def test_pages_of_a_file_are_put_together(report: list[Document]) -> None:
    """One Document a page gives one tree, and each node's SOURCE is the page it begins on."""
    nodes = get_leaf_nodes(PageIndexNodeParser().get_nodes_from_documents(report))
    assert [(node.metadata["page_start"], node.ref_doc_id) for node in nodes] == [
        (1, "report.pdf-1"),
        (2, "report.pdf-2"),
        (3, "report.pdf-3"),
    ]


def test_options_of_the_framework_are_honoured(guide: Document) -> None:
    """Without metadata, without neighbours, and leaves alone."""
    bare = PageIndexNodeParser(include_metadata=False, include_prev_next_rel=False, leaves_only=True)
    nodes = bare.get_nodes_from_documents([guide])
    assert len(nodes) == 5
    for node in nodes:
        assert node.metadata == {}
        assert set(node.relationships) == {NodeRelationship.SOURCE}


def test_a_parser_survives_being_stored() -> None:
    """Pipelines keep transformations as dictionaries."""
    parser = PageIndexNodeParser(leaves_only=True, options=IndexOptions(read=ReadOptions(page_tokens=500)))
    stored = json.loads(json.dumps(parser.to_dict()))
    assert stored.pop("class_name") == "PageIndexNodeParser"
    del stored["id_func"]  # which no parser of the framework reads back
    assert PageIndexNodeParser.from_dict(stored).to_dict() == parser.to_dict()


def test_long_sections_come_in_windows_under_their_section() -> None:
    """A leaf longer than a unit is a section with its windows below it, each of a size to embed."""
    text = "# Long\n\n" + "\n".join(f"Line {number} tells of something else." for number in range(600))
    one_page = IndexOptions(read=ReadOptions(page_tokens=10_000))
    nodes = PageIndexNodeParser(options=one_page).get_nodes_from_documents([Document(text=text, id_="long")])
    whole, *windows = nodes
    assert len(windows) > 2
    assert [info.node_id for info in whole.child_nodes or ()] == [window.node_id for window in windows]
    joined = "\n".join(window.get_content(metadata_mode=MetadataMode.NONE) for window in windows)
    assert whole.get_content(metadata_mode=MetadataMode.NONE) == joined
    assert all(count_tokens(window.get_content(metadata_mode=MetadataMode.NONE)) < 1500 for window in windows)


def test_an_empty_input_gives_nothing() -> None:
    """No documents, no nodes."""
    assert PageIndexNodeParser().get_nodes_from_documents([]) == []


# The framework around it


def vectors(nodes: list[BaseNode]) -> tuple[VectorStoreIndex, StorageContext]:
    storage = StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    return VectorStoreIndex(
        get_leaf_nodes(nodes), storage_context=storage, embed_model=Words(model_name="words")
    ), storage


async def test_auto_merging_gives_the_section_where_most_of_it_was_found(nodes: list[BaseNode]) -> None:
    """Parts found together become their section; a part found alone stays a part."""
    index, storage = vectors(nodes)
    merging = AutoMergingRetriever(index.as_retriever(similarity_top_k=3), storage)
    for found in (merging.retrieve("pump seals bearings soap"), await merging.aretrieve("pump seals bearings soap")):
        assert [each.node.node_id for each in found] == [named(nodes, "Pumps", leaf=False).node_id]
    alone = AutoMergingRetriever(index.as_retriever(similarity_top_k=1), storage)
    assert titles([each.node for each in alone.retrieve("filter")]) == ["Filters"]


def test_neighbours_can_be_fetched(nodes: list[BaseNode]) -> None:
    """The framework's own postprocessor follows PREVIOUS and NEXT through the docstore."""
    index, storage = vectors(nodes)
    more = PrevNextNodePostprocessor(docstore=storage.docstore, num_nodes=1, mode="both")
    found = more.postprocess_nodes(index.as_retriever(similarity_top_k=1).retrieve("seals"))
    assert titles([each.node for each in found]) == ["Pumps", "Seals", "Bearings"]


def test_fusion_with_our_retriever_counts_a_section_once(guide: Document, nodes: list[BaseNode]) -> None:
    """A section that both find is one node with the sum of both ranks."""
    index, _ = vectors(nodes)
    ours = PageIndex.from_documents([guide]).as_retriever(similarity_top_k=5)
    fusion = QueryFusionRetriever(
        [ours, index.as_retriever(similarity_top_k=5)],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=5,
        use_async=False,
    )
    found = fusion.retrieve("seals")
    assert len({each.node.node_id for each in found}) == len(found) == 5
    assert found[0].node.metadata["title"] == "Seals"
    assert found[0].score == pytest.approx(2 / 60)


def test_a_pipeline_with_cache_and_docstore_works(guide: Document) -> None:
    """The second run takes the nodes from the cache, and unchanged documents are not parsed again."""
    cache, store = IngestionCache(), SimpleDocumentStore()
    pipeline = IngestionPipeline(transformations=[PageIndexNodeParser()], cache=cache)
    first = pipeline.run(documents=[guide])
    again = IngestionPipeline(transformations=[PageIndexNodeParser()], cache=cache).run(documents=[guide])
    assert [node.hash for node in again] == [node.hash for node in first]
    assert again[0].child_nodes
    once = DocstoreStrategy.DUPLICATES_ONLY
    kept = IngestionPipeline(
        transformations=[PageIndexNodeParser(leaves_only=True)], docstore=store, docstore_strategy=once
    )
    assert len(kept.run(documents=[guide])) == 5
    assert kept.run(documents=[guide]) == []


async def test_a_pipeline_runs_async(guide: Document) -> None:
    """The async way gives the same nodes."""
    pipeline = IngestionPipeline(transformations=[PageIndexNodeParser()], disable_cache=True)
    made = await pipeline.arun(documents=[guide])
    assert [node.node_id for node in made] == [node.node_id for node in pipeline.run(documents=[guide])]
