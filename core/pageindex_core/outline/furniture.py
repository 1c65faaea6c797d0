"""Running heads, feet and page numbers: lines at the edges of pages that come back, or count the pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence

from pageindex_core.outline.numbering import WORDED_KINDS, parse_number
from pageindex_core.records import Page

_MARGIN_SHARE = 0.13
"""Running heads and feet stand within this share of the page height from its edges. Source: the widest header zone
seen in filings, papers, manuals and statutes was 0.11."""

_EDGE_LINES = 4
"""How many of the outermost lines of a page may be furniture on each side."""

_MIN_REPEATS = 3
"""A line has to come back on three pages before it counts as furniture: two may be chance."""

_COUNTING_SHARE = 0.1
"""Share of the pages whose outermost lines have to count for the count not to be chance."""

_LARGE_SHARE = 0.3
"""Share of the pages at whose foot a counting line that is larger than the text has to come. At the top of a page such
lines are titles."""

_NUMBER_IN_FRONT = re.compile(r"(\d{1,4})\s+[^\W\d]")
_NUMBER_AT_END = re.compile(r"[^\W\d]\W*\s(\d{1,4})$")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|第)?\s*[-–—|(\[]?\s*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,3}-\d{1,3})\s*[-–—|)\]]?"
    r"(?:\s*(?:of|/|von)\s*\d{1,4})?\s*(?:页|頁|쪽)?",
    re.IGNORECASE,
)


def find_furniture(pages: Sequence[Page], keys: list[list[str]], body_size: float) -> frozenset[tuple[int, int]]:
    """Give (page_index, line_index) of the lines at the edges of pages that come back.

    They say the same, are the number of the page, or say different things in the same place and style.
    """
    same: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    bands: dict[tuple[int, float, bool], list[tuple[int, int]]] = defaultdict(list)
    numbers: list[tuple[int, int]] = []
    for page_index, page in enumerate(pages):
        if page.height_pt is None:
            _collect_outer_lines(page, page_index, keys[page_index], same, numbers)
            continue
        edge = page.height_pt * _MARGIN_SHARE
        foot_edge = page.height_pt - edge
        boxes = [(box, index) for index, line in enumerate(page.lines) if (box := line.box)]
        top = sorted([(box[1], index) for box, index in boxes if box[1] < edge])
        foot = sorted([(-box[3], index) for box, index in boxes if box[3] > foot_edge])
        for rank, (y, line_index) in [*enumerate(top[:_EDGE_LINES]), *enumerate(foot[:_EDGE_LINES])]:
            line = page.lines[line_index]
            place = (page_index, line_index)
            if _PAGE_NUMBER.fullmatch(line.text):
                numbers.append(place)
                continue
            key = keys[page_index][line_index]
            small = line.font_size <= body_size * 1.1
            same[(key if key.isalpha() else _DIGITS.sub("#", key), round(y / 6))].append(place)
            if rank == 0 and small:
                bands[(round(y / 2), round(line.font_size * 2) / 2, line.bold)].append(place)
    found: set[tuple[int, int]] = set(numbers) if len(numbers) >= _MIN_REPEATS else set()
    found.update(_counting_pages(pages, keys, body_size))
    found.update(_counting_unplaced(pages, keys))
    for places in same.values():
        if len({page_index for page_index, _ in places}) >= _MIN_REPEATS and not _count_up(pages, places):
            found.update(places)
    for places in bands.values():
        # One line at the same height in the same style on most pages is a running head even if its words change.
        if len(places) >= max(_MIN_REPEATS, 0.5 * len(pages)) and not _count_up(pages, places):
            found.update(_unnumbered(pages, places))
    return frozenset(place for place in found if _reaches_edge(pages, keys, found, place))


def _reaches_edge(
    pages: Sequence[Page], keys: list[list[str]], found: Container[tuple[int, int]], place: tuple[int, int]
) -> bool:
    """Whether, on a page without positions, nothing but furniture stands between a line and the edge of its page.

    Under headings that open their pages the text may begin alike: "Refer to Note 5 of the annual report".
    """
    page_index, line_index = place
    if pages[page_index].height_pt is not None:
        return True
    written = [index for index, key in enumerate(keys[page_index]) if key]
    at = written.index(line_index) if line_index in written else 0
    return any(all((page_index, index) in found for index in outer) for outer in (written[:at], written[at + 1 :]))


def _unnumbered(pages: Sequence[Page], places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines but those with a "Note 3" or "Item 7" that stands on one page alone: headings that open their page."""
    numbers = [parse_number(pages[page_index].lines[line_index].text) for page_index, line_index in places]
    marks = [(number.kind, number.value) if number and number.kind != "decimal" else None for number in numbers]
    counts = Counter(marks)
    return (place for place, mark in zip(places, marks, strict=True) if mark is None or counts[mark] > 1)


def _counting_pages(pages: Sequence[Page], keys: list[list[str]], body_size: float) -> set[tuple[int, int]]:
    """Outermost lines, at any height, that say the same and count the pages: heads and feet that follow the text."""
    same: dict[tuple[str, bool], list[tuple[int, int, int]]] = defaultdict(list)
    for page_index, page in enumerate(pages):
        placed = [(box[3], index) for index, line in enumerate(page.lines) if (box := line.box) is not None]
        foot = max(placed, default=None)
        for place in {min(placed), foot} if foot is not None else ():
            _, line_index = place
            key = keys[page_index][line_index]
            small = page.lines[line_index].font_size <= body_size * 1.1
            if (small or place == foot) and (key[-1:].isdecimal() or key[:1].isdecimal()):
                number = _DIGITS.findall(key)[-1 if key[-1].isdecimal() else 0]
                same[_DIGITS.sub("#", key), small].append((int(number[:9]) - page_index, page_index, line_index))
    found: set[tuple[int, int]] = set()
    for (_, small), places in same.items():
        shift, count = Counter(place[0] for place in places).most_common(1)[0]
        least = _MIN_REPEATS if small else max(_MIN_REPEATS, _LARGE_SHARE * len(pages))
        if count >= least and count > 0.5 * len(places):
            found.update((page_index, line_index) for other, page_index, line_index in places if other == shift)
    return found


def _counting_unplaced(pages: Sequence[Page], keys: list[list[str]]) -> set[tuple[int, int]]:
    """Outermost lines of pages without positions that open or end with the number of their page, whatever they say.

    Books print the section on each page, with the number on the outer side: numbers in front that count page after page
    are those of short chapters.
    """
    ends: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for page_index, page in enumerate(pages):
        if page.height_pt is not None:
            continue
        written = [index for index, key in enumerate(keys[page_index]) if key]
        if not written:
            continue
        for place in (0, -1):
            text = page.lines[written[place]].text.strip()
            number = parse_number(text)
            if number is not None and number.kind in WORDED_KINDS and not number.title:
                continue  # "Chapter 3" on the third page
            for side, match in enumerate((_NUMBER_IN_FRONT.match(text), _NUMBER_AT_END.search(text))):
                if match is not None:
                    ends[2 * place + side, int(match[1]) - page_index][page_index] = written[place]
    found: set[tuple[int, int]] = set()
    for (mark, _), lines in ends.items():
        in_front = mark % 2 == 0
        if len(lines) >= max(_MIN_REPEATS, _COUNTING_SHARE * len(pages)) and not (
            in_front and any(page_index + 1 in lines for page_index in lines)
        ):
            found.update(lines.items())
    return found


def _count_up(pages: Sequence[Page], places: Sequence[tuple[int, int]]) -> bool:
    """Whether lines carry section numbers that are all different: headings that each open a page.

    Numbers that grow as the pages do are page numbers, "Chapter 1" on every page of it is a running head.
    """
    numbers = [
        (page_index, parse_number(pages[page_index].lines[line_index].text)) for page_index, line_index in places
    ]
    values = {(number.kind, number.value) for _, number in numbers if number is not None}
    if len(values) <= 0.6 * len(places):
        return False
    shifts = Counter(
        number.value[0] - page_index for page_index, number in numbers if number and number.kind == "decimal"
    )
    return not shifts or shifts.most_common(1)[0][1] <= 0.5 * len(places)


def _collect_outer_lines(
    page: Page,
    page_index: int,
    keys: list[str],
    same: dict[tuple[str, int], list[tuple[int, int]]],
    numbers: list[tuple[int, int]],
) -> None:
    """Offer the first and last written lines of a page without positions as furniture."""
    written = [index for index, key in enumerate(keys) if key]
    for place, outer in ((0, written[:2]), (1, written[-2:])):
        for line_index in outer:
            if _PAGE_NUMBER.fullmatch(page.lines[line_index].text.strip()):
                numbers.append((page_index, line_index))
            else:
                same[(_DIGITS.sub("#", keys[line_index]), place)].append((page_index, line_index))
