"""Passages: what a vector store, or any retriever of a framework, gives, in the core's terms.

Nothing here imports a framework: its objects are known by their shape. LangChain's ``page`` counts from 0 and becomes a
page number from 1; LlamaIndex's ``page_label`` is text, and a number only where it looks like one; what this project
returns says ``page_start`` and ``page_end``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pageindex_core.errors import OptionError
from pageindex_core.records import DocumentInfo, Hit

_NAME_KEYS = ("doc_id", "source", "file_path", "file_name")
"""Metadata that says which document a passage is of, the surest first."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that a store found, and where it is from."""

    text: str
    score: float | None = None
    """Higher is better, on the store's own scale; None where it gives none and the order alone counts."""
    documents: tuple[str, ...] = ()
    """What its document may be called, the surest first: document id, source, path, file name."""
    page_start: int | None = None
    """First physical page, from 1; None where it names none."""
    page_end: int | None = None
    """Last physical page, inclusive."""
    page_label: str | None = None
    """The printed label, where that is all it says of its page."""
    node_id: str | None = None
    """Its own id in the framework."""
    payload: Any = None
    """The framework's own object."""


class PassageStore(Protocol):
    """**Protocol:** a user's vector store, asked for passages. Both methods may raise whatever the store raises.

    A store may have a ``weight`` too: what its best passage counts in hybrid search, where the first place by words
    counts 1. None, or no such attribute, takes the default, which is that of a small embedding model.
    """

    restricts: bool
    """Whether the store keeps to the documents by itself. Where it does not, more is fetched than is wanted, and what
    lies outside is left out."""

    def passages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Give the k passages nearest to the question, the nearest first.

        Args:
            question: What is asked.
            k: How many.
            documents: Only of these; None for all. Never given where ``restricts`` is False.
        """
        ...

    async def apassages(self, question: str, k: int, documents: Sequence[DocumentInfo] | None) -> Sequence[Passage]:
        """Do as ``passages`` does, without blocking the event loop."""
        ...


def as_passage(found: Any, score: float | None = None, *, page_base: int = 0) -> Passage:
    """Give what a retriever returned as a passage.

    Args:
        found: A Document of LangChain, a node of LlamaIndex with or without its score, a ``Hit``, or a ``Passage``.
        score: Its score, where it does not carry one itself.
        page_base: What the first page is called in ``page`` of its metadata.

    Raises:
        OptionError: it is none of these.
    """
    if isinstance(found, Passage):
        return found
    if isinstance(found, Hit):
        own = (found.doc_id, found.source_id, found.doc_name)
        return Passage(found.text, found.score, own, found.page_start, found.page_end, None, found.unit_id, found)
    node = getattr(found, "node", found)
    metadata = getattr(node, "metadata", None)
    if hasattr(node, "get_content"):
        text, node_id = node.get_content(), node.node_id
        score = getattr(found, "score", None) if score is None else score
    elif hasattr(node, "page_content"):
        text, node_id = node.page_content, getattr(node, "id", None)
    else:
        metadata = None
    if not isinstance(metadata, Mapping):
        raise OptionError(
            f"A {type(found).__name__} is no passage.",
            "It has neither page_content nor get_content with metadata.",
            "Return Documents of LangChain, nodes of LlamaIndex, hits of search, or Passage records.",
        )
    first, last, label = _pages(metadata, page_base)
    names = _document_names(metadata, getattr(node, "ref_doc_id", None))
    return Passage(text, None if score is None else float(score), names, first, last, label, node_id, found)


def as_store(vectors: Any, wrap: Callable[[Any], PassageStore]) -> PassageStore | None:
    """Give what was passed as ``vectors`` as a store: a ``PassageStore`` as it is, None for None, all else wrapped."""
    return vectors if vectors is None or callable(getattr(vectors, "passages", None)) else wrap(vectors)


def nearest_first(passages: Sequence[Passage]) -> Sequence[Passage]:
    """Give passages with scores that fall: where they rise from the first to the last they are distances.

    Some stores give a similarity, others a distance, and few say which; all give the nearest first.
    """
    known = [passage.score for passage in passages if passage.score is not None]
    if len(known) < 2 or known[0] >= known[-1]:
        return passages
    return [replace(one, score=None if one.score is None else -one.score) for one in passages]


def _document_names(metadata: Mapping[str, Any], ref_doc_id: Any) -> tuple[str, ...]:
    given = [str(value) for key in _NAME_KEYS if isinstance(value := metadata.get(key), (str, os.PathLike))]
    if metadata.get("file_path") and _count(metadata.get("source")) is not None:
        given.remove(str(metadata["source"]))  # a page number, as LlamaIndex's PyMuPDF reader sets it
    if isinstance(ref_doc_id, str):
        given.append(ref_doc_id)
    paths = [os.path.abspath(name) for name in given if "/" in name or os.sep in name]
    return tuple(dict.fromkeys(name for name in (*given, *paths) if name.strip()))


def _pages(metadata: Mapping[str, Any], page_base: int) -> tuple[int | None, int | None, str | None]:
    first = _count(metadata.get("page_start"))
    if first is not None:
        last = _count(metadata.get("page_end"))
        return first, max(first, last or first), None
    for key, base in (("page_number", 0), ("page", 1 - page_base)):
        number = _count(metadata.get(key))
        if number is not None:
            return number + base, number + base, None
    if metadata.get("file_path") and (number := _count(metadata.get("source"))) is not None:
        return number, number, None
    label = metadata.get("page_label")
    if not isinstance(label, (str, int)) or isinstance(label, bool) or not str(label).strip():
        return None, None, None
    number = _count(label)
    return number, number, str(label).strip()


def _count(value: Any) -> int | None:
    """Give a whole number from 0 up, however it is written; None for anything else."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 18:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
