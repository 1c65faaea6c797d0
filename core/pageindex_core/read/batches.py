"""Joins pages that are given in batches with those of the same document that were given before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pageindex_core.records import Note, Page

COUNTED_FROM_ONE = "pages_counted_from_one"
"""Code of the note that tells later batches how the first one counted its pages."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is stored of a document whose pages were loaded by a framework."""

    pages: tuple[Page, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def held(self) -> frozenset[int]:
        """The numbers of the pages that were given; the others are empty and only keep numbers physical."""
        return frozenset(page.page_number for page in self.pages if page.lines)

    @property
    def counts_from_one(self) -> bool:
        """Whether the metadata of those pages counted ``page`` from 1."""
        return any(note.code == COUNTED_FROM_ONE for note in self.notes)


def goes_on(given: frozenset[int], earlier: Earlier, total: int | None) -> bool:
    """Whether the pages given belong beside the earlier ones, and are not a new version of the whole document.

    They do when the loader's own total says that they are not all, or when they leave out the first page there is.
    """
    held = earlier.held
    if not held:
        return False
    return len(given) < total if total else min(held) not in given


def join_pages(given: Mapping[int, Page], earlier: Earlier, total: int | None) -> tuple[Page, ...]:
    """Give the pages of both, in order: a page given again replaces the earlier one, gaps are empty pages.

    Args:
        given: By number.
        earlier: What is stored.
        total: How many pages the document has, where the loader says so; earlier pages beyond are left out.
    """
    kept = {page.page_number: page for page in earlier.pages if page.lines and page.page_number <= (total or 10**9)}
    joined = {**kept, **given}
    return tuple(joined.get(number) or Page(number, ()) for number in range(1, max(joined) + 1))


def dropped_note(given: Sequence[Page], earlier: Earlier) -> Note | None:
    """Give a note where a new version has fewer pages than the stored one, since a batch may have been meant."""
    lost = earlier.held - {page.page_number for page in given if page.lines}
    if not lost:
        return None
    message = (
        f"{len(lost):,} pages that were stored before were not given again and are gone: with the first page among "
        "those given, and no total_pages in their metadata, they count as a new version of the whole document."
    )
    return Note("pages_dropped", message)
