"""The offline stand-ins as LlamaIndex's own classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core import Document
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback

from offline import MANUAL as MANUAL, quote as quote, read_pages, word_vector


def load_pages(path: Path) -> list[Document]:
    """Load a PDF as SimpleDirectoryReader does: one Document a page."""
    return [
        Document(text=text, metadata={"file_name": path.name, "file_path": str(path), "page_label": label})
        for label, text in read_pages(path)
    ]


class WordEmbedding(BaseEmbedding):
    """An embedding that knows words and no meaning."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return word_vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return word_vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return word_vector(query)


class QuotingLLM(MockLLM):
    """LlamaIndex's mock LLM, which repeats its prompt; this one quotes from it."""

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """Take a prompt that ends with the question, after a line "Query:"."""
        excerpts, _, question = prompt.rpartition("Query: ")
        return CompletionResponse(text=quote(question, excerpts))
