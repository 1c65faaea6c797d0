"""Code as a user of the LlamaIndex plugin writes it: it has to type-check, it is never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core import Document, StorageContext
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.base import BaseIndex
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode, NodeWithScore
from llama_index.core.tools import FunctionTool
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

from pageindex_core import Budget, ChatModel, IndexOptions, SearchResult, ask, open_library
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


def over_files(folder: Path) -> BaseQueryEngine:
    index: PageIndex = PageIndex.from_files([folder, "more/*.pdf"], library=folder / "library", options=IndexOptions())
    any_index: BaseIndex[Any] = index
    return any_index.as_query_engine(similarity_top_k=3)


async def alone(folder: str, question: str) -> list[NodeWithScore]:
    retriever = PageIndexRetriever.from_library(open_library(folder), similarity_top_k=3, retriever_mode="phrase")
    result: SearchResult = await retriever.asearch(question)
    if not result.hits[0].boxes:
        return retriever.retrieve(question)
    return await retriever.aretrieve(question)


def with_a_model(folder: Path, llm: LLM, question: str) -> str:
    index = PageIndex.from_files(folder, library=folder / "library", llm=llm, index_llm=llm)
    retriever = index.as_retriever(retriever_mode="tree", budget=Budget(calls=2))
    retriever.update_prompts(retriever.get_prompts())
    index.as_chat_engine(llm=llm, retriever_mode="agent", navigator_llm=llm)
    model: ChatModel = LlamaIndexModel(llm, timeout_s=30)
    return ask(index.library, question, model=model).text


def around_it(folder: Path) -> tuple[list[FunctionTool], list[BaseNode]]:
    documents = PageIndexReader(split="section").load_data(folder)
    nodes = PageIndexNodeParser(leaves_only=True).get_nodes_from_documents(documents)
    return PageIndexToolSpec(folder / "library").to_tool_list(), nodes
