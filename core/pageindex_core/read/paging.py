"""Takes the lines of a text that has no pages of its own, gives pages of a size to read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pageindex_core.records import Heading, Line, Note, Page
from pageindex_core.tokens import count_tokens

_NEAR_LIMIT = 0.6
"""From this share of the page size on, a page may end early at a better place than the limit. Pages then hold at
least six tenths of the size asked for, and nearly every paragraph or section of a usual text ends within the rest."""

MOST_EMPTY_PAGES = 10_000
"""Most pages without text that are made to keep page numbers physical: as many as the longest documents have, and a
few megabytes at most, whatever page number a damaged file claims."""


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a document, not yet tied to a source."""

    pages: tuple[Page, ...]
    headings: tuple[Heading, ...] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    """What the text says about itself (front matter)."""
    notes: tuple[Note, ...] = ()


def cut_pages(
    lines: Sequence[Line],
    page_tokens: int,
    *,
    openings: Collection[int] = (),
    first_page: int = 1,
    first_line_number: int = 1,
) -> list[Page]:
    """Cut lines into pages of at most ``page_tokens``, at line ends, before headings and after blank lines if it can.

    A line longer than a page becomes a page. Joined in order, the lines of the pages are the lines given.

    Args:
        lines: Clean lines, the long ones broken (see ``break_lines``).
        page_tokens: Size of a page.
        openings: Indexes of lines that open a section.
        first_page: Number of the first page.
        first_line_number: Number in the source of the first line given.
    """
    pages: list[Page] = []
    number = first_line_number
    for start, end in _spans(lines, page_tokens, frozenset(openings)):
        number += start > 0 and not lines[start].continues
        pages.append(Page(first_page + len(pages), tuple(lines[start:end]), first_line_number=number))
        number += sum(not line.continues for line in lines[start + 1 : end])
    return pages


def keep_first_pages(body: Body, max_pages: int | None) -> Body:
    """Give the body cut to its first pages, with a note on what was left out."""
    if max_pages is None or len(body.pages) <= max_pages:
        return body
    headings = body.headings
    if headings is not None:
        headings = tuple(heading for heading in headings if heading.page_number <= max_pages) or None
    message = f"Only the first {max_pages:,} of {len(body.pages):,} pages were read, as max_pages asks."
    notes = (*body.notes, Note("pages_cut", message))
    return Body(body.pages[:max_pages], headings, body.metadata, notes)


def _spans(lines: Sequence[Line], page_tokens: int, openings: frozenset[int]) -> Iterator[tuple[int, int]]:
    weights = [count_tokens(f"{line.text}\n") for line in lines]
    start = 0
    while start < len(lines):
        end = _end_of_page(lines, weights, start, page_tokens, openings)
        yield start, end
        start = end


def _end_of_page(
    lines: Sequence[Line], weights: Sequence[int], start: int, page_tokens: int, openings: frozenset[int]
) -> int:
    used = 0
    before_heading = after_blank = None
    for index in range(start, len(lines)):
        if index > start and used >= page_tokens * _NEAR_LIMIT:
            if index in openings:
                before_heading = index
            elif lines[index].text.strip() and not lines[index - 1].text.strip():
                after_blank = index
        used += weights[index]
        if used > page_tokens and index > start:
            return before_heading or after_blank or index
    return len(lines)
