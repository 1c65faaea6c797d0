"""FAISS as a ``VectorStore`` of LangChain: exact search, distances instead of similarities, filters by predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

import faiss
import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

Filter = Callable[[dict[str, Any]], bool]


class FaissStore(VectorStore):
    """Keeps texts and metadata beside an ``IndexFlatL2``."""

    def __init__(self, embedding: Embeddings, index: faiss.IndexFlatL2) -> None:
        self.embedding = embedding
        self.index = index
        self.held: list[Document] = []

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        vectors = np.array(embedding.embed_documents(texts), dtype=np.float32)
        store = cls(embedding, faiss.IndexFlatL2(vectors.shape[1]))
        store.index.add(vectors)
        rows: Iterable[Any] = zip(texts, metadatas or [{}] * len(texts), ids or [None] * len(texts), strict=True)
        store.held = [Document(text, metadata=metadata, id=id) for text, metadata, id in rows]
        return store

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Filter | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        vector = np.array([self.embedding.embed_query(query)], dtype=np.float32)
        distances, places = self.index.search(vector, self.index.ntotal if filter else min(k, self.index.ntotal))
        found = [(self.held[place], float(distance)) for place, distance in zip(places[0], distances[0], strict=True)]
        return [one for one in found if filter is None or filter(one[0].metadata)][:k]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]
