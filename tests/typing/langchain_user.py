"""Code as a user of the LangChain plugin writes it: it has to type-check, it is never run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool

from pageindex_core import Budget, SearchResult, open_library
from pageindex_langchain import (
    LangChainModel,
    PageIndex,
    PageIndexLoader,
    PageIndexRetriever,
    PageIndexToolkit,
    PageTreeTransformer,
)


def swap(docs: list[Document]) -> BaseRetriever:
    index = PageIndex.from_documents(docs)
    ids: list[str] = index.add_documents(docs)
    removed: bool = index.delete(ids)
    return index.as_retriever(search_kwargs={"k": 4 if removed else 2, "filter": {"year": {"$gte": 2020}}})


def recent(metadata: Mapping[str, Any]) -> bool:
    return bool(metadata.get("year", 0) > 2020)


def make(folder: Path) -> list[Document]:
    PageIndex.from_files([folder, "more.pdf"], library=folder / "library", skip_failures=True)
    retriever: PageIndexRetriever = PageIndexRetriever.from_library(folder / "library", k=3)
    strict = PageIndexRetriever(library=open_library(folder), k=2, filter=recent, score_threshold=0.2, unit="page")
    result: SearchResult = strict.search("How often?", max_tokens=200)
    return retriever.invoke("How often?", k=len(result.hits))


async def make_async(docs: list[Document]) -> list[tuple[Document, float]]:
    index = await PageIndex.afrom_documents(docs, folder="/reports")
    await index.adelete(await index.aadd_documents(docs))
    await index.as_retriever(search_type="similarity").ainvoke("How often?")
    return await index.asimilarity_search_with_score("How often?", k=2)


def with_a_model(folder: Path, llm: BaseChatModel) -> list[BaseTool]:
    index = PageIndex.from_files(folder, llm=llm.with_fallbacks([llm]), index_llm=LangChainModel(llm, timeout_s=30))
    index.as_retriever(search_kwargs={"mode": "tree", "budget": Budget(calls=3)}).invoke("How often?", mode="agent")
    index.save_local(folder / "saved")
    return PageIndexToolkit(library=PageIndex.load_local(folder / "saved").library, management=True).get_tools()


def for_a_vector_store(folder: Path, docs: list[Document]) -> list[Document]:
    return [*PageIndexLoader(folder, unit="section").lazy_load(), *PageTreeTransformer().transform_documents(docs)]
