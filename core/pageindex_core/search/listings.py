"""Pieces that list the document itself: printed contents, lists of tables and figures, the index at the end.

They repeat titles, so they hold the words of any question, and answer none. What tells them is lines that end in page
numbers; a headline says the same of fewer such lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pageindex_core.headlines import CONTENTS, INDEXES, LISTS
from pageindex_core.search.postings import SearchIndex

LISTING_SHARE = 0.5
"""What a listing's evidence weighs beside that of other text."""

_LEAST_ENTRIES = 5
_LEAST_SHARE = 0.6
"""Without a headline: so many lines end in a page number, and so large a share of the lines with words."""

_LEAST_TRUE = 0.8
"""Without a headline: share of those numbers that do not fall, and that are of pages where a section starts. Tables of
figures have neither."""

_TITLED_SHARE = 0.25
"""Under a headline: entries may wrap over lines, or stand beside the numbers of parts."""

_HEADLINES = CONTENTS | LISTS | INDEXES
_LONG_HEADLINES = tuple(key for key in _HEADLINES if len(key) >= 9 or not key[0].isascii())
"""Those that mean nothing else wherever they stand: not "index" or "figures"."""


def find_listings(index: SearchIndex) -> frozenset[int]:
    """Give the pieces of a document that only list what else is in it."""
    numbers = _line_end_numbers(index)
    printed = dict(zip(index.page_numbers, index.page_printed, strict=True))
    starts = {section.start_page for section in index.sections}
    starts |= {number for page in starts if (number := printed.get(page)) is not None}
    ends = [*(piece.first_line for piece in index.pieces[1:]), index.page_first_lines[-1]]
    found = set()
    for number, (piece, end) in enumerate(zip(index.pieces, ends, strict=False)):
        entries = [numbers[line] for line in range(piece.first_line, end) if line in numbers]
        worded = sum(1 for line in range(piece.first_line, end) if _has_words(index, numbers, line))
        share = len(entries) / max(1, worded)
        titled = piece.section < len(index.sections) and _squash(index.sections[piece.section].title) in _HEADLINES
        if (titled and share >= _TITLED_SHARE) or (share >= _LEAST_SHARE and _lists_pages(entries, starts)):
            found.add(number)
    return frozenset(found)


def asks_for_listing(question: str) -> bool:
    """Whether a question is about a listing: "the table of contents", "list of figures", or "index" alone."""
    folded = _squash(question)
    return folded in _HEADLINES or any(key in folded for key in _LONG_HEADLINES)


def _line_end_numbers(index: SearchIndex) -> dict[int, int]:
    """Give the lines that end in a number that a page of this document may have."""
    highest = max([*index.page_numbers, *(number for number in index.page_printed if number is not None)], default=0)
    starts = index.text.starts
    line_of_end = {stop - 1: line for line, (start, stop) in enumerate(pairwise(starts)) if stop > start}
    found: dict[int, int] = {}
    for term in index.text.vocabulary():
        if len(term) <= 4 and term.isdecimal() and 0 < int(term) <= highest:
            for position in index.text.positions(term):
                if position in line_of_end:
                    found[line_of_end[position]] = int(term)
    return found


def _has_words(index: SearchIndex, numbers: dict[int, int], line: int) -> bool:
    """Whether a line holds more than a page number."""
    length = index.text.starts[line + 1] - index.text.starts[line]
    return length > (line in numbers)


def _lists_pages(entries: Sequence[int], starts: set[int]) -> bool:
    """Whether numbers at the ends of lines are those of pages, in the order of the document."""
    if len(entries) < _LEAST_ENTRIES or len(set(entries)) < 3:
        return False
    rising = sum(before <= after for before, after in pairwise(entries)) / (len(entries) - 1)
    known = sum(entry in starts for entry in entries) / len(entries)
    return min(rising, known) >= _LEAST_TRUE


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
