"""Page trees beside real vector stores of LangChain, FAISS and the framework's own, with a small embedding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from faiss_store import FaissStore
from pageindex_core.errors import OptionError
from pageindex_langchain import PageIndex, PageTreeTransformer, VectorPassages, VectorsInsideRetriever
from prefix_embedding import prefix_vector

STORES = [FaissStore, InMemoryVectorStore]

QUESTION = "How often does a surveyor inspect the hoistway?"

Pages = Callable[..., list[Document]]


class HashedWords(Embeddings):
    """Beginnings of words, without a model."""

    def embed_query(self, text: str) -> list[float]:
        return prefix_vector(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [prefix_vector(text) for text in texts]


@pytest.fixture
def chunks(pages: Pages) -> list[Document]:
    """Two documents of four pages each, alike but for one word, as a PDF loader gives them."""
    north = pages("north.pdf")
    return [*north, *pages("south.pdf", tuple(f"{one.page_content} South." for one in north))]


@pytest.fixture
def trees(chunks: list[Document]) -> PageIndex:
    return PageIndex.from_documents(chunks)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, chunks: list[Document]) -> VectorStore:
    made: VectorStore = request.param.from_documents(chunks, HashedWords())
    return made


async def test_hybrid_mode_ranks_by_words_and_vectors(trees: PageIndex, store: VectorStore) -> None:
    """The store is used through ``search_kwargs``; k is kept, both sides are heard, async gives the same."""
    hybrid = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": store, "k": 3})
    found = hybrid.invoke(QUESTION)
    assert [document.metadata["page_start"] for document in found][:2] == [4, 4]
    assert len(found) == 3
    assert await hybrid.ainvoke(QUESTION) == found
    assert hybrid.search(QUESTION).trace.steps[0].detail.startswith("8 passages of 2 documents")
    assert hybrid.invoke(QUESTION, k=1) == found[:1]


@pytest.mark.parametrize("kind", STORES)
def test_vectors_are_owed_the_answer_in_other_words(pages: Pages, kind: type[VectorStore]) -> None:
    """The embedding cuts words after six letters, as the words of a question are not: it alone finds this page."""
    texts = [f"{number} Hall\nThis room is number {number}." for number in range(1, 151)]
    texts[60] = "61 Survey\nA surveyor inspects the hoistway."
    chunks = pages("halls.pdf", tuple(texts))
    hybrid = {"mode": "hybrid", "vectors": kind.from_documents(chunks, HashedWords()), "k": 2}
    best = PageIndex.from_documents(chunks).as_retriever(search_kwargs=hybrid).invoke("surveyorship")[0]
    assert (best.metadata["page_start"], best.metadata["found_by"]) == (61, "vectors")


def test_the_filter_of_the_retriever_holds_for_the_vectors(trees: PageIndex, store: VectorStore) -> None:
    """Nothing of a document that the filter excludes is given, though the store holds it."""
    settings: dict[str, Any] = {"vectors": store, "filter": {"source": "south.pdf"}, "k": 8}
    for mode in ({"mode": "hybrid"}, {"shortlist": "documents"}, {"shortlist": "pages"}):
        found = trees.as_retriever(search_kwargs={**settings, **mode}).invoke(QUESTION)
        assert {one.metadata["source"] for one in found} == {"south.pdf"}
    scoped = trees.as_retriever(search_kwargs={"filter": {"source": "south.pdf"}})
    inside = VectorsInsideRetriever(retriever=scoped, vectors=store, k=8).invoke(QUESTION)
    assert {one.metadata["source"] for one in inside} == {"south.pdf"}


def test_the_store_s_own_filter_is_used(trees: PageIndex, chunks: list[Document]) -> None:
    """With ``within`` the store is asked once, for the documents in the scope alone."""
    asked: list[Any] = []

    def within(documents: Any) -> dict[str, Any]:
        sources = {info.source_id for info in documents}
        asked.append(sources)
        return {"filter": lambda metadata: metadata["source"] in sources}

    faiss = VectorPassages(FaissStore.from_documents(chunks, HashedWords()), within)
    found = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": faiss, "filter": {"source": "south.pdf"}})
    assert found.search(QUESTION).trace.steps[0].detail == "4 passages of 1 documents"
    assert asked == [{"south.pdf"}]


def test_a_retriever_will_do_for_a_store(trees: PageIndex, store: VectorStore) -> None:
    """A vector store's retriever is asked through its store, with its filter; any other gives what it gives."""

    def south(given: Any) -> bool:
        """FAISS here passes metadata, the framework's own store Documents."""
        metadata: dict[str, Any] = getattr(given, "metadata", given)
        return metadata["source"] == "south.pdf"

    narrowed = store.as_retriever(search_kwargs={"k": 1, "filter": south})
    hybrid = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": narrowed})
    assert hybrid.search(QUESTION).trace.steps[0].detail == "4 passages of 1 documents"
    other = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": trees.as_retriever()})
    assert other.search(QUESTION).trace.steps[0].detail.startswith("4 passages")


async def test_the_store_ranks_its_own_documents_inside_sections(trees: PageIndex, store: VectorStore) -> None:
    """Structure first: the user's own Documents come back, unchanged, those of the sections found first."""
    inside = VectorsInsideRetriever(retriever=trees.as_retriever(), vectors=store, k=3, sections=2)
    found = inside.invoke(QUESTION)
    assert [one.metadata["page"] for one in found][:2] == [3, 3]
    assert {one.page_content for one in found} <= {one.page_content for one in store.similarity_search(QUESTION, k=8)}
    assert [one.page_content for one in await inside.ainvoke(QUESTION)] == [one.page_content for one in found]
    assert [section.page_start for section in inside.search(QUESTION).sections] == [4, 4]
    hybrid = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": store})
    assert VectorsInsideRetriever(retriever=hybrid, vectors=store, k=3, sections=2).invoke(QUESTION) == found


def test_fused_by_the_framework_no_section_counts_twice(chunks: list[Document]) -> None:
    """Sections in FAISS have the retriever's own ids, so that agreement lifts one and none comes twice."""
    trees = PageIndex.from_documents(chunks)
    sections = FaissStore.from_documents(PageTreeTransformer().transform_documents(chunks), HashedWords())
    both = EnsembleRetriever(
        retrievers=[trees.as_retriever(search_kwargs={"k": 8}), sections.as_retriever(search_kwargs={"k": 8})],
        weights=[0.5, 0.5],
        id_key="node_id",
    )
    ids = [document.metadata["node_id"] for document in both.invoke(QUESTION)]
    assert len(ids) == len(set(ids)) == 8


def test_what_is_no_store_is_refused(trees: PageIndex) -> None:
    """A wrong ``vectors``, and ``hybrid`` without one, are told by name."""
    with pytest.raises(OptionError, match="VectorStore"):
        trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": "chroma"}).invoke(QUESTION)
    with pytest.raises(OptionError, match="vectors=None"):
        trees.as_retriever(search_kwargs={"mode": "hybrid"}).invoke(QUESTION)


def test_chunks_without_pages_are_found_by_their_words(manuals: Path) -> None:
    """A Markdown file split by a text splitter names no page: its chunks are placed by what they say."""
    trees = PageIndex.from_files(manuals)
    path = manuals / "pump.md"
    halves = path.read_text("utf-8").split("## Maintenance")
    store = FaissStore.from_documents(
        [Document(half, metadata={"source": str(path)}) for half in halves], HashedWords()
    )
    found = trees.as_retriever(search_kwargs={"mode": "hybrid", "vectors": store}).search("cartridge")
    assert found.trace.steps[0].detail == "2 passages of 1 documents"
    assert found.hits[0].title == "Filter"
