"""Page trees beside real vector indexes of LlamaIndex: its simple store and FAISS, with a small embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import faiss
import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.vector_stores.faiss import FaissVectorStore

from pageindex_core.errors import OptionError
from pageindex_core.records import DocumentInfo
from pageindex_llamaindex import PageIndex, PageIndexNodeParser, VectorPassages, VectorsInsideRetriever
from prefix_embedding import VECTOR_SIZE, prefix_vector

QUESTION = "How many people does the company employ?"


class HashedWords(BaseEmbedding):
    """Beginnings of words, without a model."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return prefix_vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return prefix_vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return prefix_vector(query)


@pytest.fixture
def documents(report: list[Document], paged: Any) -> list[Document]:
    """The report, and another one of the same shape."""
    other = paged("other.pdf", "1 Revenue\nRevenue fell.", "2 Staff\nThe company employs 9 people.", "3 Risks\nNone.")
    return [*report, *other]


@pytest.fixture
def trees(documents: list[Document]) -> PageIndex:
    return PageIndex.from_documents(documents)


@pytest.fixture(params=["simple", "faiss"])
def vectors(request: pytest.FixtureRequest, documents: list[Document]) -> VectorStoreIndex:
    """One chunk a page, in the framework's own store and in FAISS, which gives distances and has no filters."""
    context = None
    if request.param == "faiss":
        context = StorageContext.from_defaults(vector_store=FaissVectorStore(faiss.IndexFlatL2(VECTOR_SIZE)))
    return VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=HashedWords())


async def test_hybrid_mode_ranks_by_words_and_vectors(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """Both sides are heard, the number of nodes is kept, async gives the same; engines take the same arguments."""
    hybrid = trees.as_retriever(retriever_mode="hybrid", vectors=vectors, similarity_top_k=3)
    found = hybrid.retrieve(QUESTION)
    assert [one.node.metadata["page_start"] for one in found][:2] == [2, 2]
    assert [one.node.node_id for one in await hybrid.aretrieve(QUESTION)] == [one.node.node_id for one in found]
    assert len(found) == 3
    assert hybrid.search(QUESTION).trace.steps[0].detail == "6 passages of 2 documents"
    engine = trees.as_query_engine(llm=MockLLM(), retriever_mode="hybrid", vectors=vectors)
    assert {one.node.metadata["page_start"] for one in engine.query(QUESTION).source_nodes} == {2}


def test_vectors_are_owed_the_answer_in_other_words(paged: Any) -> None:
    """The embedding cuts words after six letters: it alone finds the page of a word that is printed nowhere."""
    texts = [f"{number} Hall\nThis room is number {number}." for number in range(1, 101)]
    texts[60] = "61 Staff\nThe company employs 9 people."
    documents = paged("halls.pdf", *texts)
    vectors = VectorStoreIndex.from_documents(documents, embed_model=HashedWords())
    hybrid = PageIndex.from_documents(documents).as_retriever(retriever_mode="hybrid", vectors=vectors)
    best = hybrid.search("employment").hits[0]
    assert (best.page_start, best.found_by) == (61, "vectors")


def test_filters_of_the_retriever_hold_for_the_vectors(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """Nothing of a document that the filters exclude is given, though the index holds it."""
    filters = MetadataFilters(filters=[MetadataFilter(key="file_name", value="other.pdf")])
    for how in ({"retriever_mode": "hybrid"}, {"shortlist": "documents"}, {"shortlist": "pages"}):
        retriever = trees.as_retriever(6, filters, vectors=vectors, **how)
        assert {one.node.metadata["file_name"] for one in retriever.retrieve(QUESTION)} == {"other.pdf"}
    inside = VectorsInsideRetriever(trees.as_retriever(filters=filters), vectors, similarity_top_k=6)
    assert {one.node.metadata["file_name"] for one in inside.retrieve(QUESTION)} == {"other.pdf"}


def test_what_a_retriever_may_see_holds_for_its_sections(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """Documents of the framework, one a page, and filters on places choose the sections that are ranked inside."""
    late = MetadataFilters(filters=[MetadataFilter(key="page_start", value=3, operator=FilterOperator.GTE)])
    for how, pages in (({"doc_ids": ["other.pdf-2"]}, {2}), ({"filters": late}, {3})):
        inside = VectorsInsideRetriever(trees.as_retriever(**how), vectors, similarity_top_k=1, least_score=-100)
        assert {hit.page_start for hit in inside.search(QUESTION).sections} == pages


def test_the_store_s_own_filters_are_used(trees: PageIndex, documents: list[Document]) -> None:
    """With ``within`` the index is asked once, for the documents in the scope alone."""
    asked: list[list[str]] = []

    def within(infos: Sequence[DocumentInfo]) -> MetadataFilters:
        asked.append([info.source_id for info in infos])
        return MetadataFilters(filters=[MetadataFilter(key="file_path", operator=FilterOperator.IN, value=asked[-1])])

    simple = VectorStoreIndex.from_documents(documents, embed_model=HashedWords())
    filters = MetadataFilters(filters=[MetadataFilter(key="file_name", value="other.pdf")])
    retriever = trees.as_retriever(2, filters, retriever_mode="hybrid", vectors=VectorPassages(simple, within))
    assert retriever.search(QUESTION).trace.steps[0].detail == "3 passages of 1 documents"
    assert asked == [["/data/other.pdf"]]


async def test_a_retriever_will_do_for_an_index(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """It is asked for as many nodes as are needed, on a copy, and stays as it was."""
    one = vectors.as_retriever(similarity_top_k=1)
    hybrid = trees.as_retriever(retriever_mode="hybrid", vectors=one)
    assert hybrid.search(QUESTION).trace.steps[0].detail == "6 passages of 2 documents"
    assert (await hybrid.asearch(QUESTION)).hits == hybrid.search(QUESTION).hits
    assert len(one.retrieve(QUESTION)) == 1


async def test_the_index_ranks_its_own_nodes_inside_sections(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """Structure first: the user's own nodes come back, those of the sections found first."""
    inside = VectorsInsideRetriever(trees.as_retriever(), vectors, similarity_top_k=3, sections=2)
    found = inside.retrieve(QUESTION)
    assert [one.node.metadata["page_label"] for one in found][:2] == ["2", "2"]
    own = {one.node.node_id for one in vectors.as_retriever(similarity_top_k=6).retrieve(QUESTION)}
    assert {one.node.node_id for one in found} <= own
    hybrid = trees.as_retriever(retriever_mode="hybrid", vectors=vectors)
    again = VectorsInsideRetriever(hybrid, vectors, similarity_top_k=3, sections=2).retrieve(QUESTION)
    assert [one.node.node_id for one in again] == [one.node.node_id for one in found]
    assert [one.node.node_id for one in await inside.aretrieve(QUESTION)] == [one.node.node_id for one in found]


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "dist_based_score", "simple"])
def test_fused_by_the_framework_no_section_counts_twice(documents: list[Document], mode: str) -> None:
    """Side by side: sections in FAISS have the retriever's own ids and hashes, so that each comes once."""
    trees = PageIndex.from_documents(documents)
    nodes = PageIndexNodeParser().get_nodes_from_documents(documents)
    context = StorageContext.from_defaults(vector_store=FaissVectorStore(faiss.IndexFlatIP(VECTOR_SIZE)))
    sections = VectorStoreIndex(nodes, storage_context=context, embed_model=HashedWords())
    both = [trees.as_retriever(similarity_top_k=6), sections.as_retriever(similarity_top_k=6)]
    fusion = QueryFusionRetriever(both, llm=MockLLM(), mode=mode, num_queries=1, similarity_top_k=12, use_async=False)
    ids = [one.node.node_id for one in fusion.retrieve(QUESTION)]
    assert len(ids) == len(set(ids)) == 6


def test_what_is_no_index_is_refused(trees: PageIndex, vectors: VectorStoreIndex) -> None:
    """A wrong ``vectors``, ``hybrid`` without one, and filters for a retriever are told by name."""
    with pytest.raises(OptionError, match="VectorStoreIndex"):
        trees.as_retriever(retriever_mode="hybrid", vectors="faiss")
    with pytest.raises(OptionError, match="vectors=None"):
        trees.as_retriever(retriever_mode="hybrid").retrieve(QUESTION)
    with pytest.raises(OptionError, match="within="):
        VectorPassages(vectors.as_retriever(), lambda infos: MetadataFilters(filters=[]))
