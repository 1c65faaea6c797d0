"""Code as a user of the LangChain plugin writes it: it has to type-check, it is never run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, assert_type

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnablePassthrough
from langchain_core.tools import BaseTool, BaseToolkit, create_retriever_tool

from pageindex_core import (
    Budget,
    ChatModel,
    IndexOptions,
    IndexReport,
    ModelOptions,
    NavigationOptions,
    SearchResult,
    ask,
    open_library,
)
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


def chain(docs: list[Document], llm: BaseChatModel) -> Runnable[Any, str]:
    retriever = PageIndex.from_documents(docs).as_retriever(name="manual", tags=["rag"], metadata={"app": "demo"})
    prompt = ChatPromptTemplate.from_template("{pages} {question}")
    return {"pages": retriever, "question": RunnablePassthrough()} | prompt | llm | StrOutputParser()


def recent(metadata: Mapping[str, Any]) -> bool:
    return bool(metadata.get("year", 0) > 2020)


def construct(folder: Path) -> list[PageIndex]:
    library = open_library(folder)
    return [
        PageIndex(),
        PageIndex(library, folder="/reports", options=IndexOptions(), model_options=ModelOptions(summary_words=80)),
        PageIndex.from_library(str(folder), folder="/reports"),
        PageIndex.load_local(folder),
    ]


def make(folder: Path) -> list[Document]:
    index = PageIndex.from_files([folder, "more.pdf"], library=folder / "library", skip_failures=True)
    report: IndexReport | None = index.report
    index.add_files("one.pdf", metadata={"year": len(report.failed) if report else 0})
    retriever: PageIndexRetriever = PageIndexRetriever.from_library(folder / "library", k=3)
    strict = PageIndexRetriever(library=open_library(folder), k=2, filter=recent, score_threshold=0.2, unit="page")
    PageIndexRetriever.from_files(folder, library=folder / "library", documents=("a.pdf",), match="phrase")
    PageIndexRetriever.from_documents(index.similarity_search("How often?", k=2), header=False, scores=False)
    result: SearchResult = strict.search("How often?", max_tokens=200)
    assert_type(retriever.batch(["How often?", "By whom?"]), list[list[Document]])
    assert_type(index.similarity_search_with_score("How often?"), list[tuple[Document, float]])
    return assert_type(retriever.invoke("How often?", k=len(result.hits)), list[Document])


async def make_async(docs: list[Document]) -> list[tuple[Document, float]]:
    index = await PageIndex.afrom_documents(docs, folder="/reports")
    assert_type(await index.adelete(await index.aadd_documents(docs)), bool)
    retriever = index.as_retriever(search_type="similarity")
    assert_type(await retriever.ainvoke("How often?", filter={"year": 2024}), list[Document])
    assert_type(await retriever.abatch(["How often?"]), list[list[Document]])
    assert_type(await retriever.asearch("How often?"), SearchResult)
    assert_type(await index.asimilarity_search("How often?"), list[Document])
    return await index.asimilarity_search_with_score("How often?", k=2)


def with_a_model(folder: Path, llm: BaseChatModel) -> list[BaseTool]:
    index = PageIndex.from_files(folder, llm=llm.with_fallbacks([llm]), index_llm=LangChainModel(llm, timeout_s=30))
    settings = {"mode": "tree", "budget": Budget(calls=3), "navigation": NavigationOptions()}
    index.as_retriever(search_kwargs=settings).invoke("How often?", mode="agent")
    index.save_local(folder / "saved")
    return PageIndexToolkit(library=PageIndex.load_local(folder / "saved").library, management=True).get_tools()


def answer(folder: Path, llm: Runnable[Any, BaseMessage]) -> str:
    model: ChatModel = LangChainModel(llm)
    return ask(open_library(folder), "How often?", model=model).text


def as_tools(folder: Path) -> list[BaseTool]:
    toolkit: BaseToolkit = PageIndexToolkit(library=open_library(folder), folder="/reports", filter=recent)
    return [*toolkit.get_tools(), create_retriever_tool(PageIndexRetriever.from_library(folder), "manual", "Reads.")]


def for_a_vector_store(folder: Path, docs: list[Document]) -> list[Document]:
    transformer: BaseDocumentTransformer = PageTreeTransformer(unit="section")
    loader = PageIndexLoader(folder, unit="section")
    lazily: Iterator[Document] = loader.lazy_load()
    return [*lazily, *loader.load(), *transformer.transform_documents(docs)]


async def load_async(folder: Path) -> list[Document]:
    lazily: AsyncIterator[Document] = PageIndexLoader(folder).alazy_load()
    return [document async for document in lazily]
