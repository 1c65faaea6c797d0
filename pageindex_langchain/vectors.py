"""A vector store or retriever of LangChain, as the core asks it for passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

from pageindex_core.errors import OptionError
from pageindex_core.passages import Passage, as_passage
from pageindex_core.records import DocumentInfo

Within = Callable[[Sequence[DocumentInfo]], Mapping[str, Any]]
"""Gives, for the documents that may be seen, the keyword arguments that keep a vector store to them."""

_COUNTS = ("k", "fetch_k", "lambda_mult", "score_threshold")
"""Search arguments of a store's own retriever that do not hold here: k is ours, and nothing is selected twice."""


class VectorPassages:
    """A vector store of LangChain, or any retriever, as what the core calls a ``PassageStore``.

    A ``VectorStoreRetriever`` is asked through its store, with its other ``search_kwargs``. Another retriever gives as
    many Documents as it was made for.

    Args:
        vectors: The store or retriever.
        within: For a store with filters, such as
            ``lambda documents: {"filter": {"source": {"$in": [info.source_id for info in documents]}}}``. None fetches
            more than is wanted, and leaves out what lies outside.
        weight: What the best passage counts in mode ``hybrid``, where the first place by words counts 1. The default of
            0.05 suits small embedding models; ``evaluate`` tells what suits yours.
    """

    def __init__(
        self, vectors: VectorStore | BaseRetriever, within: Within | None = None, weight: float | None = None
    ) -> None:
        self._how: dict[str, Any] = {}
        if isinstance(vectors, VectorStoreRetriever):
            self._how = {name: value for name, value in vectors.search_kwargs.items() if name not in _COUNTS}
            vectors = vectors.vectorstore
        if not isinstance(vectors, (VectorStore, BaseRetriever)):
            raise OptionError(
                f"vectors= takes a VectorStore or a retriever, not {type(vectors).__name__}.",
                "It is asked for Documents by similarity.",
                "Pass the store itself, its as_retriever(), or a PassageStore of your own.",
            )
        self._vectors = vectors
        self._within = within
        self.restricts = within is not None
        self.weight = weight

    def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Give the k nearest passages, the nearest first."""
        if isinstance(self._vectors, BaseRetriever):
            return [as_passage(document) for document in self._vectors.invoke(question)]
        how = self._arguments(k, documents)
        try:
            return _scored(self._vectors.similarity_search_with_score(question, **how))
        except NotImplementedError:  # a store without scores: the order says enough
            return [as_passage(document) for document in self._vectors.similarity_search(question, **how)]

    async def apassages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Do as ``passages`` does, by the store's own async methods."""
        if isinstance(self._vectors, BaseRetriever):
            return [as_passage(document) for document in await self._vectors.ainvoke(question)]
        how = self._arguments(k, documents)
        try:
            return _scored(await self._vectors.asimilarity_search_with_score(question, **how))
        except NotImplementedError:
            return [as_passage(document) for document in await self._vectors.asimilarity_search(question, **how)]

    def _arguments(self, k: int, documents: Sequence[DocumentInfo] | None) -> dict[str, Any]:
        inside = self._within(documents) if self._within is not None and documents is not None else {}
        return {**self._how, **inside, "k": k}


def _scored(found: Sequence[tuple[Document, float]]) -> list[Passage]:
    return [as_passage(document, float(score)) for document, score in found]
