"""``VectorsInsideRetriever``: page trees choose the sections, a vector index of LlamaIndex ranks inside them."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.constants import DEFAULT_SIMILARITY_TOP_K
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType

from pageindex_core.passages import as_store
from pageindex_core.search.hybrid.inside import SECTIONS, PassageResult, asearch_inside, search_inside
from pageindex_llamaindex.retriever import PageIndexRetriever, question_of
from pageindex_llamaindex.vectors import VectorPassages


class VectorsInsideRetriever(BaseRetriever):
    """Gives the nodes of your own vector index, those in the sections that the page trees find first.

    Where the best of these is far from the question, the whole store answers: see ``search``, whose result says so.

    Args:
        retriever: Finds the sections, by words, or in mode ``tree`` or ``agent`` with its model.
        vectors: A ``VectorStoreIndex``, a retriever, or ``VectorPassages`` with the store's filter.
        similarity_top_k: How many nodes.
        sections: How many sections they are looked for in first.
        least_score: What the best node inside has to score in the store; None compares it with the whole store's.
        callback_manager: The framework's callbacks.
    """

    def __init__(
        self,
        retriever: PageIndexRetriever,
        vectors: Any,
        *,
        similarity_top_k: int = DEFAULT_SIMILARITY_TOP_K,
        sections: int = SECTIONS,
        least_score: float | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        self._retriever = retriever
        self._how: dict[str, Any] = {
            "store": as_store(vectors, VectorPassages),
            "k": similarity_top_k,
            "sections": sections,
            "least_score": least_score,
        }
        super().__init__(callback_manager)

    def search(self, query: QueryType) -> PassageResult:
        """Answer with the core's own result: passages, sections, trace, and whether it fell back to the whole store."""
        return search_inside(self._retriever._library, question_of(query), **self._arguments())

    async def asearch(self, query: QueryType) -> PassageResult:
        """Answer as ``search`` does, and leave the event loop free meanwhile."""
        return await asearch_inside(self._retriever._library, question_of(query), **self._arguments())

    def _arguments(self) -> dict[str, Any]:
        how = self._retriever._arguments()
        return {**{name: value for name, value in how.items() if name not in ("max_tokens", "mode")}, **self._how}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [passage.payload for passage in self.search(query_bundle).passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [passage.payload for passage in (await self.asearch(query_bundle)).passages]
