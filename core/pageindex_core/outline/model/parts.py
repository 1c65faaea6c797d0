"""A stretch of pages cut into parts that fit a prompt, each page marked with its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pageindex_core.records import Page
from pageindex_core.tokens import count_tokens

Spot = tuple[int, int]
"""Page number and line index."""

MARK_TOKENS = 4
"""What the mark of a page takes."""


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive pages, or a piece of one, as a prompt shows them."""

    first_page: int
    last_page: int
    text: str
    """The lines as read, each page's after a line ``[page 12]``."""
    start: Spot
    stop: Spot
    """Where its text starts and stops."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A page, or the lines of one that fit a part."""

    page_number: int
    text: str
    tokens: int
    first_line: int
    end_line: int


def parts_of(
    pages: Sequence[Page], start: Spot, stop: Spot, tokens: int, *, overlap: bool = False, skip: Iterable[int] = ()
) -> list[Part]:
    """Cut the text from one spot up to another into parts of at most ``tokens``; only a single longer line exceeds it.

    Args:
        pages: All pages of the document.
        start: Where the text starts.
        stop: Where it stops.
        tokens: Most tokens of a part.
        overlap: Let each part begin with the last page of the one before, so that what stands at a border is seen
            with what surrounds it. Pages that alone fill half a part are not repeated.
        skip: Page numbers to leave out.
    """
    pieces = [
        piece
        for number in range(start[0], min(stop[0], len(pages)) + 1)
        if number not in frozenset(skip)
        for piece in _pieces(pages[number - 1], _first(start, number), _last(stop, number, pages), tokens)
    ]
    parts: list[list[_Piece]] = []
    size = 0
    for piece in pieces:
        if parts and size + piece.tokens <= tokens:
            parts[-1].append(piece)
            size += piece.tokens
            continue
        repeated = [parts[-1][-1]] if overlap and parts and parts[-1][-1].tokens <= tokens // 2 else []
        if repeated and repeated[0].tokens + piece.tokens > tokens:
            repeated = []
        parts.append([*repeated, piece])
        size = sum(each.tokens for each in parts[-1])
    return [_joined(part) for part in parts]


def _joined(pieces: Sequence[_Piece]) -> Part:
    first, last = pieces[0], pieces[-1]
    start, stop = (first.page_number, first.first_line), (last.page_number, last.end_line)
    return Part(start[0], stop[0], "\n".join(piece.text for piece in pieces), start, stop)


def _first(start: Spot, number: int) -> int:
    return start[1] if number == start[0] else 0


def _last(stop: Spot, number: int, pages: Sequence[Page]) -> int:
    return stop[1] if number == stop[0] else len(pages[number - 1].lines)


def _pieces(page: Page, first: int, last: int, tokens: int) -> list[_Piece]:
    """One page, in several pieces where it is too long for one part."""
    mark = f"[page {page.page_number}]"
    pieces: list[_Piece] = []
    held: list[str] = []
    size = MARK_TOKENS

    def close(end: int) -> None:
        pieces.append(_Piece(page.page_number, "\n".join([mark, *held]), size, end - len(held), end))

    for index, line in enumerate(page.lines[first:last], start=first):
        cost = count_tokens(line.text) + 1
        if held and size + cost > tokens:
            close(index)
            held, size = [], MARK_TOKENS
        held.append(line.text)
        size += cost
    if any(text.strip() for text in held):
        close(first + len(page.lines[first:last]))
    return pieces
