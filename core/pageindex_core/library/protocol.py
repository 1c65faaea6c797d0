"""The contract between the library and everyone who reads or writes it.

The rest of the core talks to ``Library`` only, so that SQLite is one backend among possible others. A library
stores, finds and hands out; it never ranks: ``shortlist`` proposes documents, one scorer in ``search`` orders them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from pageindex_core.records import DocumentInfo, IndexedDocument, Page, PageTree, Scope

ALL = Scope()
"""The scope that sees everything."""


class Library(Protocol):
    """**Protocol:** many documents with their trees, page texts and metadata.

    All methods are synchronous, safe to call from any thread, and see one consistent state each.
    """

    # Writing

    def put(self, document: IndexedDocument) -> None:
        """Store a document, replacing the one of the same ``source_id``, in one transaction.

        Readers see the old document or the new one, never a mixture.
        """
        ...

    def set_status(self, info: DocumentInfo) -> None:
        """Record how far a document has come (``queued``, ``reading``, ``failed``).

        A stored tree and its pages stay as they were and go on being served: a failed re-index loses nothing.
        """
        ...

    def remove(self, document: str, scope: Scope = ALL) -> DocumentInfo:
        """Remove one document, by ``doc_id``, ``source_id`` or unambiguous name.

        Raises:
            DocumentNotFoundError: no such document in the scope; the message suggests the closest names.
        """
        ...

    # Reading

    def get(self, document: str, scope: Scope = ALL) -> DocumentInfo:
        """The entry of one document, by ``doc_id``, ``source_id`` or unambiguous name.

        Raises:
            DocumentNotFoundError: no such document in the scope; the message suggests the closest names.
        """
        ...

    def list(
        self,
        scope: Scope = ALL,
        *,
        sort: Literal["name", "indexed_at", "page_count"] = "name",
        descending: bool = False,
        offset: int = 0,
        limit: int | None = None,
    ) -> Sequence[DocumentInfo]:
        """The entries in the scope, sorted (ties by ``source_id``), one page of them."""
        ...

    def count(self, scope: Scope = ALL) -> int:
        """How many documents the scope holds."""
        ...

    def fingerprints(self) -> dict[str, str]:
        """``source_id`` to fingerprint of every document that is ready."""
        ...

    def tree(self, doc_id: str, scope: Scope = ALL) -> PageTree:
        """The stored tree.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        ...

    def pages(self, doc_id: str, page_numbers: Iterable[int] | None = None, scope: Scope = ALL) -> Sequence[Page]:
        """Pages in ascending order, all of them for None; numbers outside the document are left out.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        ...

    def postings(self, doc_id: str, scope: Scope = ALL) -> bytes:
        """The search index stored with the document.

        Raises:
            DocumentNotFoundError: no such document in the scope, or none that was ever ready.
        """
        ...

    def shortlist(self, terms: Sequence[str], scope: Scope = ALL, *, limit: int) -> Sequence[DocumentInfo]:
        """Ready documents in the scope that hold any of the terms, the most promising first, at most ``limit``.

        Rare terms and terms of titles count for more. A scope of at most ``limit`` documents is returned whole,
        those without a term last.
        """
        ...

    def close(self) -> None:
        """Give up connections. The library can be reopened."""
        ...
