"""Asks a user's own store for passages, and tells which document of the library, and which pages, each is from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pageindex_core.library.protocol import ALL
from pageindex_core.passages import Passage, PassageStore, nearest_first
from pageindex_core.records import DocumentInfo, Note, Scope
from pageindex_core.search.navigate import LibraryRead, Navigation, PassageCall
from pageindex_core.search.opened import OpenDocument, run_positions
from pageindex_core.search.terms import line_terms

WIDEN = 4
"""Factor by which a store that cannot keep to documents is asked anew while too little lies inside them."""

MOST_FETCHED = 4096
"""Passages that are fetched at most for one question: a store returns so many in well under a second."""

_RUN_TERMS = 6
"""Neighbouring terms by which a passage without a page is found in its document: so many stand together once."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage of a document that may be seen."""

    passage: Passage
    info: DocumentInfo


@dataclass(frozen=True, slots=True)
class Asked:
    """What a store gave of the documents in a scope."""

    placed: tuple[Placed, ...]
    """Best first."""
    outside: int
    """How many passages were left out: of documents that are not in the scope, or not in the library."""
    notes: tuple[Note, ...] = ()


def ask_store(store: PassageStore, question: str, k: int, scope: Scope) -> Navigation[Asked]:
    """Ask for the k passages that lie in a scope. Where the store cannot keep to it, more are fetched and left out."""
    documents: Sequence[DocumentInfo] | None = None
    if store.restricts and scope != ALL:
        (documents,) = yield (LibraryRead("list", (scope,)),)
        if not documents:
            return Asked((), 0)
    known: dict[str, DocumentInfo | None] = {}
    fetched, had = k, -1
    while True:
        (given,) = yield (PassageCall(store, question, fetched, documents),)
        passages = nearest_first(given)
        names = {name for passage in passages for name in passage.documents} - known.keys()
        infos = yield tuple(LibraryRead("get", (name, scope)) for name in sorted(names))
        known.update(zip(sorted(names), infos, strict=True))
        placed = [Placed(passage, info) for passage in passages if (info := _info_of(passage, known)) is not None]
        if len(placed) >= k or len(passages) < fetched or len(passages) == had or fetched >= MOST_FETCHED:
            break
        fetched, had = min(fetched * WIDEN, MOST_FETCHED), len(passages)
    outside = len(passages) - len(placed)
    notes: tuple[Note, ...] = ()
    if passages and not placed:
        message = f"None of {len(passages)} passages of the vector store names a document that is searched here."
        notes = (Note("vectors_unknown", message),)
    return Asked(tuple(placed[:k]), outside, notes)


def pages_of(passage: Passage, document: OpenDocument) -> range:
    """Give the indexes of a passage's pages in its document; empty where they cannot be told.

    A printed label counts by the document's own labels; a passage without a page is looked for by its words.
    """
    index = document.index
    first, last = passage.page_start, passage.page_end
    if passage.page_label is not None:
        at = [number for number, label in enumerate(index.page_labels) if label == passage.page_label]
        if len(at) == 1:
            return range(at[0], at[0] + 1)
    if first is None:
        return _pages_by_words(passage, document)
    return range(bisect_left(index.page_numbers, first), bisect_right(index.page_numbers, last or first))


def _info_of(passage: Passage, known: dict[str, DocumentInfo | None]) -> DocumentInfo | None:
    return next((info for name in passage.documents if (info := known[name]) is not None), None)


def _pages_by_words(passage: Passage, document: OpenDocument) -> range:
    terms = [term for line in passage.text.splitlines() for term in line_terms(line)]
    found: list[int] = []
    last = len(terms) - _RUN_TERMS
    for start in sorted({*range(0, last, _RUN_TERMS), last}) if last >= 0 else ():
        positions = run_positions(document.index.text, tuple(terms[start : start + _RUN_TERMS]))
        if len(positions) == 1:
            found.append(document.page_of[positions[0]])
    return range(min(found), max(found) + 1) if found else range(0)
