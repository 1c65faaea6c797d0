"""Headings that someone names, held against the pages: only what is printed where it was said to be becomes one.

Whoever names them is not believed: a title that is not printed on its page, that stands in a running head, a table or a
sentence, or that breaks the order of the others is dropped and counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.levels import style_key
from pageindex_core.outline.numbering import parse_number
from pageindex_core.outline.refuse import is_table_row, may_be_title
from pageindex_core.outline.titles import Place, find_on_page
from pageindex_core.records import Evidence, Heading

Spot = tuple[int, int]
"""Page number and line index, as sections start and stop."""

MAX_LEVEL = 9
"""Deeper levels are slips of whoever named them."""

_WHOLE_LINES = 0.85
"""Quality of a place (see ``titles.Place``) from which the title fills its lines. Below, text runs on after it, which
only a numbered clause does ("제4조(목적) …", "7.1 Scope. …")."""


@dataclass(frozen=True, slots=True)
class Named:
    """A heading as it was named, not yet verified."""

    title: str
    page_number: int
    level: int = 1


def named_in(value: Any) -> tuple[list[Named], int]:
    """Read what a model named, a list of objects with ``title``, ``page`` and maybe ``level``; count the unusable."""
    items = value.get("headings") if isinstance(value, dict) else value
    if not isinstance(items, list):
        return [], 0
    named = []
    for item in items:
        title = item.get("title") if isinstance(item, dict) else None
        page = whole(item.get("page")) if isinstance(item, dict) else None
        if isinstance(title, str) and title.strip() and page is not None:
            level = whole(item.get("level")) or 1
            named.append(Named(" ".join(title.split()), page, min(max(level, 1), MAX_LEVEL)))
    return named, len(items) - len(named)


def verified(layout: Layout, named: Sequence[Named], start: Spot, stop: Spot) -> tuple[list[Candidate], int]:
    """Give those printed on their page between two spots, in order, and how many were dropped.

    The heading of the stretch itself, where it starts, is neither.

    Args:
        layout: The measured document.
        named: In the order in which they follow each other in the text.
        start: A heading has to stand after it.
        stop: And before it.
    """
    found, own = [], 0
    for one in named:
        place = find_on_page(layout, one.title, one.page_number - 1)
        spot = (place.page_index + 1, place.line_index) if place is not None else None
        own += spot == start
        if place is None or spot is None or not start < spot < stop:
            continue
        title = _printed(layout, one.title, place)
        if _opens(layout, title, place):
            found.append(candidate_at(layout, title, place, evidence="model", confidence=0.8, level=one.level))
    kept = in_order(found)
    return kept, len(named) - len(kept) - own


def in_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Give the longest run of candidates, in the given order, that follow each other in the text."""
    ends: list[int] = []
    before: list[int | None] = []
    for index, candidate in enumerate(candidates):
        at = bisect_left(ends, candidate.place, key=lambda other: candidates[other].place)
        before.append(ends[at - 1] if at else None)
        ends[at : at + 1] = [index]
    kept: list[Candidate] = []
    last = ends[-1] if ends else None
    while last is not None:
        kept.append(candidates[last])
        last = before[last]
    return kept[::-1]


def level_alike(candidates: Sequence[Candidate], layout: Layout) -> list[Candidate]:
    """Let headings that are numbered or set alike stand on one level.

    A long text is read in parts, and in each the outermost heading is called level 1: the level that most parts give
    to a kind of number or style holds for all of it, and a decimal number one deeper stands one level deeper.
    """
    kinds = [_kind(candidate, layout) for candidate in candidates]
    votes: dict[Any, Counter[int]] = defaultdict(Counter)
    for candidate, kind in zip(candidates, kinds, strict=True):
        votes[kind][candidate.level or 1] += 1
    usual = {kind: max(levels, key=lambda level: (levels[level], -level)) for kind, levels in votes.items()}
    depths = sorted(kind[1] for kind in usual if kind is not None and kind[0] == "decimal")
    for depth in depths[1:]:
        usual[("decimal", depth)] = usual[("decimal", depths[0])] + depth - depths[0]
    return [
        candidate if kind is None else candidate._replace(level=usual[kind])
        for candidate, kind in zip(candidates, kinds, strict=True)
    ]


def as_heading(candidate: Candidate, evidence: Evidence) -> Heading:
    """Give the heading that a verified candidate is."""
    return Heading(
        title=candidate.title,
        level=candidate.level or 1,
        page_number=candidate.page_index + 1,
        line_index=candidate.line_index,
        y=candidate.y,
        evidence=evidence,
        confidence=candidate.confidence,
    )


def _opens(layout: Layout, title: str, place: Place) -> bool:
    """Whether the lines at a place can open a section."""
    lines = layout.pages[place.page_index].lines
    own = range(place.line_index, place.line_index + max(place.line_count, 1))
    heads = {(place.page_index, index) for index in own} & layout.furniture
    if heads and not heads <= layout.first_heads:  # a chapter's title is the first of the heads that repeat it
        return False
    if any(is_table_row(lines[index]) for index in own):
        return False
    if place.quality < _WHOLE_LINES and parse_number(title) is None:
        return False
    before = lines[place.line_index - 1].text.rstrip() if place.line_index else ""
    # A line of prose begins in the middle of a sentence, and so does a hyphenated one.
    runs_on = before.endswith(("-", ",")) or (before[-1:].isalpha() and before[-1:].islower() and len(before) > 60)
    return may_be_title(title) and not (runs_on and parse_number(title) is None and _looks_like_text(layout, place))


def _looks_like_text(layout: Layout, place: Place) -> bool:
    line = layout.pages[place.page_index].lines[place.line_index]
    return not line.bold and not line.italic and line.font_size <= layout.body_size * 1.05 and not line.text.isupper()


def _printed(layout: Layout, title: str, place: Place) -> str:
    """The title as the page prints it; as it was named where text runs on after it or its number stands apart."""
    lines = layout.pages[place.page_index].lines[place.line_index : place.line_index + place.line_count]
    printed = " ".join(" ".join(line.text.split()) for line in lines)
    return printed if fold(printed) == fold(title) else title


def _kind(candidate: Candidate, layout: Layout) -> Any:
    """What makes two headings alike; None where nothing does: unnumbered, and set like the text around."""
    number = candidate.number
    if number is not None:
        return number.kind, number.depth
    style = candidate.style
    if style is None or not layout.has_positions:
        return None
    plain = style.size <= layout.body_size * 1.05 and not style.bold and not style.caps and not style.italic
    return None if plain else style_key(style)


def whole(value: Any) -> int | None:
    """Give the whole number that a value of a reply means; None where it means none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else None
