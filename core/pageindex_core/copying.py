"""Copies documents from one library to another, of whatever backends."""

from __future__ import annotations

from dataclasses import replace

from pageindex_core.errors import DocumentNotFoundError, LibraryError
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.records import DocumentInfo, IndexedDocument, Pages, Scope
from pageindex_core.search.postings import build_postings

MOST_TRIES = 5
"""A document that keeps being replaced while it is read is given up after so many attempts."""


def mirror_library(source: Library, target: Library, scope: Scope = ALL) -> int:
    """Make one library hold what another does; give the number of documents.

    Documents are written one by one, each in a transaction; last, those that the source has not are removed.

    Args:
        source: What is copied.
        target: What is written.
        scope: Which documents of the source, and which of the target may be replaced or removed.

    Raises:
        LibraryError: one of them fails, or a document never stands still.
    """
    infos = source.list(scope)
    for info in infos:
        _copy(info.doc_id, source, target, scope)
    kept = {info.doc_id for info in infos}
    for info in target.list(scope):
        if info.doc_id not in kept:
            target.remove(info.doc_id, scope)
    return len(infos)


def _copy(doc_id: str, source: Library, target: Library, scope: Scope) -> None:
    for _ in range(MOST_TRIES):
        info = source.get(doc_id, scope)
        try:
            document = _read(info, source, scope)
        except DocumentNotFoundError:
            target.set_status(info)  # an entry without content, such as one that failed
            return
        if source.get(doc_id, scope) == info:
            target.put(document)
            if info.status != "ready":  # indexed once, and failed since
                target.set_status(info)
            return
    raise LibraryError(
        f"{info.name} cannot be copied.", "It was replaced each time it was read.", "Copy when indexing has ended."
    )


def _read(info: DocumentInfo, source: Library, scope: Scope) -> IndexedDocument:
    tree = source.tree(info.doc_id, scope)
    pages = tuple(source.pages(info.doc_id, None, scope))
    whole = Pages(
        source_id=info.source_id,
        name=info.name,
        fingerprint=info.fingerprint,
        media_type=info.media_type,
        pages=pages,
    )
    search = build_postings(tree, whole)
    served = replace(info, status="ready", error=None)
    return IndexedDocument(served, tree, pages, search.data, search.terms, search.title_terms)
