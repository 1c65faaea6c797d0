"""``VectorsInsideRetriever``: page trees choose the sections, a vector store of LangChain ranks inside them."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, InstanceOf

from pageindex_core.passages import as_store
from pageindex_core.search.hybrid.inside import SECTIONS, PassageResult, asearch_inside, search_inside
from pageindex_langchain.retriever import PageIndexRetriever
from pageindex_langchain.vectors import VectorPassages


class VectorsInsideRetriever(BaseRetriever):
    """Gives the Documents of your own vector store, those in the sections that the page trees find first.

    Where the best of these is far from the question, the whole store answers: see ``search``, whose result says so.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    retriever: InstanceOf[PageIndexRetriever]
    """Finds the sections, with its own ``mode``, ``llm``, ``filter`` and so on."""
    vectors: Any = Field(repr=False)
    """A ``VectorStore``, a retriever, or ``VectorPassages`` with the store's filter."""
    k: int = Field(default=4, gt=0)
    """How many Documents."""
    sections: int = Field(default=SECTIONS, gt=0)
    """How many sections they are looked for in first."""
    least_score: float | None = None
    """What the best Document inside has to score in the store; None compares it with those of the whole store."""

    def search(self, query: str) -> PassageResult:
        """Answer with the core's own result: passages, sections, trace, and whether it fell back to the whole store."""
        return search_inside(self.retriever.library, query, **self._how())

    async def asearch(self, query: str) -> PassageResult:
        """Answer as ``search`` does, without holding up the event loop."""
        return await asearch_inside(self.retriever.library, query, **self._how())

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [passage.payload for passage in self.search(query).passages]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [passage.payload for passage in (await self.asearch(query)).passages]

    def _how(self) -> dict[str, Any]:
        how = self.retriever._arguments(self.retriever._model())
        return {
            **{
                name: how[name]
                for name in ("scope", "unit", "navigator", "model", "budget", "navigation", "vectors", "shortlist")
            },
            "store": as_store(self.vectors, VectorPassages),
            "k": self.k,
            "sections": self.sections,
            "least_score": self.least_score,
        }
