"""The keyword retriever of a LangChain pipeline that exists, to be combined with ours."""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from rank_bm25 import BM25Plus


class KeywordRetriever(BaseRetriever):
    """The keyword retriever of an existing pipeline, over Documents of its own."""

    corpus: list[Document]
    k: int = 4

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        words = [document.page_content.lower().split() for document in self.corpus]
        scores = BM25Plus(words).get_scores(query.lower().split())
        ranked = sorted(range(len(self.corpus)), key=lambda number: -scores[number])
        return [self.corpus[number] for number in ranked[: self.k]]
