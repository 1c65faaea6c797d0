"""Ranked units to hits: their text, the lines that answer best, and where those stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from pageindex_core.records import DocumentInfo, Hit, Line, Page, PageBox, Unit, join_lines
from pageindex_core.search.focus import Mark, Marks, cut_line
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.score import Matched
from pageindex_core.search.terms import term_offsets
from pageindex_core.tokens import count_tokens

MOST_QUOTES = 3
"""Lines quoted a hit: enough for a table row with its heading, few enough to be read at a glance."""

QUOTE_SHARE = 0.5
"""A line is quoted when it is at least half as good as the best."""

_FIGURE_BONUS = 1.25
"""A line with a digit besides the words asked for is likelier the answer than the heading above it."""


_WORDLESS_SHARE = 0.4
"""A line of figures alone says nothing without its heading: a page number most of all."""


@dataclass(frozen=True, slots=True)
class _PlacedLine:
    line: Line
    page: Page
    line_index: int


def build_hit(
    info: DocumentInfo,
    document: OpenDocument,
    ranked: RankedUnit,
    pages: Mapping[int, Page],
    unit: Unit,
    line_scores: Mapping[int, float],
    max_tokens: int | None,
    marks: Marks | None = None,
) -> Hit:
    """Put a hit together.

    Args:
        info: The document's entry.
        document: Its search index.
        ranked: The unit.
        pages: By number, at least those of the unit.
        unit: The kind of unit that was asked for.
        line_scores: Score of each line with evidence, by line counted through the document.
        max_tokens: Cut the text to this around its best lines; None gives it whole.
        marks: Tells where in a line what was asked for stands; None where nothing was.
    """
    index = document.index
    first = index.pieces[ranked.first_piece].first_line
    last_piece = ranked.last_piece
    stop = index.pieces[last_piece + 1].first_line if last_piece + 1 < len(index.pieces) else index.page_first_lines[-1]
    best = sorted((line for line in line_scores if first <= line < stop), key=lambda line: (-line_scores[line], line))
    text = None
    if max_tokens is not None:
        first, stop, text = _cut(document, pages, first, stop, best[0] if best else first, marks, max_tokens)
        best = [line for line in best if first <= line < stop]
    placed = {line: _place(document, pages, line) for line in range(first, stop)}
    if text is None:
        text = join_lines(here.line for here in placed.values())
    quoted = [
        placed[line]
        for line in best[:MOST_QUOTES]
        if line_scores[line] >= QUOTE_SHARE * line_scores[best[0]] and placed[line].line.text.strip()
    ]
    start_page = placed[first].page.page_number
    end_page = placed[stop - 1].page.page_number
    section_number = index.pieces[ranked.first_piece].section
    section = index.sections[section_number] if index.sections else None
    boxes = tuple(PageBox(here.page.page_number, here.line.box) for here in quoted if here.line.box is not None)
    covered = range(start_page, end_page + 1)
    evidence = [index.page_numbers[page] for page in ranked.pages]
    labels = dict(zip(index.page_numbers, index.page_labels, strict=True))
    return Hit(
        doc_id=info.doc_id,
        source_id=info.source_id,
        doc_name=info.name,
        unit_id="-".join((info.doc_id, section.section_key if section else "0", _part(document, ranked, unit))),
        node_id=section.node_id if section else "",
        section_key=section.section_key if section else "",
        section_path=document.section_path(section_number) if section else (),
        page_start=start_page,
        page_end=end_page,
        page_labels=tuple(labels.get(number) for number in covered),
        text=text,
        tokens=count_tokens(text),
        score=ranked.score,
        found_by=ranked.found_by,
        quotes=tuple(here.line.text for here in quoted),
        boxes=boxes,
        evidence_pages=tuple(page for page in evidence if page in covered) or (start_page,),
        line_range=_line_range(placed[first], placed[stop - 1]),
        metadata=info.metadata,
        page_count=info.page_count,
    )


def unit_page_numbers(document: OpenDocument, ranked: RankedUnit) -> list[int]:
    """Give the numbers of the pages that a unit's text stands on."""
    pages = {piece.page for piece in document.index.pieces[ranked.first_piece : ranked.last_piece + 1]}
    return [document.index.page_numbers[page] for page in sorted(pages)]


def score_lines(
    document: OpenDocument, match: Matched, ranked: RankedUnit, pages: Mapping[int, Page]
) -> dict[int, float]:
    """Give the lines of a unit that hold anything asked for, with the weight of what they hold."""
    starts = document.index.text.starts
    low = document.piece_starts[ranked.first_piece]
    high = document.piece_starts[ranked.last_piece + 1]
    scores: dict[int, float] = {}
    for weight, positions in match.places:
        here = positions[bisect_left(positions, low) : bisect_left(positions, high)]
        for line in {bisect_right(starts, position) - 1 for position in here}:
            scores[line] = scores.get(line, 0.0) + weight
    for line in scores:
        text = _place(document, pages, line).line.text
        if not any(map(str.isalpha, text)):
            scores[line] *= _WORDLESS_SHARE
        elif any(map(str.isdigit, text)):
            scores[line] *= _FIGURE_BONUS
    return scores


def mark_line(document: OpenDocument, match: Matched, line: int, text: str) -> list[Mark]:
    """Give where in a line the clauses of a question stand."""
    start, stop = document.index.text.starts[line : line + 2]
    offsets = term_offsets(text)
    return [
        Mark(offsets[min(position - start, len(offsets) - 1)], clause, weight)
        for clause, (weight, positions) in enumerate(match.places)
        for position in positions[bisect_left(positions, start) : bisect_left(positions, stop)]
        if offsets
    ]


def _place(document: OpenDocument, pages: Mapping[int, Page], line: int) -> _PlacedLine:
    first_lines = document.index.page_first_lines
    page_index = bisect_right(first_lines, line) - 1
    page = pages[document.index.page_numbers[page_index]]
    line_index = line - first_lines[page_index]
    return _PlacedLine(page.lines[line_index], page, line_index)


def _part(document: OpenDocument, ranked: RankedUnit, unit: Unit) -> str:
    """Name the unit within its section: "0", "1", … for windows, and the whole of a section that has but one.

    The same text has the same name however it was asked for, and another text never has it.
    """
    pieces = document.index.pieces
    first, last = pieces[ranked.first_piece], pieces[ranked.last_piece]
    if unit == "page":
        return f"p{document.index.page_numbers[first.page]}"
    own = document.pieces_of_section[first.section]
    windows = pieces[own[-1]].window + 1
    if windows == 1:
        return "0"
    whole = first.window != last.window or unit == "section"
    if document.is_long(first.section):
        return "all" if whole else str(first.window)
    return "0" if whole else f"w{first.window}"


def _line_range(first: _PlacedLine, last: _PlacedLine) -> tuple[int, int] | None:
    start, end = first.page.line_number(first.line_index), last.page.line_number(last.line_index)
    return None if start is None or end is None else (start, end)


def _cut(
    document: OpenDocument,
    pages: Mapping[int, Page],
    first: int,
    stop: int,
    best: int,
    marks: Marks | None,
    max_tokens: int,
) -> tuple[int, int, str]:
    """Grow from the best line outwards, downwards first, as long as the text fits; of a longer line give a part."""
    lines = {line: _place(document, pages, line).line for line in range(first, stop)}
    low, high = best, best + 1
    text = lines[best].text
    if count_tokens(text) > max_tokens:
        return low, high, cut_line(text, marks(best, text) if marks else (), max_tokens)
    grew = True
    while grew:
        grew = False
        for line in (high, low - 1):
            if not first <= line < stop:
                continue
            end = "" if lines[max(line, low)].continues else "\n"
            longer = f"{text}{end}{lines[line].text}" if line == high else f"{lines[line].text}{end}{text}"
            if count_tokens(longer) <= max_tokens:
                text, grew = longer, True
                low, high = (low, high + 1) if line == high else (low - 1, high)
    return low, high, text
