"""A tree and its pages to pieces: the smallest parts that search weighs, and the units they add up to.

Every line belongs to one section: the one whose text it stands in. A section's text is cut into windows, windows
into pieces at page breaks. Pieces stand in document order, so every kind of unit is a run of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pageindex_core.records import Page, PageTree, Section
from pageindex_core.search.places import is_bare_label
from pageindex_core.tokens import count_tokens

LONG_SECTION_TOKENS = 1_500
"""A section longer than this is returned as windows. Source: the definition of a unit in this project."""

WINDOW_TOKENS = 500
"""Size that windows are cut to: half a dense page to a whole one, so that a window rarely mixes subjects and eight fit
into an answer of 4,000 tokens. Source: 350 to 700 find the same pages within 4,000 tokens on 187 questions, give or
take 1 percent; 800 and pages as windows find fewer."""

SMALL_TAIL_TOKENS = 150
"""What is left of a section on a page joins the window before it when it is smaller than this: a few lines carried
over a page break say nothing alone."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring lines of one window on one page."""

    section: int
    """Index of the section in pre-order."""
    window: int
    """Number of the window within its section, from 0."""
    page: int
    """Index of the page among the document's pages."""
    first_line: int
    """Index of the first line, counted through the whole document."""
    tokens: int


def cut_pieces(tree: PageTree, pages: Sequence[Page]) -> list[Piece]:
    """Cut a document into pieces, in order; together they hold every line exactly once."""
    lines = [line.text for page in pages for line in page.lines]
    page_of_line = [index for index, page in enumerate(pages) for _ in page.lines]
    sections = list(tree.walk())
    tokens = [count_tokens(line) + 1 if line else 0 for line in lines]
    pieces: list[Piece] = []
    spans = _section_spans(sections, pages, lines, page_of_line)
    for section, start, stop in spans:
        for window, (first, last) in enumerate(_windows(start, stop, tokens, page_of_line)):
            at = first
            while at < last:
                end = at + 1
                while end < last and page_of_line[end] == page_of_line[at]:
                    end += 1
                pieces.append(Piece(section, window, page_of_line[at], at, sum(tokens[at:end])))
                at = end
    return pieces


def _section_spans(
    sections: Sequence[Section], pages: Sequence[Page], lines: Sequence[str], page_of_line: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Give (section, first line, line after the last) of each section that has text of its own."""
    first_line_of_page: dict[int, int] = {}
    total = 0
    for page in pages:
        first_line_of_page[page.page_number] = total
        total += len(page.lines)
    page_sizes = {page.page_number: len(page.lines) for page in pages}
    starts = []
    latest = 0
    for section in sections:
        start = first_line_of_page.get(section.start_page, total)
        start += min(section.start_line, page_sizes.get(section.start_page, 0))
        latest = max(latest, start)
        starts.append(latest)
    spans: list[tuple[int, int, int]] = []
    carried: int | None = 0  # lines before the first heading, and headings with no text, go to the next section
    for index, (section, start) in enumerate(zip(sections, starts, strict=True)):
        stop = starts[index + 1] if index + 1 < len(starts) else total
        start = start if carried is None else carried
        carried = None
        if stop <= start:
            continue
        bare = _is_bare_heading(section.title, lines[start:stop])
        if bare and stop < total and not _stands_alone(start, stop, page_of_line):
            carried = start
        else:
            spans.append((index, start, stop))
    if not sections and total:
        spans.append((0, 0, total))
    return spans


def _is_bare_heading(title: str, lines: Sequence[str]) -> bool:
    """Whether lines are a heading and nothing else: its title, or a part of it, after no more than a label."""
    if len(lines) > 6:  # no heading is that tall
        return False
    own, printed = _squash(title), _squash("".join(lines))
    if printed in own:
        return True
    return printed.endswith(own) and not printed.startswith(own) and is_bare_label(printed[: len(printed) - len(own)])


def _stands_alone(start: int, stop: int, page_of_line: Sequence[int]) -> bool:
    before = start > 0 and page_of_line[start - 1] == page_of_line[start]
    after = page_of_line[stop] == page_of_line[stop - 1]
    return not before and not after


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def _windows(start: int, stop: int, tokens: Sequence[int], page_of_line: Sequence[int]) -> list[tuple[int, int]]:
    """Cut a section's lines into windows near WINDOW_TOKENS, at page breaks where it can be."""
    windows: list[tuple[int, int]] = []
    at = start
    while at < stop:
        end = at
        while end < stop and page_of_line[end] == page_of_line[at]:
            end += 1
        size = sum(tokens[at:end])
        if windows and size < SMALL_TAIL_TOKENS and end == stop:
            windows[-1] = (windows[-1][0], end)
        else:
            windows += _even_parts(at, end, tokens, max(1, round(size / WINDOW_TOKENS)))
        at = end
    return windows


def _even_parts(start: int, stop: int, tokens: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Cut lines into at most ``count`` parts of about the same size."""
    total = sum(tokens[start:stop])
    parts: list[tuple[int, int]] = []
    at, reached = start, 0
    for line in range(start, stop):
        reached += tokens[line]
        if line + 1 < stop and len(parts) + 1 < count and reached * count >= total * (len(parts) + 1):
            parts.append((at, line + 1))
            at = line + 1
    return [*parts, (at, stop)]
