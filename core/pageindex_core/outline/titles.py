"""Finds a title among the printed lines: is it there, where exactly, over how many lines."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import parse_number

MAX_TITLE_LINES = 4
"""Longest printed heading, in lines."""


MIN_DISTINCTIVE = 6
"""Folded characters from which a title can be looked for in the whole document."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a title is printed."""

    page_index: int
    line_index: int
    line_count: int
    quality: float
    """1 for the whole title on lines of its own, less where text runs on or the number differs."""


def find_on_page(layout: Layout, title: str, page_index: int, y: float | None = None) -> Place | None:
    """Give the best place of a title on one page; None when it is not printed there.

    Args:
        layout: The measured document.
        title: As the contents page or bookmark writes it.
        page_index: 0-based.
        y: Expected height; decides between equally good places.
    """
    if not 0 <= page_index < len(layout.pages):
        return None
    full = fold(title)
    bare = _bare(title)
    if not full:
        return None
    best: tuple[float, Place] | None = None
    keys = layout.keys[page_index]
    openings = {full[0], bare[:1]}
    for line_index, key in enumerate(keys):
        # Whatever matches begins as the title does, or ends with it; nearly all lines do neither.
        if not key or (key[0] not in openings and not (bare and key.endswith(bare))):
            continue
        place = _match(layout, page_index, line_index, full, bare)
        if place is None:
            continue
        merit = place.quality
        line = layout.pages[page_index].lines[line_index]
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
    places = [place for place in layout.places.get(key, ()) if place[0] not in skip]
    if len({page_index for page_index, _ in places}) != 1:
        return None
    return Place(*places[0], 1, 0.9)


def out_of_order(pages: Sequence[int | None], index: int) -> bool:
    """Whether a target lies before the one above it or behind the one below it, so that one of them is wrong."""
    page = pages[index]
    before = pages[index - 1] if index else None
    after = pages[index + 1] if index + 1 < len(pages) else None
    if page is None:
        return True
    return (before is not None and page < before) or (after is not None and page > after)


def _bare(title: str) -> str:
    number = parse_number(title)
    return fold(number.title) if number and len(fold(number.title)) >= 3 else ""


def _match(layout: Layout, page_index: int, line_index: int, full: str, bare: str) -> Place | None:
    keys = layout.keys[page_index]
    key = keys[line_index]
    if key == full:
        return Place(page_index, line_index, 1, 1.0)
    if full.startswith(key) and len(key) >= min(2, len(full)):
        count = _wrapped(keys, line_index, full)
        if count:
            return Place(page_index, line_index, count, 1.0)
    if bare:
        if key == bare:
            previous = line_index - 1
            opens = previous >= 0 and keys[previous] and full == keys[previous] + key
            return Place(page_index, previous, 2, 1.0) if opens else Place(page_index, line_index, 1, 0.9)
        if len(key) >= 4 and bare.startswith(key):
            count = _wrapped(keys, line_index, bare)
            if count:
                return Place(page_index, line_index, count, 0.9)
        if key.endswith(bare) and len(key) - len(bare) <= 8 and len(bare) >= 6:
            return Place(page_index, line_index, 1, 0.85)
    if len(full) >= 6 and key.startswith(full):
        return Place(page_index, line_index, 1, 0.7 if len(key) > len(full) + 6 else 0.9)
    if len(full) >= 24 and len(key) >= 20 and (full.startswith(key) or key.startswith(full[:40])):
        return Place(page_index, line_index, 1, 0.6)
    return None


def _wrapped(keys: list[str], line_index: int, wanted: str) -> int:
    """How many lines from here spell the title; 0 when they do not."""
    joined = ""
    for count in range(1, MAX_TITLE_LINES + 1):
        if line_index + count > len(keys):
            return 0
        joined += keys[line_index + count - 1]
        if joined == wanted:
            return count
        if not wanted.startswith(joined):
            return 0
    return 0
