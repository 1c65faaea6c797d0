"""Pages that no heading divides: page groups by topic shift, honestly marked.

Whole documents without headings are cut so, and sections that would be long to read and have nothing below them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean, pstdev

from pageindex_core.records import Page, Section

_CLEAR_SHIFT = 0.1
"""How far the likeness of two pages (0..1) has to fall below the document's usual one for the border between them to
be worth a group of its own; smaller dips are chance."""

_WORD = re.compile(r"[^\W\d_]{4,}|[\u3040-\u9fff\uac00-\ud7af]{2}")
_ASCII_WORD = re.compile(r"[a-z]{4,}")
_ASCII = bytes(range(128))


def group_pages(pages: Sequence[Page], longest: int) -> list[Section]:
    """Cut pages into groups of at most ``longest``, where neighbouring pages share the fewest words.

    Each group holds its single pages. The best cuts are chosen together: a border costs the likeness of its two pages,
    less what is usual in this document, and a little for its mere existence. So the subject changing makes a cut, and
    where a group gets too long the cut falls where it harms least. Source: likeness and cutoff (mean less half a
    standard deviation) follow TextTiling (Hearst 1997), on pages instead of sentences.
    """
    count = len(pages)
    if count == 0:
        return []
    similar = _neighbour_similarity(pages)
    usual = mean(similar) - pstdev(similar) / 2 if similar else 0.0
    border = [0.0, *(value - usual + _CLEAR_SHIFT for value in similar)]
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, count + 1):
        options = ((round(best[start][0] + border[start], 9), start) for start in range(max(0, end - longest), end))
        best.append(min(options))
    cuts = [count]
    while cuts[-1] > 0:
        cuts.append(best[cuts[-1]][1])
    cuts.reverse()
    return [_group(start + 1, end) for start, end in pairwise(cuts)]


def divide_long_leaves(sections: Sequence[Section], pages: Sequence[Page], longest: int) -> tuple[Section, ...]:
    """Give the sections with page groups below each leaf of more than ``longest`` pages. Ids are left to be given."""
    return tuple(_divided(section, pages, longest) for section in sections)


def _divided(section: Section, pages: Sequence[Page], longest: int) -> Section:
    if section.children:
        children = divide_long_leaves(section.children, pages, longest)
        return section if children == section.children else replace(section, children=children)
    if section.end_page - section.start_page < longest:
        return section
    groups = group_pages(pages[section.start_page - 1 : section.end_page], longest)
    moved = [_moved(group, section.start_page - 1, section.level) for group in groups]
    return replace(section, children=(_starting_at(moved[0], section), *moved[1:]))


def _moved(group: Section, pages_before: int, levels_above: int) -> Section:
    first, last = group.start_page + pages_before, group.end_page + pages_before
    children = tuple(_moved(child, pages_before, levels_above) for child in group.children)
    return replace(_group(first, last, group.level + levels_above), children=children)


def _starting_at(group: Section, section: Section) -> Section:
    """The first group, and the first page in it, begin where the divided section does."""
    children = group.children
    if children:
        children = (_starting_at(children[0], section), *children[1:])
    return replace(group, start_line=section.start_line, start_y=section.start_y, children=children)


def is_page_group(section: Section) -> bool:
    """Whether a section is a page group, or one of its single pages, and not one that a heading opened or follows."""
    return section.synthetic and section.title == _title(section.start_page, section.end_page)


def without_page_groups(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Give the sections with the page groups below a heading taken away; outermost ones stay, nothing else is there."""
    return tuple(
        replace(
            section,
            children=section.children
            if is_page_group(section)
            else without_page_groups([child for child in section.children if not is_page_group(child)]),
        )
        for section in sections
    )


def _title(first: int, last: int) -> str:
    return f"Page {first}" if first == last else f"Pages {first}-{last}"


def _group(first: int, last: int, level: int = 1) -> Section:
    children = tuple(_group(page, page, level + 1) for page in range(first, last + 1)) if last > first else ()
    return Section("", "", _title(first, last), level, first, last, children=children, synthetic=True)


def _neighbour_similarity(pages: Sequence[Page]) -> list[float]:
    """Cosine of the word counts of each page and the next, 0..1."""
    counts = [Counter(_words(page.text.casefold())) for page in pages]
    norms = [sum(value * value for value in count.values()) ** 0.5 for count in counts]
    similar = []
    for index in range(len(pages) - 1):
        ours, theirs = counts[index], counts[index + 1]
        dot = sum(ours[word] * theirs[word] for word in ours.keys() & theirs.keys())
        norm = norms[index] * norms[index + 1]
        similar.append(dot / norm if norm else 0.0)
    return similar


def _words(text: str) -> list[str]:
    """The words of a text in small letters by which pages are compared."""
    foreign = text.encode("utf-8", "replace").translate(None, _ASCII).decode()
    if any(map(str.isalnum, foreign)):
        return _WORD.findall(text)
    return _ASCII_WORD.findall(text)  # a third of the time, and most pages have no other letters
