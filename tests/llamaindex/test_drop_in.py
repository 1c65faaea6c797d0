"""Engines with all their own arguments, splitters before and behind us, deep trees, and a vector store of sections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from llama_index.core import Document, Settings, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import SentenceSplitter, get_leaf_nodes
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import AutoMergingRetriever, RecursiveRetriever, TransformRetriever
from llama_index.core.schema import NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from pageindex_core.testing import ModelServer
from pageindex_llamaindex import PageIndex, PageIndexNodeParser, PageIndexRetriever

QUESTION = "Which soap for the bearings?"

DEEP = """# Plant

Two halls.

## Hall

Halls are dry.

### Pump

Pumps move water.

#### Seals

Seals last a year.

#### Bearings

Bearings take lithium soap.

### Valve

Valves close by a spring.

# Office

Desks stand here.
"""


class Words(BaseEmbedding):
    """A small deterministic embedding: which of a few words a text holds."""

    def _embed(self, text: str) -> list[float]:
        words = ("seals", "soap", "water", "spring", "halls are", "two halls", "desks")
        return [0.01 + float(word in text.lower().rpartition("section_path")[2]) for word in words]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)


@pytest.fixture
def index(manual: Path) -> PageIndex:
    """The manual, indexed."""
    return PageIndex.from_files(manual)


@pytest.fixture
def plant() -> Document:
    """A document of four levels."""
    return Document(text=DEEP, id_="plant", metadata={"file_name": "plant.md", "file_path": "/data/plant.md"})


def ids(found: Sequence[NodeWithScore]) -> list[str]:
    return [each.node.node_id for each in found]


# Engines


async def test_a_streaming_engine_streams_on_the_event_loop_too(index: PageIndex) -> None:
    """aquery gives an answer that comes piece by piece, with its sources at once."""
    engine = index.as_query_engine(llm=MockLLM(), streaming=True, similarity_top_k=2)
    response = await engine.aquery(QUESTION)
    assert ids(response.source_nodes) == ids(index.as_retriever().retrieve(QUESTION))
    pieces = [piece async for piece in response.async_response_gen()]
    assert len(pieces) > 10
    assert "lithium soap" in "".join(pieces)


@pytest.mark.parametrize("mode", [ChatMode.CONDENSE_PLUS_CONTEXT, ChatMode.CONTEXT, ChatMode.CONDENSE_QUESTION])
async def test_chat_engines_stream_with_all_their_arguments(index: PageIndex, mode: ChatMode) -> None:
    """What a chat engine takes for itself is swallowed by the retriever, and its streams name our nodes."""
    own = {"node_postprocessors": [SimilarityPostprocessor(similarity_cutoff=0.0)], "verbose": False}
    if mode is not ChatMode.CONDENSE_QUESTION:
        own = {**own, "system_prompt": "Be brief.", "skip_condense": True}

    def engine() -> object:
        memory = ChatMemoryBuffer.from_defaults(llm=MockLLM())
        return index.as_chat_engine(
            chat_mode=mode, llm=MockLLM(), memory=memory, similarity_top_k=1, filters=None, streaming=True, **own
        )

    streamed = engine().stream_chat(QUESTION)  # type: ignore[attr-defined]
    assert "lithium soap" in "".join(streamed.response_gen)
    assert ids(streamed.source_nodes) == ids(index.as_retriever(similarity_top_k=1).retrieve(QUESTION))
    awaited = await engine().astream_chat(QUESTION)  # type: ignore[attr-defined]
    assert [piece async for piece in awaited.async_response_gen()]
    # The framework's awaited question-condensing stream has its sources in the tool output alone.
    assert ids(awaited.source_nodes or awaited.sources[0].raw_output.source_nodes) == ids(streamed.source_nodes)


# The framework gives its modes without a model no model, and then asks for one in ``Settings``.
@pytest.mark.parametrize("mode", sorted(set(ResponseMode) - {ResponseMode.NO_TEXT, ResponseMode.CONTEXT_ONLY}))
def test_every_way_of_answering_takes_our_nodes(index: PageIndex, mode: ResponseMode) -> None:
    """Each response mode of the framework answers from the same sources."""
    engine = index.as_query_engine(llm=MockLLM(), response_mode=mode, similarity_top_k=2)
    response = engine.query(QUESTION)
    assert ids(response.source_nodes) == ids(index.as_retriever().retrieve(QUESTION))
    if mode is not ResponseMode.GENERATION:  # which answers without sources
        assert "lithium soap" in str(response)


def test_engines_made_by_hand_take_postprocessors_and_transforms(index: PageIndex) -> None:
    """from_args, citations, rewritten questions and retrievers of retrievers all end at our nodes."""
    retriever = index.as_retriever(similarity_top_k=4)
    found = retriever.retrieve(QUESTION)
    cut = (found[0].score + found[1].score) / 2
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(), node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=cut)]
    )
    assert ids(engine.query(QUESTION).source_nodes) == ids(found[:1])
    cited = CitationQueryEngine.from_args(index, llm=MockLLM(), similarity_top_k=1).query(QUESTION)
    assert "Source 1:" in cited.source_nodes[0].node.get_content()
    hyde = HyDEQueryTransform(llm=MockLLM(), include_original=True)
    assert "lithium soap" in str(TransformQueryEngine(index.as_query_engine(llm=MockLLM()), hyde).query(QUESTION))
    assert TransformRetriever(retriever, hyde).retrieve("lithium soap")[0].node.metadata["title"] == "1.2 Bearings"
    recursive = RecursiveRetriever("manual", retriever_dict={"manual": retriever})
    assert ids(recursive.retrieve(QUESTION)) == ids(found)


def test_the_settings_callbacks_hear_retrievers_made_without_any(
    index: PageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an index or alone, a retriever reports to the handlers of ``Settings``."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    monkeypatch.setattr(Settings, "_callback_manager", CallbackManager([handler]))
    PageIndexRetriever(index.library).retrieve(QUESTION)
    PageIndex([], library=index.library).as_retriever().retrieve(QUESTION)
    assert len(handler.get_event_pairs(CBEventType.RETRIEVE)) == 2


def test_an_index_is_loaded_by_its_id(plant: Document, tmp_path: Path) -> None:
    """Several indexes in one storage are told apart as the framework does it."""
    index = PageIndex.from_documents([plant])
    index.set_index_id("plant")
    index.storage_context.persist(str(tmp_path))
    loaded = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), index_id="plant")
    assert ids(loaded.as_retriever().retrieve("soap")) == ids(index.as_retriever().retrieve("soap"))


# Many at once


async def test_fifty_guided_questions_at_once_equal_fifty_in_a_row(
    index: PageIndex, server: ModelServer, make_llm: Callable[..., LLM]
) -> None:
    """Each question gets what its own model call chose, with no more calls at once than the model's cap."""
    retriever = index.as_retriever(similarity_top_k=2, retriever_mode="tree", llm=make_llm())
    words = ("soap", "spring", "mesh", "litres", "seals", "valves", "filter", "bearings", "hours", "year")
    questions = [f"{words[number % 10]} {number}" for number in range(50)]
    in_a_row = [[found.to_json() for found in retriever.retrieve(question)] for question in questions]
    server.forget()
    at_once = await asyncio.gather(*map(retriever.aretrieve, questions))
    assert [[found.to_json() for found in each] for each in at_once] == in_a_row
    assert (len(server.requests), server.max_in_flight <= 8) == (50, True)
    assert len({found[0].node.node_id for found in at_once}) > 3


# Deep and short trees


def merging(nodes: Sequence[object], top_k: int) -> AutoMergingRetriever:
    """Leaves alone in the vector store, every node in the docstore."""
    storage = StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)  # type: ignore[arg-type]
    leaves = get_leaf_nodes(nodes)  # type: ignore[arg-type]
    index = VectorStoreIndex(leaves, storage_context=storage, embed_model=Words(model_name="words"))
    return AutoMergingRetriever(index.as_retriever(similarity_top_k=top_k), storage, simple_ratio_thresh=0.7)


@pytest.mark.parametrize(
    ("question", "top_k", "section", "is_whole"),
    [
        ("spring", 1, "Plant > Hall > Valve", False),
        ("water seals soap", 3, "Plant > Hall > Pump", True),
        ("halls are water seals soap spring", 5, "Plant > Hall", True),
        ("two halls halls are water seals soap spring", 6, "Plant", True),
    ],
)
async def test_merging_climbs_as_far_as_most_of_a_section_was_found(
    plant: Document, question: str, top_k: int, section: str, is_whole: bool
) -> None:
    """Through four levels every parent is there, and merging stops at the section that holds what was found."""
    retriever = merging(PageIndexNodeParser().get_nodes_from_documents([plant]), top_k)
    for found in (retriever.retrieve(question), await retriever.aretrieve(question)):
        assert [each.node.metadata["section_path"] for each in found] == [section]
        assert (found[0].node.child_nodes is not None) == is_whole


def test_a_document_of_one_section_merges_into_nothing() -> None:
    """Where all levels would be one chunk there is one node, without a parent that nobody stored."""
    nodes = PageIndexNodeParser().get_nodes_from_documents([Document(text="# Seals\n\nSeals last a year.", id_="one")])
    assert [(node.parent_node, node.child_nodes) for node in nodes] == [(None, None)]
    assert ids(merging(nodes, 2).retrieve("seals")) == [nodes[0].node_id]


# Splitters and stores


def test_a_splitter_behind_us_keeps_path_and_page(plant: Document) -> None:
    """Nodes cut once more still name their section and page, and short metadata leaves room for text."""
    nodes = PageIndexNodeParser(leaves_only=True).get_nodes_from_documents([plant])
    by_place = {node.metadata["node_id"]: node.metadata for node in nodes}
    chunks = SentenceSplitter(chunk_size=80, chunk_overlap=0)(nodes)
    assert {chunk.metadata["section_path"] for chunk in chunks} == {node.metadata["section_path"] for node in nodes}
    assert all(chunk.metadata == by_place[chunk.metadata["node_id"]] for chunk in chunks)


def test_a_splitter_before_us_costs_no_section(plant: Document) -> None:
    """Chunks of one document are read in order as that document, so its headings are there again."""
    chunks = SentenceSplitter(chunk_size=32, chunk_overlap=0).get_nodes_from_documents([plant])
    assert len(chunks) > 2
    found = PageIndex(chunks).as_retriever(similarity_top_k=1).retrieve(QUESTION)
    assert found[0].node.metadata["section_path"] == "Plant > Hall > Pump > Bearings"


@pytest.fixture
def sections_store() -> tuple[IngestionPipeline, SimpleVectorStore]:
    """A pipeline that keeps the sections of documents in a vector store, and replaces those of changed documents."""
    store = SimpleVectorStore()
    return (
        IngestionPipeline(
            transformations=[PageIndexNodeParser(leaves_only=True), Words(model_name="words")],
            docstore=SimpleDocumentStore(),
            vector_store=store,
            docstore_strategy=DocstoreStrategy.UPSERTS,
        ),
        store,
    )


def test_a_changed_document_replaces_its_sections_in_a_vector_store(
    sections_store: tuple[IngestionPipeline, SimpleVectorStore], plant: Document
) -> None:
    """The pipeline's upserts find our nodes by their source: nothing stale stays, nothing is embedded twice."""
    pipeline, store = sections_store
    assert len(pipeline.run(documents=[plant])) == 7
    assert pipeline.run(documents=[plant]) == []
    shorter = Document(text=DEEP.partition("# Office")[0], id_=plant.id_, metadata=plant.metadata)
    sections = pipeline.run(documents=[shorter])
    assert set(store.data.embedding_dict) == {node.node_id for node in sections}
    assert len(sections) == 6
