"""A vector index or retriever of LlamaIndex: as the core asks it for passages, and ranked inside sections."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.vector_stores.types import MetadataFilters

from pageindex_core.errors import OptionError
from pageindex_core.passages import Passage, as_passage
from pageindex_core.records import DocumentInfo

Within = Callable[[Sequence[DocumentInfo]], MetadataFilters]
"""Gives, for the documents that may be seen, the filters that keep a vector store to them."""


class VectorPassages:
    """A ``VectorStoreIndex``, or any retriever of LlamaIndex, as what the core calls a ``PassageStore``.

    A retriever with a ``similarity_top_k`` is copied and asked for as many nodes as are needed; another one gives as
    many as it was made for.

    Args:
        vectors: The index or retriever.
        within: For an index whose store has filters: gives the ``MetadataFilters`` that keep it to documents, such as
            ``file_path`` ``FilterOperator.IN`` the ``source_id`` of each. None fetches more than is wanted, and leaves
            out what lies outside.
        weight: What the best passage counts in mode ``hybrid``, where the first place by words counts 1. The default of
            0.05 suits small embedding models; ``evaluate`` tells what suits yours.
    """

    def __init__(
        self, vectors: VectorStoreIndex | BaseRetriever, within: Within | None = None, weight: float | None = None
    ) -> None:
        if not isinstance(vectors, (VectorStoreIndex, BaseRetriever)):
            raise OptionError(
                f"vectors= takes a VectorStoreIndex or a retriever, not {type(vectors).__name__}.",
                "It is asked for nodes by similarity.",
                "Pass the index itself, its as_retriever(), or a PassageStore of your own.",
            )
        if within is not None and isinstance(vectors, BaseRetriever):
            raise OptionError(
                "within= cannot be used with a retriever.", "Its filters are its own.", "Pass the VectorStoreIndex."
            )
        self._vectors = vectors
        self._within = within
        self.restricts = within is not None
        self.weight = weight

    def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Give the k nearest passages, the nearest first."""
        return [as_passage(found) for found in self._retriever(k, documents).retrieve(question)]

    async def apassages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Do as ``passages`` does, by the retriever's own async method."""
        return [as_passage(found) for found in await self._retriever(k, documents).aretrieve(question)]

    def _retriever(self, k: int, documents: Sequence[DocumentInfo] | None) -> BaseRetriever:
        if isinstance(self._vectors, VectorStoreIndex):
            filters = self._within(documents) if self._within is not None and documents is not None else None
            return self._vectors.as_retriever(similarity_top_k=k, filters=filters)
        retriever = copy.copy(self._vectors)
        for name in ("similarity_top_k", "_similarity_top_k"):
            if isinstance(getattr(retriever, name, None), int):
                setattr(retriever, name, k)
        return retriever
