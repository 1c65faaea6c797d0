"""Which further headings complete a frame, and which of them only look like headings beside it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pageindex_core.outline.blocks import LARGER
from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.layout import FULL_WIDTH, Layout, fold
from pageindex_core.outline.levels import FrameLevels, level_by_style, level_within, prominence, style_key

BOOKMARKED_LEAF_PAGES = 6
"""An author's own outline is completed only where more pages than this lie between two of its entries: from about
there on a reader saves by one more step. Source: at 5 pages 0.968 of the headings agreed with 28 real outlines, at 6
0.976, with the same recall (2026-11-30)."""

PRINTED_LEAF_PAGES = 2
"""Printed contents stop at the level that fits their page; sections longer than this are completed by what layout
shows. Source: of 0, 1, 2, 3 and 5 pages this gave the best precision without losing recall (0.72 to 0.75 at 0.93; 28
real outlines, 2026-11-30)."""

GUESSED_LEAF_PAGES = 6
"""Titles that nothing but their place tells from text complete printed contents only where sections are longer than
this. Source: of 2, 4, 6 and 8 pages, 6 gave an F1 of 0.77 instead of 0.74 and a best F1 over depths of 0.806 instead of
0.795, and a reader's way to an answer was as long with each (28 outlines, 57 documents with questions, 2026-12-01)."""

_TOP_SHARE = 0.2
"""Share of a page's height from the top in which a heading that goes on from the page before comes back."""

_LEAST_ITEMS = 2
"""Items from which a document is taken for a form that is divided into them."""

_MOST_TITLE_PAGES = 10
_PARAGRAPH_LINES = 3
"""Pages that may come before all text, and how many full lines follow each other in a paragraph."""

_ABSTRACT = re.compile(r"abstract|zusammenfassung|résumé|resumen|resumo|摘要|초록|요약|要旨|概要")


def complete(
    layout: Layout, frame: list[Candidate], others: Iterable[Candidate], detected: list[Candidate]
) -> list[Candidate]:
    """Give the frame with what completes it, every heading on its level, in reading order.

    Args:
        layout: The measured document.
        frame: Headings that state their levels; empty where no signal does.
        others: Headings that weaker tables of contents name.
        detected: Headings that layout shows.
    """
    extra = _beside(
        layout,
        frame,
        [
            *(other._replace(level=None) for other in others if _is_set_apart(layout, other)),
            *_without_repeats(layout, detected),
        ],
    )
    if not frame:
        return level_by_style(_without_cover(layout, extra))
    if frame[0].evidence == "bookmarks":
        extra = _in_long_leaves(frame, extra, len(layout.pages), BOOKMARKED_LEAF_PAGES)
        return level_within(FrameLevels({}, {}), in_order([*frame, *extra]))
    levels = FrameLevels.learn(frame, extra)
    opening = frame[0].place
    guessed = [candidate for candidate in extra if candidate.style is not None and candidate.style.size < 0]
    long = set(_in_long_leaves(frame, extra, len(layout.pages), PRINTED_LEAF_PAGES)).difference(guessed)
    long.update(_in_long_leaves(frame, guessed, len(layout.pages), GUESSED_LEAF_PAGES))
    kept = [
        candidate
        for candidate in _after_opening(frame, extra)
        if candidate in long or candidate.place < opening or levels.level_of(candidate) is not None
    ]
    return level_within(levels, in_order([*frame, *kept]))


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Reading order; entries at one place stay in their order; the same title at the same place counts once."""
    seen: set[tuple[tuple[int, int], str]] = set()
    kept = []
    for candidate in sorted(candidates, key=lambda item: item.place):
        mark = (candidate.place, fold(candidate.title))
        if mark not in seen:
            seen.add(mark)
            kept.append(candidate)
    return kept


def _beside(layout: Layout, frame: list[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that repeat neither a line nor a title of the frame, nor a line of one another."""
    taken = {place for candidate in frame for place in _lines_of(candidate)}
    listed: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in frame:
        listed[fold(candidate.title)].append(candidate)
    numbered = {_worded_number(candidate) for candidate in frame} - {None}
    at: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in frame:
        at[candidate.page_index].append(candidate)
    kept = []
    for candidate in candidates:
        lines = _lines_of(candidate)
        if _is_bare_number(candidate) and any(
            (page_index, line_index + 1) in taken for page_index, line_index in lines
        ):
            continue  # "Chapter 1" over the frame's own "Introduction"
        if _worded_number(candidate) in numbered:
            continue  # "Chapter 3" is in the frame: this is a line that speaks of it
        if _goes_on_from(layout, candidate, at.get(candidate.page_index, ())):
            continue
        namesakes = listed.get(fold(candidate.title), ())
        if all(_is_another(candidate, entry) for entry in namesakes) and not any(place in taken for place in lines):
            taken.update(lines)
            kept.append(candidate)
    return in_order(kept)


def _is_another(candidate: Candidate, entry: Candidate) -> bool:
    """Whether a heading only bears the name of a listed one: it stands on another page, and is set as one below it."""
    ours, theirs = candidate.style, entry.style
    if ours is None or theirs is None or candidate.number is not None or entry.number is not None:
        return False
    return (
        abs(candidate.page_index - entry.page_index) > 1
        and ours.size <= theirs.size
        and style_key(ours) != style_key(theirs)
        and prominence(ours) <= prominence(theirs)
    )


def _goes_on_from(layout: Layout, candidate: Candidate, frame: Iterable[Candidate]) -> bool:
    """Whether a line is the rest of a listed title: it follows it at once, beside or below it, in the same style."""
    if candidate.number is not None or candidate.style is None:
        return False
    box = layout.pages[candidate.page_index].lines[candidate.line_index].box
    if box is None:
        return False
    for title in frame:
        if title.style != candidate.style or title.line_index + title.line_count != candidate.line_index:
            continue
        last = layout.pages[title.page_index].lines[candidate.line_index - 1].box
        slack = 0.4 * candidate.style.size
        if last is not None and box.y0 < last.y1 + slack and box.y1 > last.y0 - slack:
            return True
    return False


def _is_set_apart(layout: Layout, candidate: Candidate) -> bool:
    """Whether a title that only a weaker table of contents names is set or numbered as a heading where it is printed.

    Parts of wrapped entries ("and 2020") are printed somewhere in the text too.
    """
    style = candidate.style
    if style is None or candidate.number is not None or candidate.evidence == "markup":
        return True
    return style.size > layout.body_size * 1.05 or style.caps or style.bold != layout.body_bold


def _is_bare_number(candidate: Candidate) -> bool:
    return candidate.number is not None and not candidate.number.title


def _worded_number(candidate: Candidate) -> tuple[str, tuple[int, ...]] | None:
    number = candidate.number
    worded = number is not None and number.kind in ("part", "chapter", "item", "appendix")
    if number is not None and number.is_supplement:
        return None  # each act that changed a statute has its own
    return (number.kind, number.value) if number is not None and worded else None


def _lines_of(candidate: Candidate) -> list[tuple[int, int]]:
    span = range(candidate.line_index, candidate.line_index + max(candidate.line_count, 1))
    return [(candidate.page_index, line_index) for line_index in span]


def _in_long_leaves(frame: list[Candidate], extra: list[Candidate], page_count: int, longest: int) -> list[Candidate]:
    """The candidates in leaves of the frame that cover more than ``longest`` pages."""
    starts = [candidate.place for candidate in frame]
    ends = [*(place[0] for place in starts[1:]), page_count]
    kept = []
    for candidate in extra:
        index = bisect_right(starts, candidate.place) - 1
        if index >= 0 and ends[index] - starts[index][0] > longest:
            kept.append(candidate)
    return kept


def _without_repeats(layout: Layout, detected: list[Candidate]) -> list[Candidate]:
    """Keep the most prominent of equal titles, and drop those that go on at the top of the next page.

    Chapters may open with a list of their own sections, which come back in larger letters.
    """
    largest: dict[str, float] = {}
    for candidate in detected:
        if candidate.style is not None:
            key = fold(candidate.title)
            largest[key] = max(largest.get(key, 0.0), candidate.style.size)
    listed = _in_lists(detected)
    kept: list[Candidate] = []
    last_at: dict[tuple[str, Style | None], int] = {}
    for candidate in detected:
        key = fold(candidate.title)
        mark = (key, candidate.style)
        goes_on = candidate.page_index - last_at.get(mark, -9) == 1 and _opens_page(layout, candidate)
        smaller = candidate.style is not None and candidate.style.size < largest[key]
        if smaller and (candidate.number is not None or candidate.place in listed):
            continue
        last_at[mark] = candidate.page_index
        if not goes_on:
            kept.append(candidate)
    return kept


def _opens_page(layout: Layout, candidate: Candidate) -> bool:
    """Whether nothing but running heads stands above a heading on its page."""
    above = range(candidate.line_index)
    return candidate.y is not None and (
        candidate.y < _TOP_SHARE * (layout.pages[candidate.page_index].height_pt or 0.0)
        or all((candidate.page_index, index) in layout.furniture for index in above)
    )


def _in_lists(detected: list[Candidate]) -> set[tuple[int, int]]:
    """Places of candidates that follow each other line by line, three or more: a list, not headings over text."""
    places: set[tuple[int, int]] = set()
    run: list[Candidate] = []
    for candidate in detected:
        if run and candidate.place != (run[-1].page_index, run[-1].line_index + run[-1].line_count):
            run = []
        run.append(candidate)
        if len(run) >= 3:
            places.update(member.place for member in run)
    return places


def _without_cover(layout: Layout, found: list[Candidate]) -> list[Candidate]:
    """Drop the document's own title: the largest heading of the first page, when others follow it.

    Above the abstract of a paper stand its title and its authors.
    """
    found = _without_title_pages(layout, _without_form_cover(found))
    abstract = next((at for at, key in enumerate(layout.keys[0]) if _ABSTRACT.match(key)), None)
    if abstract is not None and any(candidate.place >= (0, abstract) for candidate in found):
        found = [candidate for candidate in found if candidate.place >= (0, abstract) or _is_counted(candidate)]
    on_first = [candidate for candidate in found if candidate.page_index == 0 and candidate.style is not None]
    if len(found) < 3 or not on_first:
        return found
    largest = max(candidate.style.size for candidate in on_first if candidate.style)
    sizes = Counter(candidate.style.size for candidate in found if candidate.style and candidate.page_index > 0)
    later = max((size for size, count in sizes.items() if count > 1), default=0.0)
    title = next(candidate for candidate in on_first if candidate.style and candidate.style.size == largest)
    alone = sum(candidate.style is not None and candidate.style.size == largest for candidate in on_first) == 1
    if not alone or title.number is not None or largest <= later or largest < layout.body_size * LARGER:
        return found
    return [candidate for candidate in found if candidate.place > title.place or candidate.number is not None]


def _is_counted(candidate: Candidate) -> bool:
    """Whether a title has a number, which the initial of an author ("A. Writer") is none of."""
    return candidate.number is not None and candidate.number.kind not in ("letter", "roman")


def _without_title_pages(layout: Layout, found: list[Candidate]) -> list[Candidate]:
    """Drop what title pages hold: pages before all text whose largest line is larger than any title that has its like.

    Theses print their title in two languages and in several forms, with names and offices below it.
    """
    front = next((at for at in range(min(_MOST_TITLE_PAGES, len(layout.pages))) if _has_text(layout, at)), 0)
    sizes = Counter(one.style.size for one in found if one.style is not None and one.page_index >= front)
    later = max((size for size, count in sizes.items() if count > 1), default=None)
    if not front or later is None:
        return found
    titled = {
        one.page_index for one in found if one.page_index < front and one.style is not None and one.style.size > later
    }
    return [one for one in found if one.page_index not in titled or one.number is not None]


def _has_text(layout: Layout, page_index: int) -> bool:
    """Whether a page has a paragraph of running text."""
    full = 0
    for line in layout.pages[page_index].lines:
        is_full = line.box is not None and line.box.x1 - line.box.x0 > FULL_WIDTH * layout.column_width
        full = full + 1 if is_full and line.font_size < layout.body_size * LARGER else 0
        if full >= _PARAGRAPH_LINES:
            return True
    return False


def _without_form_cover(found: list[Candidate]) -> list[Candidate]:
    """Drop what the first page of a form holds whose items begin on a later one: names and addresses, set large."""
    items = [candidate for candidate in found if candidate.number is not None and candidate.number.kind == "item"]
    if len(items) < _LEAST_ITEMS or items[0].page_index == 0:
        return found
    return [candidate for candidate in found if candidate.page_index > 0]


def _after_opening(frame: list[Candidate], extra: list[Candidate]) -> list[Candidate]:
    """Drop what only cover and imprint pages hold: headings before the frame's first entry that look unlike it.

    Of a first page that the frame does not name nothing is kept: covers of filings are set like their sections.
    """
    first = frame[0].place
    extra = [candidate for candidate in extra if candidate.page_index > 0 or first[0] == 0]
    top = min(candidate.level or 1 for candidate in frame)
    chapters = {style_key(c.style) for c in frame if c.style is not None and c.level == top}
    return [
        candidate if candidate.place > first else candidate._replace(level=top)
        for candidate in extra
        if candidate.place > first or (candidate.style is not None and style_key(candidate.style) in chapters)
    ]
