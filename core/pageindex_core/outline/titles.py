"""Finds a title among the printed lines: is it there, where exactly, over how many lines."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import parse_number

MAX_TITLE_LINES = 4
"""Longest printed heading, in lines."""

MIN_DISTINCTIVE = 6
"""Folded characters from which a title can be looked for in the whole document."""


class Place(NamedTuple):
    """Where a title is printed."""

    page_index: int
    line_index: int
    line_count: int
    quality: float
    """1 for the whole title on lines of its own, less where text runs on or the number differs."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A title, folded for comparing."""

    full: str
    bare: str
    """Without its number; empty where it has none."""
    value: tuple[int, ...]
    """Of its number; empty where it has none."""
    weight: int
    """Length of ``full``, wide characters counted double."""


@lru_cache
def _wanted(title: str) -> _Wanted:
    number = parse_number(title)
    bare = fold(number.title) if number is not None else ""
    full = fold(title)
    wide = 0 if full.isascii() else sum(ord(char) > 0x2E80 for char in full)
    least = 2 if bare and not bare.isascii() else 3
    value = number.value if number is not None else ()
    return _Wanted(full, bare if len(bare) >= least else "", value, len(full) + wide)


def find_on_page(layout: Layout, title: str, page_index: int, y: float | None = None) -> Place | None:
    """Give the best place of a title on one page; None when it is not printed there.

    Args:
        layout: The measured document.
        title: As the contents page or bookmark writes it, with or without its number.
        page_index: 0-based.
        y: Expected height; decides between equally good places.
    """
    wanted = _wanted(title)
    if not 0 <= page_index < len(layout.pages) or not wanted.full:
        return None
    best: tuple[float, Place] | None = None
    lines = layout.pages[page_index].lines
    for line_index in layout.lookup(page_index).lines_like(wanted.full, wanted.bare):
        place = _match(layout, page_index, line_index, wanted)
        if place is None:
            continue
        merit = place.quality
        line = lines[line_index]
        if (page_index, line_index) in layout.furniture:
            merit -= 0.5
        if y is not None and line.box is not None:
            merit -= min(abs(line.box.y0 - y) / 1000.0, 0.2)
        if line.font_size > layout.body_size * 1.05 or line.bold:
            merit += 0.15
        if best is None or merit > best[0]:
            best = (merit, place)
    return best[1] if best else None


def find_near(
    layout: Layout,
    title: str,
    page_index: int,
    reach: int,
    y: float | None = None,
    skip: Container[int] = (),
) -> Place | None:
    """Give the best place of a title on a page or, failing that, on the nearest page within reach, none in ``skip``."""
    for distance in range(reach + 1):
        for candidate in dict.fromkeys((page_index + distance, page_index - distance)):
            if candidate in skip:
                continue
            place = find_on_page(layout, title, candidate, y if distance == 0 else None)
            if place is not None:
                return place
    return None


def find_only(layout: Layout, title: str, skip: Container[int] = ()) -> Place | None:
    """Give the place of a distinctive title that stands on one page alone, wherever that is; none in ``skip``."""
    key = fold(title)
    if len(key) < MIN_DISTINCTIVE:
        return None
    places = [place for place in layout.places_of(key) if place[0] not in skip]
    if len({page_index for page_index, _ in places}) != 1:
        return None
    return Place(*places[0], 1, 0.9)


def find_whole(layout: Layout, title: str, skip: Container[int] = ()) -> Place | None:
    """Give the place of a title that stands whole, wrapped or not, on one page alone; none in ``skip``."""
    key = fold(title)
    if len(key) < MIN_DISTINCTIVE:
        return None
    opened = {page_index for end in range(2, len(key) + 1) for page_index, _ in layout.places_of(key[:end])}
    found = [find_on_page(layout, title, page_index) for page_index in sorted(opened) if page_index not in skip]
    places = [place for place in found if place is not None and place.quality == 1.0]
    return places[0] if len(places) == 1 else None


def out_of_order(pages: Sequence[int | None], index: int) -> bool:
    """Whether a target lies before the one above it or behind the one below it, so that one of them is wrong."""
    page = pages[index]
    before = pages[index - 1] if index else None
    after = pages[index + 1] if index + 1 < len(pages) else None
    if page is None:
        return True
    return (before is not None and page < before) or (after is not None and page > after)


def _match(layout: Layout, page_index: int, line_index: int, wanted: _Wanted) -> Place | None:
    keys = layout.keys[page_index]
    key = keys[line_index]
    full, bare = wanted.full, wanted.bare
    if key == full:
        return Place(page_index, line_index, 1, 1.0)
    if full.startswith(key) and len(key) >= min(2, len(full)):
        count = _wrapped(keys, line_index, key, full)
        if count:
            return Place(page_index, line_index, count, 1.0)
    if bare:
        if key == bare:
            previous = line_index - 1
            opens = previous >= 0 and keys[previous] and full == keys[previous] + key
            return Place(page_index, previous, 2, 1.0) if opens else Place(page_index, line_index, 1, 0.9)
        if len(key) >= 4 and bare.startswith(key):
            count = _wrapped(keys, line_index, key, bare)
            if count:
                return Place(page_index, line_index, count, 0.9)
        if key.endswith(bare) and len(key) - len(bare) <= 8:
            if _is_numbered_alike(layout.pages[page_index].lines[line_index].text, wanted):
                return Place(page_index, line_index, 1, 0.95)
            if len(bare) >= 6:
                return Place(page_index, line_index, 1, 0.85)
    else:
        count = _numbered(layout, page_index, line_index, full)
        if count:
            return Place(page_index, line_index, count, 0.95)
    if wanted.weight >= 6 and key.startswith(full):
        return Place(page_index, line_index, 1, 0.7 if len(key) > len(full) + 6 else 0.9)
    if len(full) >= 24 and len(key) >= 20 and (full.startswith(key) or key.startswith(full[:40])):
        return Place(page_index, line_index, 1, 0.6)
    return None


def _is_numbered_alike(text: str, wanted: _Wanted) -> bool:
    """Whether a line is the title behind another form of its number: "第3章 勘定科目" for "3. 勘定科目"."""
    number = parse_number(text)
    return number is not None and number.value == wanted.value and fold(number.title) == wanted.bare


def _numbered(layout: Layout, page_index: int, line_index: int, full: str) -> int:
    """How many lines from here spell a number and then the title, which was given without; 0 when they do not."""
    keys = layout.keys[page_index]
    if full[:3] not in keys[line_index]:
        return 0
    number = parse_number(layout.pages[page_index].lines[line_index].text)
    start = fold(number.title) if number is not None else ""
    if not start or not full.startswith(start):
        return 0
    return 1 if start == full else _wrapped(keys, line_index, start, full)


def _wrapped(keys: list[str], line_index: int, start: str, wanted: str) -> int:
    """How many lines from here spell the title, of which the first gives ``start``; 0 when they do not.

    A date or another number of its own may stand between the parts of a title.
    """
    joined = start
    for count in range(1, MAX_TITLE_LINES + 1):
        if joined == wanted:
            return count
        if not wanted.startswith(joined) or line_index + count >= len(keys):
            return 0
        following = keys[line_index + count]
        if not following.isdigit() or wanted.startswith(joined + following):
            joined += following
    return 0
