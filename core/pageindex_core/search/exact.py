"""Phrases and regular expressions: what contains the question exactly as written."""

from __future__ import annotations

import re
import time
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pageindex_core.errors import QuestionError
from pageindex_core.options import SearchOptions
from pageindex_core.records import FoundBy, Hit, Note, Page, Scope, SearchResult, Step, Trace
from pageindex_core.search.focus import Mark
from pageindex_core.search.hits import build_hit
from pageindex_core.search.lexical import Found, elapsed_ms, is_read, open_documents, read_pages_of
from pageindex_core.search.listings import LISTING_SHARE
from pageindex_core.search.navigate import LibraryRead, Navigator, Requests
from pageindex_core.search.opened import OpenDocument, run_positions
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.terms import question_terms

MOST_DOCUMENTS = 200
"""Documents that are looked through, in the library's order for phrases and by name for patterns."""

MOST_PAGES = 5_000
"""Pages that are looked through; about 15 MB of text."""

MOST_SECONDS = 5.0
"""Time for one pattern, asked after each match and between pages."""

MOST_PAGE_SECONDS = 0.5
"""Processor time for a pattern on one page: a thousand times what a plain one takes on a dense page. Patterns such as
"((.+))+x" would take longer than the age of the universe, and no look at a pattern tells them all."""

MOST_PATTERN_CHARACTERS = 500
"""A longer pattern was not written by hand."""

PAGES_AT_ONCE = 200
"""Pages read with one request, so that a long document is never held whole."""

Finder = Callable[[str], Iterable[tuple[int, int]]]
"""Gives the spans in a page's text that match; raises TimeoutError when it takes too long."""


@dataclass(slots=True)
class _Search:
    """One look through the scope: what it looks for and what it has found."""

    found: Found
    find: Finder
    folds_case: bool
    lines: list[dict[int, list[int]]]
    """Where in each line matches start, by line counted through the document, for each document."""
    pages_seen: int = 0
    given_up: list[tuple[str, int]] = field(default_factory=list)
    """Document and number of the pages on which the pattern took too long."""


def search_exactly(text: str, scope: Scope, options: SearchOptions) -> Navigator:
    """Find a phrase or pattern in the texts of pages, over line ends, with whitespace folded to single spaces.

    Phrases disregard case and stand at word boundaries; patterns are those of the package ``regex``, which reads all
    of Python's, case and all. Only units that contain a match are given. Where a limit ends the look before all pages
    have been looked through, a note says so: what is not among the hits may still be there.
    """
    started = time.perf_counter()
    find = _pattern(text) if options.mode == "regex" else _phrase(text)
    terms = () if options.mode == "regex" else tuple(question_terms(text))
    found = yield from _documents(terms, scope)
    look = _Search(found, find, options.mode == "phrase", [{} for _ in found.documents])
    deadline = started + MOST_SECONDS
    for number, document in enumerate(found.documents):
        pages = _candidate_pages(document, terms)
        if not (yield from _look_through(look, number, pages, scope, deadline)):
            break
    _note_given_up(look)
    ranked = _rank(look, options)
    steps = (
        Step("shortlist", f"{len(found.infos)} documents"),
        Step(options.mode, f"{look.pages_seen} pages looked through, {len(ranked)} units contain it"),
    )
    hits = yield from _read_hits(look, ranked[: options.k], scope, options)
    trace = Trace("lexical", steps, elapsed_ms(started), len(found.infos), len(ranked))
    return SearchResult(text, hits, trace, tuple(found.notes))


def _pattern(text: str) -> Finder:
    if len(text) > MOST_PATTERN_CHARACTERS:
        raise QuestionError(
            f"The pattern has {len(text):,} characters.", f"At most {MOST_PATTERN_CHARACTERS} are run.", "Shorten it."
        )
    import regex  # 20 ms that only patterns need; unlike ``re`` it stops in time, and lets other threads run meanwhile

    try:
        pattern = regex.compile(text)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise QuestionError(
            f"{text!r} is no regular expression.",
            f"{str(error).capitalize()}.",
            "Correct it, or search for it as a phrase.",
        ) from error
    return lambda page: (match.span() for match in pattern.finditer(page, timeout=MOST_PAGE_SECONDS))


def _phrase(text: str) -> Finder:
    folded = " ".join(_fold(text).split())
    start = r"(?<!\w)" if folded[0].isascii() and folded[0].isalnum() else ""
    end = r"(?!\w)" if folded[-1].isascii() and folded[-1].isalnum() else ""
    pattern = re.compile(start + re.escape(folded) + end)
    return lambda page: (match.span() for match in pattern.finditer(page))


def _documents(terms: Sequence[str], scope: Scope) -> Generator[Requests, Sequence[Any], Found]:
    if terms:
        (infos,) = yield (LibraryRead("shortlist", (list(terms), scope), {"limit": MOST_DOCUMENTS}),)
    else:
        (listed,) = yield (LibraryRead("list", (scope,), {"limit": MOST_DOCUMENTS}),)
        infos = [info for info in listed if info.status == "ready"]
    found = yield from open_documents(infos, scope)
    if len(infos) == MOST_DOCUMENTS:
        found.notes.append(
            Note("search_cut", f"Only {MOST_DOCUMENTS} documents were looked through; narrow the scope for the others.")
        )
    return found


def _candidate_pages(document: OpenDocument, terms: Sequence[str]) -> list[int]:
    """Pages where the phrase's terms stand in a row; all pages for patterns and for phrases of punctuation."""
    if not terms:
        return list(document.index.page_numbers)
    pages = {document.page_of[position] for position in run_positions(document.index.text, tuple(terms))}
    return [document.index.page_numbers[page] for page in sorted(pages)]


def _look_through(
    look: _Search, number: int, wanted: Sequence[int], scope: Scope, deadline: float
) -> Generator[Requests, Sequence[Any], bool]:
    """Look for the pattern on pages of one document; False when a limit stops the search."""
    document, info = look.found.documents[number], look.found.infos[number]
    index = document.index
    first_lines = dict(zip(index.page_numbers, index.page_first_lines, strict=False))
    for start in range(0, len(wanted), PAGES_AT_ONCE):
        (pages,) = yield (LibraryRead("pages", (info.doc_id, wanted[start : start + PAGES_AT_ONCE], scope)),)
        for page in pages or ():
            if look.pages_seen >= MOST_PAGES or time.perf_counter() > deadline:
                look.found.notes.append(_cut_note(look, info.name, page.page_number))
                return False
            look.pages_seen += 1
            lines = look.lines[number]
            try:
                for line, offset in _matching_lines(page, look):
                    lines.setdefault(first_lines[page.page_number] + line, []).append(offset)
                    if time.perf_counter() > deadline:
                        look.found.notes.append(_cut_note(look, info.name, page.page_number))
                        return False
            except TimeoutError:
                look.given_up.append((info.name, page.page_number))
    return True


def _cut_note(look: _Search, name: str, page_number: int) -> Note:
    return Note(
        "search_cut",
        f"The search stopped after {look.pages_seen:,} pages, in {name}; the limits are {MOST_PAGES:,} pages and "
        f"{MOST_SECONDS:g} seconds. What was not looked through may hold more. Narrow the scope.",
        page_number,
    )


def _note_given_up(look: _Search) -> None:
    """Say on which pages the pattern took too long."""
    if look.given_up:
        name, page_number = look.given_up[0]
        look.found.notes.append(
            Note(
                "search_cut",
                f"The pattern was given up on {len(look.given_up):,} of {look.pages_seen:,} pages, first on page "
                f"{page_number} of {name}, after {MOST_PAGE_SECONDS:g} seconds each: they may hold more than was "
                "found. Write it with fewer repeats.",
                page_number,
            )
        )


def _matching_lines(page: Page, look: _Search) -> Iterable[tuple[int, int]]:
    """Give the index of the line where each match starts, and its offset there as the line is matched."""
    starts: list[int] = []
    parts: list[str] = []
    indexes: list[int] = []
    length = 0
    for line_index, line in enumerate(page.lines):
        text = _as_matched(line.text, look)
        if text:
            starts.append(length)
            indexes.append(line_index)
            parts.append(text)
            length += len(text) + 1
    for start, end in look.find(" ".join(parts)):
        if end > start:  # a match of nothing is no find
            at = bisect_right(starts, start) - 1
            yield indexes[at], start - starts[at]


def _rank(look: _Search, options: SearchOptions) -> list[RankedUnit]:
    """Units by number of matches; the score, n / (n + 1), says that a second match convinces less than the first.

    Printed contents and the like, which repeat titles, come after the text they point at.
    """
    found_by: FoundBy = "phrase" if options.mode == "phrase" else "regex"
    ranked: list[RankedUnit] = []
    for number, document in enumerate(look.found.documents):
        lines = sorted(look.lines[number])
        pieces = document.index.pieces
        at = 0
        for first, stop in document.units(options.unit):
            end = pieces[stop].first_line if stop < len(pieces) else document.index.page_first_lines[-1]
            pages: dict[int, int] = {}
            while at < len(lines) and lines[at] < end:
                page = bisect_right(document.index.page_first_lines, lines[at]) - 1
                pages[page] = pages.get(page, 0) + len(look.lines[number][lines[at]])
                at += 1
            if pages:
                count = sum(pages.values())
                order = {piece.page: 0 for piece in pieces[first:stop]} | pages
                best_first = tuple(sorted(order, key=lambda page: (-order[page], page)))
                share = LISTING_SHARE if document.listings.issuperset(range(first, stop)) else 1.0
                score = share * count / (count + 1)
                ranked.append(RankedUnit(number, first, stop - 1, score, found_by, best_first))
    ranked.sort(key=lambda unit: (-unit.score, unit.document, unit.first_piece))
    return ranked


def _read_hits(
    look: _Search, chosen: Sequence[RankedUnit], scope: Scope, options: SearchOptions
) -> Generator[Requests, Sequence[Any], tuple[Hit, ...]]:
    yield from read_pages_of(look.found, chosen, scope)
    return tuple(
        build_hit(
            look.found.infos[unit.document],
            look.found.documents[unit.document],
            unit,
            look.found.pages[unit.document],
            options.unit,
            {line: float(len(offsets)) for line, offsets in look.lines[unit.document].items()},
            options.max_tokens,
            partial(_mark_line, look, unit.document),
        )
        for unit in chosen
        if is_read(look.found, unit)
    )


def _mark_line(look: _Search, number: int, line: int, text: str) -> list[Mark]:
    """Give where in a line the matches start; folding may have moved them by a few characters."""
    scale = len(text) / max(1, len(_as_matched(text, look)))
    return [Mark(int(offset * scale), 0, 1.0) for offset in look.lines[number].get(line, ())]


def _as_matched(text: str, look: _Search) -> str:
    return " ".join((_fold(text) if look.folds_case else text).split())


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
