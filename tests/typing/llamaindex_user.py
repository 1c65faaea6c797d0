"""Code as a user of the LlamaIndex plugin writes it: it has to type-check, it is never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

from llama_index.core import Document, StorageContext
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.indices.base import BaseIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import LLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.tools import FunctionTool, QueryEngineTool, RetrieverTool
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

from pageindex_core import (
    Budget,
    ChatModel,
    IndexOptions,
    ModelOptions,
    NavigationOptions,
    Scope,
    SearchResult,
    ask,
    open_library,
)
from pageindex_llamaindex import (
    LlamaIndexModel,
    PageIndex,
    PageIndexNodeParser,
    PageIndexReader,
    PageIndexRetriever,
    PageIndexToolSpec,
)


def swap(documents: list[Document], storage: StorageContext) -> BaseRetriever:
    index = PageIndex.from_documents(documents, storage_context=storage, show_progress=True)
    index.insert(documents[0])
    changed: list[bool] = index.refresh_ref_docs(documents)
    index.delete_ref_doc(documents[0].id_, delete_from_docstore=any(changed))
    filters = MetadataFilters(filters=[MetadataFilter(key="year", value=2024)])
    return index.as_retriever(similarity_top_k=4, filters=filters, doc_ids=["a"], unit="section", max_tokens=500)


def construct(folder: Path, nodes: list[BaseNode], llm: LLM) -> list[PageIndex]:
    return [
        PageIndex(nodes),
        PageIndex([], library=open_library(folder), options=IndexOptions(), llm=llm),
        PageIndex(library=folder, index_llm=llm, model_options=ModelOptions(summary_words=80), show_progress=True),
        PageIndex.from_library(folder, llm=llm),
    ]


def over_files(folder: Path) -> BaseQueryEngine:
    index: PageIndex = PageIndex.from_files([folder, "more/*.pdf"], library=folder / "library", options=IndexOptions())
    index.insert_files("one.pdf", metadata={"year": 2024}, skip_failures=bool(index.failures))
    assert_type(index.ref_doc_info, dict[str, RefDocInfo])
    any_index: BaseIndex[Any] = index
    return any_index.as_query_engine(similarity_top_k=3)


async def update_async(index: PageIndex, document: Document, nodes: list[BaseNode]) -> list[bool]:
    await index.ainsert(document)
    await index.ainsert_nodes(nodes)
    await index.aupdate_ref_doc(document)
    await index.adelete_ref_doc(document.id_)
    await index.adelete_nodes([node.node_id for node in nodes])
    return await index.arefresh_ref_docs([document])


def engines(index: PageIndex, llm: LLM) -> list[QueryEngineTool | RetrieverTool]:
    engine: BaseQueryEngine = index.as_query_engine(llm=llm, similarity_top_k=3, streaming=True)
    chat: BaseChatEngine = index.as_chat_engine(ChatMode.CONTEXT, llm=llm)
    chat.reset()
    retriever: PageIndexRetriever = index.as_retriever()
    by_hand = RetrieverQueryEngine.from_args(retriever, llm=llm)
    assert_type(by_hand.query("How often?"), RESPONSE_TYPE)
    return [QueryEngineTool.from_defaults(engine), RetrieverTool.from_defaults(retriever)]


async def alone(folder: str, question: str) -> list[NodeWithScore]:
    retriever = PageIndexRetriever.from_library(open_library(folder), similarity_top_k=3, retriever_mode="phrase")
    PageIndexRetriever(open_library(folder), similarity_top_k=2, node_ids=["a"], unit="page", verbose=True)
    result: SearchResult = await retriever.asearch(question)
    assert_type(retriever.search(QueryBundle(question)), SearchResult)
    if not result.hits[0].boxes:
        return retriever.retrieve(question)
    return await retriever.aretrieve(QueryBundle(question))


def with_a_model(folder: Path, llm: LLM, question: str) -> str:
    index = PageIndex.from_files(folder, library=folder / "library", llm=llm, index_llm=llm)
    retriever = index.as_retriever(retriever_mode="tree", budget=Budget(calls=2), navigation=NavigationOptions())
    retriever.update_prompts(retriever.get_prompts())
    index.as_chat_engine(llm=llm, retriever_mode="agent", navigator_llm=llm)
    model: ChatModel = LlamaIndexModel(llm, timeout_s=30)
    return ask(index.library, question, model=model).text


def around_it(folder: Path) -> tuple[list[FunctionTool], list[BaseNode]]:
    reader: BaseReader = PageIndexReader(split="section")
    documents: list[Document] = reader.load_data(folder)
    nodes = PageIndexNodeParser(leaves_only=True).get_nodes_from_documents(documents)
    pipeline = IngestionPipeline(transformations=[PageIndexNodeParser()])
    tools = PageIndexToolSpec(folder / "library", scope=Scope(folder="/reports"), management=True).to_tool_list()
    return tools, [*nodes, *pipeline.run(documents=documents)]
