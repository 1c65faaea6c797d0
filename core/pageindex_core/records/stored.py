"""What a library keeps of a document, and which documents a request may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pageindex_core.errors import OptionError
from pageindex_core.records.document import Metadata, Note, Page
from pageindex_core.records.tree import PageTree, TocSource

Status = Literal["queued", "reading", "describing", "ready", "failed"]
"""How far the indexing of a document has come."""


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a library tells about a document without opening it."""

    doc_id: str
    """16 hex digits derived from the ``source_id``; safe in URLs and framework ids."""
    source_id: str
    name: str
    fingerprint: str
    """Of the bytes or texts together with the options that shape the tree."""
    status: Status
    media_type: str = ""
    page_count: int = 0
    toc_source: TocSource | None = None
    folder: str = "/"
    """Where a person would look for it: "/" or "/reports/2024"; never ends in "/" but for the root."""
    metadata: Metadata = field(default_factory=dict)
    description: str | None = None
    indexed_at: str = ""
    """UTC, ISO 8601, seconds."""
    error: str | None = None
    """Why the status is ``failed``."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """All that a library stores of one document; written and read as a whole."""

    info: DocumentInfo
    tree: PageTree
    pages: tuple[Page, ...]
    postings: bytes = b""
    """The search index of this document, in the format of ``search.postings``; opaque to the library."""
    terms: tuple[str, ...] = ()
    """Every distinct search term of the document, for the library's shortlist."""
    title_terms: tuple[str, ...] = ()
    """Those that stand in its name, description or headings."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a request may see. Every given condition must hold; the default sees all.

    A library applies it inside its own reads, so that nothing outside it is ever loaded.
    """

    documents: tuple[str, ...] | None = None
    """``doc_id``, ``source_id`` or name of each allowed document; an empty tuple allows none. One text, or a list,
    becomes a tuple."""
    folder: str | None = None
    """This folder and all below it."""
    where: Metadata | Callable[[Metadata], bool] | None = None
    """A filter on document metadata, and on ``source``, ``file_name``, ``file_path`` and ``doc_id`` where these are no
    keys of it: a mapping with operators (see ``library.filters``), or a predicate."""

    def __post_init__(self) -> None:
        given: Any = self.documents
        if isinstance(given, str):
            given = (given,)
        elif isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
            given = tuple(given)
        if given is not None and not (isinstance(given, tuple) and all(isinstance(one, str) for one in given)):
            raise OptionError(
                f"documents={self.documents!r} cannot be meant.",
                "Documents are named by texts: id, source or name.",
                'Pass them as a tuple: ("report.pdf", "notes.md").',
            )
        if self.folder is not None and not isinstance(self.folder, str):
            raise OptionError(f"folder={self.folder!r} cannot be meant.", "A folder is a text.", 'Pass "/reports".')
        object.__setattr__(self, "documents", given)
