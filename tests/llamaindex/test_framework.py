"""Our index and retriever inside the framework's own engines, fusion, routing, tools, events and agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, QueryBundle, Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.list import SummaryIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor import (
    LongContextReorder,
    MetadataReplacementPostProcessor,
    SimilarityPostprocessor,
)
from llama_index.core.query_engine import RetrieverQueryEngine, RouterQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever, RouterRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import QueryEngineTool, RetrieverTool

from pageindex_llamaindex import PageIndex, PageIndexRetriever

QUESTION = "Which soap for the bearings?"


class Fixed(BaseRetriever):
    """Another retriever over the same units: gives copies of nodes, with its own scores."""

    def __init__(self, found: Sequence[tuple[TextNode, float]]) -> None:
        self.found = found
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=node.model_copy(deep=True), score=score) for node, score in self.found]


class Letters(BaseEmbedding):
    """A small deterministic embedding: how often each letter occurs."""

    def _embed(self, text: str) -> list[float]:
        return [float(text.lower().count(letter)) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._embed(query)


class First(BaseSelector):
    """A selector that needs no model: chooses the choice whose description shares a word with the question."""

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """There are none."""

    def _select(self, choices: Sequence[Any], query: QueryBundle) -> SelectorResult:
        words = set(query.query_str.lower().strip("?").split())
        scores = [len(words & set(choice.description.lower().split())) for choice in choices]
        return SelectorResult(selections=[SingleSelection(index=scores.index(max(scores)), reason="shared words")])

    async def _aselect(self, choices: Sequence[Any], query: QueryBundle) -> SelectorResult:
        return self._select(choices, query)


@pytest.fixture
def index(manual: Path) -> PageIndex:
    """The manual, indexed."""
    return PageIndex.from_files(manual)


def ids(found: Sequence[NodeWithScore]) -> list[str]:
    """The ids of nodes, in order."""
    return [each.node.node_id for each in found]


# Engines


async def test_query_engine_answers_from_sections(index: PageIndex) -> None:
    """The prompt holds section path, page and text of the units, sync and async, and the response names its sources."""
    engine = index.as_query_engine(llm=MockLLM(), similarity_top_k=3, response_mode="compact")
    for response in (engine.query(QUESTION), await engine.aquery(QUESTION)):
        assert "section_path: 1 Pumps > 1.2 Bearings" in str(response)
        assert "lithium soap" in str(response)
        assert "doc_id" not in str(response)
        assert len(response.source_nodes) == 3
        assert response.metadata[response.source_nodes[0].node.node_id]["page_start"] == 2


def test_query_engine_passes_its_arguments_on(index: PageIndex) -> None:
    """Streaming and postprocessors reach the engine, filters and top k the retriever."""
    engine = index.as_query_engine(
        llm=MockLLM(),
        streaming=True,
        doc_ids=["manual.pdf"],
        similarity_top_k=4,
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.2)],
    )
    retrieved = index.as_retriever(similarity_top_k=4).retrieve(QUESTION)
    response = engine.query(QUESTION)
    assert "lithium soap" in "".join(response.response_gen)
    assert ids(response.source_nodes) == ids([each for each in retrieved if each.score >= 0.2])
    assert 0 < len(response.source_nodes) < len(retrieved) == 4


def test_nothing_found_is_an_empty_response() -> None:
    """The engine's own words for zero nodes."""
    engine = PageIndex.from_documents([]).as_query_engine(llm=MockLLM())
    assert str(engine.query(QUESTION)) == "Empty Response"


def test_a_lone_retriever_works_in_an_engine(manual: Path) -> None:
    """Without an index around it, with a synthesizer made by hand."""
    engine = RetrieverQueryEngine(
        retriever=PageIndexRetriever.from_files(manual, similarity_top_k=1),
        response_synthesizer=get_response_synthesizer(llm=MockLLM()),
    )
    assert "lithium soap" in str(engine.query(QUESTION))


@pytest.mark.parametrize("mode", [ChatMode.BEST, ChatMode.CONTEXT, ChatMode.CONDENSE_QUESTION])
async def test_chat_engines_work(index: PageIndex, mode: ChatMode) -> None:
    """Every chat mode that retrieves names our nodes as its sources, sync and async."""
    memory = ChatMemoryBuffer.from_defaults(llm=MockLLM())  # the default one leaves a database connection open
    engine = index.as_chat_engine(chat_mode=mode, llm=MockLLM(), memory=memory, similarity_top_k=1)
    for response in (engine.chat(QUESTION), await engine.achat(QUESTION)):
        assert [each.node.metadata["file_name"] for each in response.source_nodes] == ["manual.pdf"]


async def test_query_engine_tool_and_retriever_tool(index: PageIndex) -> None:
    """Both tools retrieve for what the agent asked, not for the words they wrap it in."""
    plain = index.as_retriever(similarity_top_k=2)
    tool = RetrieverTool.from_defaults(plain, name="manual", description="The manual.")
    output = tool.call(input=QUESTION)
    assert ids(output.raw_output) == ids(plain.retrieve(QUESTION))
    assert [each.score for each in output.raw_output] == [each.score for each in plain.retrieve(QUESTION)]
    assert "section_path: 1 Pumps > 1.2 Bearings" in output.content
    assert (await tool.acall(input=QUESTION)).content == output.content
    engine = QueryEngineTool.from_defaults(index.as_query_engine(llm=MockLLM()), name="manual", description="x")
    assert "lithium soap" in engine.call(input=QUESTION).content


# Postprocessors


def test_similarity_postprocessor_keeps_by_score(index: PageIndex) -> None:
    """A cutoff between two scores parts them; nothing is dropped for lack of a score."""
    found = index.as_retriever(similarity_top_k=5).retrieve(QUESTION)
    cut = (found[0].score + found[1].score) / 2
    assert ids(SimilarityPostprocessor(similarity_cutoff=cut).postprocess_nodes(found)) == ids(found[:1])
    assert ids(SimilarityPostprocessor(similarity_cutoff=0.0).postprocess_nodes(found)) == ids(found)


def test_other_postprocessors_take_our_nodes(index: PageIndex) -> None:
    """Reordering and replacing text by metadata work as on any node, and leave the next answer alone."""
    retriever = index.as_retriever(similarity_top_k=5)
    found = retriever.retrieve(QUESTION)
    assert sorted(ids(LongContextReorder().postprocess_nodes(found))) == sorted(ids(found))
    replaced = MetadataReplacementPostProcessor(target_metadata_key="title").postprocess_nodes(found)
    assert {each.node.get_content() for each in replaced} >= {"1.2 Bearings"}
    assert "lithium soap" in retriever.retrieve(QUESTION)[0].node.get_content()


# Fusion. These tests are async although they ask synchronously: without a running loop the framework makes one and
# leaves it open.


@pytest.mark.parametrize("use_async", [True, False])
@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "dist_based_score", "simple"])
async def test_fusion_adds_up_what_both_retrievers_find(index: PageIndex, mode: str, use_async: bool) -> None:
    """A unit that both find is one result with the scores of both, and nothing either found is lost."""
    ours = index.as_retriever(similarity_top_k=3)
    found = [each.node for each in ours.retrieve(QUESTION)]
    elsewhere = TextNode(text="Elsewhere.", id_="elsewhere")
    other = Fixed([(found[1], 0.9), (elsewhere, 0.6), (found[0], 0.3)])  # type: ignore[list-item]
    fused = QueryFusionRetriever(
        [ours, other],
        llm=MockLLM(),
        mode=mode,
        num_queries=1,
        similarity_top_k=10,
        use_async=use_async,  # type: ignore[arg-type]
    ).retrieve(QUESTION)
    assert sorted(ids(fused)) == sorted([*(node.node_id for node in found), "elsewhere"])
    scores = {each.node.node_id: each.score for each in fused}
    if mode == "reciprocal_rerank":
        assert scores[found[0].node_id] == pytest.approx(1 / 60 + 1 / 62)
        assert scores[found[1].node_id] == pytest.approx(1 / 61 + 1 / 60)
        assert scores[found[2].node_id] == pytest.approx(1 / 62)
    elif mode == "relative_score":
        first = [each.score for each in ours.retrieve(QUESTION)]
        assert scores[found[0].node_id] == pytest.approx(0.5)
        middle = (first[1] - first[2]) / (first[0] - first[2])
        assert scores[found[1].node_id] == pytest.approx((middle + 1) / 2)
    elif mode == "simple":
        assert scores[found[1].node_id] == pytest.approx(0.9)
    else:
        assert scores[found[0].node_id] > scores[found[2].node_id]


async def test_fusion_with_several_queries(index: PageIndex) -> None:
    """Generated queries go through the async path, and units found by several queries add up."""
    fusion = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=2)],
        llm=MockLLM(),
        mode="reciprocal_rerank",  # type: ignore[arg-type]
        num_queries=3,
        similarity_top_k=5,
    )
    found = await fusion.aretrieve("bearings")
    assert len(set(ids(found))) == len(found)
    assert max(each.score for each in found) > 1 / 60


async def test_a_vector_index_over_our_nodes_fuses_with_us(index: PageIndex) -> None:
    """Units stored in a vector index come back with the same id and hash, so both sides speak of the same node."""
    ours = index.as_retriever(similarity_top_k=5)
    nodes = [each.node for each in ours.retrieve(QUESTION)]
    vectors = VectorStoreIndex(nodes=nodes, embed_model=Letters(), transformations=[])  # type: ignore[arg-type]
    theirs = vectors.as_retriever(similarity_top_k=5)
    assert {(each.node.node_id, each.node.hash) for each in theirs.retrieve(QUESTION)} == {
        (node.node_id, node.hash) for node in nodes
    }
    fused = QueryFusionRetriever(
        [ours, theirs],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=10,  # type: ignore[arg-type]
    ).retrieve(QUESTION)
    assert len(fused) == 5
    assert all(each.score > 2 / 66 for each in fused)


# Routing and other retrievers


async def test_router_retriever_chooses_ours(index: PageIndex, report: list[Document]) -> None:
    """Two of our retrievers behind a router, sync and async, each asked for its own subject."""
    second = PageIndex.from_documents(report).as_retriever(similarity_top_k=1, unit="page")
    router = RouterRetriever(
        selector=First(),
        retriever_tools=[
            RetrieverTool.from_defaults(index.as_retriever(similarity_top_k=1), description="pumps soap bearings"),
            RetrieverTool.from_defaults(second, description="company copper prices"),
        ],
        llm=MockLLM(),
    )
    assert router.retrieve("soap")[0].node.metadata["title"] == "1.2 Bearings"
    assert (await router.aretrieve("copper"))[0].node.metadata["file_name"] == "report.pdf"


def test_router_query_engine_chooses_ours(index: PageIndex, report: list[Document]) -> None:
    """The same through query engines."""
    second = PageIndex.from_documents(report)
    tools = [
        QueryEngineTool.from_defaults(index.as_query_engine(llm=MockLLM()), description="pumps soap bearings"),
        QueryEngineTool.from_defaults(second.as_query_engine(llm=MockLLM()), description="company copper prices"),
    ]
    engine = RouterQueryEngine(selector=First(), query_engine_tools=tools, llm=MockLLM())
    assert "Copper prices may rise" in str(engine.query("copper"))


def test_auto_merging_retriever_finds_no_broken_parents(index: PageIndex) -> None:
    """Our nodes claim no parent that is not stored, so the merging retriever returns them as they are."""
    ours = index.as_retriever(similarity_top_k=4)
    merging = AutoMergingRetriever(ours, StorageContext.from_defaults(docstore=index.docstore))
    assert ids(merging.retrieve(QUESTION)) == ids(ours.retrieve(QUESTION))


def test_our_retriever_behind_a_composed_summary_index(index: PageIndex) -> None:
    """An IndexNode whose object is our retriever leads to our nodes."""
    from llama_index.core.schema import IndexNode

    node = IndexNode(text="The pump manual", index_id="pumps", obj=index.as_retriever(similarity_top_k=1))
    outer = SummaryIndex(objects=[node])
    assert outer.as_retriever().retrieve("soap")[0].node.metadata["title"] == "1.2 Bearings"


async def test_sub_question_engine_asks_us_one_by_one(index: PageIndex) -> None:
    """Each sub-question is retrieved for on its own, and the answer is made of all of them."""
    tool = QueryEngineTool.from_defaults(index.as_query_engine(llm=MockLLM(), similarity_top_k=1), name="manual")

    class Two(BaseQuestionGenerator):
        def _get_prompts(self) -> dict[str, Any]:
            return {}

        def _update_prompts(self, prompts: dict[str, Any]) -> None:
            """There are none."""

        def generate(self, tools: Sequence[Any], query: QueryBundle) -> list[SubQuestion]:
            return [SubQuestion(sub_question=word, tool_name="manual") for word in ("soap", "filter")]

        async def agenerate(self, tools: Sequence[Any], query: QueryBundle) -> list[SubQuestion]:
            return self.generate(tools, query)

    synthesizer = get_response_synthesizer(llm=MockLLM())
    engine = SubQuestionQueryEngine.from_defaults(
        [tool], llm=MockLLM(), question_gen=Two(), response_synthesizer=synthesizer, verbose=False
    )
    titles = {each.node.metadata.get("title") for each in (await engine.aquery(QUESTION)).source_nodes}
    assert titles >= {"1.2 Bearings", "3 Filters"}


async def test_an_ingestion_pipeline_can_feed_us(report: list[Document]) -> None:
    """Nodes that a pipeline passed through become documents again."""
    nodes = await IngestionPipeline(transformations=[]).arun(documents=report)
    found = PageIndex(nodes=nodes).as_retriever(similarity_top_k=1, unit="page").retrieve("copper")
    assert found[0].node.metadata["page_label"] == "3"


# Callbacks and events


def test_callbacks_and_events_are_sent_once(index: PageIndex) -> None:
    """The framework's own start and end are enough: one retrieval, one event of each kind."""
    seen: list[BaseEvent] = []

    class Keep(BaseEventHandler):
        def handle(self, event: BaseEvent, **kwargs: Any) -> None:
            seen.append(event)

    handler = LlamaDebugHandler(print_trace_on_end=False)
    dispatcher = get_dispatcher()
    dispatcher.add_event_handler(Keep())
    try:
        retriever = index.as_retriever(similarity_top_k=2, callback_manager=CallbackManager([handler]))
        found = retriever.retrieve(QUESTION)
    finally:
        dispatcher.event_handlers.pop()
    ((start, end),) = handler.get_event_pairs(CBEventType.RETRIEVE)
    assert start.payload["query_str"] == QUESTION
    assert ids(end.payload["nodes"]) == ids(found)
    assert [ids(event.nodes) for event in seen if isinstance(event, RetrievalEndEvent)] == [ids(found)]


def test_the_default_model_is_never_asked_for(index: PageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Building, loading and retrieving work where resolving ``Settings.llm`` would fail."""

    def refuse(self: object) -> None:
        raise AssertionError("a default model was resolved")

    monkeypatch.setattr(type(Settings), "llm", property(refuse))
    monkeypatch.setattr(type(Settings), "embed_model", property(refuse))
    monkeypatch.setattr(type(Settings), "node_parser", property(refuse))
    again = PageIndex.from_documents([Document(text="Soap.", id_="a")])
    again.insert(Document(text="Grease.", id_="b"))
    assert len(again.as_retriever().retrieve("soap")) == 2
    assert len(index.as_retriever().retrieve("soap")) == 2
