"""The offline stand-ins as LangChain's own classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from offline import MANUAL as MANUAL, quote, read_pages, word_vector


def load_pages(path: Path) -> list[Document]:
    """Load a PDF as PyPDFLoader does: one Document a page."""
    pages = list(read_pages(path))
    return [
        Document(text, metadata={"source": str(path), "page": page, "page_label": label, "total_pages": len(pages)})
        for page, (label, text) in enumerate(pages)
    ]


class WordEmbedding(Embeddings):
    """An embedding that knows words and no meaning."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed each text."""
        return [word_vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed a question."""
        return word_vector(text)


class QuotingChatModel(GenericFakeChatModel):
    """LangChain's fake chat model, which says what it was told to, and then quotes from what it is sent."""

    messages: Iterator[AIMessage | str] = iter(())

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        question = [message for message in messages if isinstance(message, HumanMessage)][-1]
        excerpts = "\n".join(message.text for message in messages if message is not question)
        reply = next(self.messages, None) or quote(question.text, excerpts)
        message = reply if isinstance(reply, AIMessage) else AIMessage(reply)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> QuotingChatModel:
        """Take the tools of an agent; which are called is in the script."""
        return self
