"""Code as a user of the LlamaIndex plugin writes it: it has to type-check, it is never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core import Document, StorageContext
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

from pageindex_core import IndexOptions, SearchResult, open_library
from pageindex_llamaindex import PageIndex, PageIndexRetriever


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
