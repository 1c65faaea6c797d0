"""Between LangChain's ``Document`` and the core's records, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.documents import Document

import pageindex_core  # the reader is loaded when a document is given, not when one only searches
from pageindex_core.errors import OptionError
from pageindex_core.records import Hit

UNIT_KEYS = frozenset(
    {
        "source",
        "file_name",
        "doc_id",
        "node_id",
        "title",
        "section_path",
        "page",
        "page_label",
        "page_start",
        "page_end",
        "total_pages",
        "score",
        "found_by",
        "quote",
    }
)
"""Metadata keys that every Document of ours carries. Prompts and ``id_key`` may rely on each of them."""

QUESTION_KEYS = frozenset({"score", "found_by", "quote"})
"""Those of them whose values depend on the question, and which ``scores=False`` leaves out."""

PAGE_KEYS = frozenset({"page", "page_label", "page_start", "page_end", "section_path"})
"""Those of them that speak of a part of a document, so that none of its documents' metadata can."""


def to_document(hit: Hit, *, header: bool, scores: bool) -> Document:
    """Give a hit as a Document.

    Args:
        hit: One retrieved unit.
        header: Whether ``page_content`` starts with a line naming document, section and pages.
        scores: Whether the metadata has the keys that depend on the question.
    """
    metadata = _metadata(hit)
    if not scores:
        metadata = {key: value for key, value in metadata.items() if key not in QUESTION_KEYS}
    return Document(id=hit.unit_id, page_content=_content(hit, header), metadata=metadata)


def to_loaded(
    documents: Iterable[Document], ids: Sequence[str] | None = None
) -> Iterator[pageindex_core.LoadedDocument]:
    """Give what a LangChain loader produced as the core reads it, one at a time.

    Args:
        documents: What the loader gave.
        ids: One for each, which becomes the source of a Document whose metadata names none.

    Raises:
        OptionError: something else than Documents was given, or ids that would lead to nothing.
    """
    if ids is not None:
        documents = _named(list(documents), ids)
    for document in [documents] if isinstance(documents, (str, Document)) else documents:
        if not isinstance(document, Document):
            raise OptionError(
                f"from_documents and add_documents take LangChain Documents, not {type(document).__name__}.",
                "Text without a source cannot be cited.",
                "Use from_files or add_files for paths, or wrap texts in langchain_core.documents.Document.",
            )
        yield pageindex_core.LoadedDocument(
            text=document.page_content, metadata=dict(document.metadata), id=document.id
        )


def _named(documents: list[Document], ids: Sequence[str]) -> list[Document]:
    from pageindex_core.read import source_of_loaded  # as above

    if len(ids) != len(documents):
        raise OptionError(f"{len(ids)} ids were given for {len(documents)} Documents.", "Each Document needs one.")
    named = [document.model_copy(update={"id": str(given)}) for document, given in zip(documents, ids, strict=True)]
    for document, loaded in zip(named, to_loaded(named), strict=True):
        if (source := source_of_loaded(loaded)) != document.id:
            raise OptionError(
                f"The id {document.id!r} cannot be that of a Document whose source is {source!r}.",
                "A document here is all that came from one source, and goes by that name.",
                "Leave ids out, and delete by source or by what add_documents returns.",
            )
    return named


def _content(hit: Hit, header: bool) -> str:
    if not header:
        return hit.text
    place = " > ".join((hit.doc_name, *hit.section_path))
    return f"[{place}, {_pages(hit)}, doc {hit.doc_id[:8]}]\n{hit.text}"


def _pages(hit: Hit) -> str:
    if hit.page_start == hit.page_end:
        return f"page {hit.page_start}"
    return f"pages {hit.page_start}-{hit.page_end}"


def _metadata(hit: Hit) -> dict[str, Any]:
    ours: dict[str, Any] = {
        "source": hit.metadata.get("source") or hit.source_id,
        "file_name": hit.doc_name,
        "doc_id": hit.doc_id,
        "node_id": hit.unit_id,
        "title": hit.title,
        "section_path": " > ".join(hit.section_path),
        "page": hit.page_start - 1,
        "page_label": hit.page_label,
        "page_start": hit.page_start,
        "page_end": hit.page_end,
        "total_pages": hit.page_count,
        "score": hit.score,
        "found_by": hit.found_by,
        "quote": hit.quotes[0] if hit.quotes else "",
    }
    theirs: dict[str, Any] = {}
    for key, value in hit.metadata.items():
        if key not in UNIT_KEYS:
            theirs[key] = value
        elif value != ours[key]:
            theirs[f"document_{key}"] = value
    return {**theirs, **ours}
