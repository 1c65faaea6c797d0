"""Headings of texts without positions or fonts: plain text, and pages that another loader has read.

Only words and line ends are left to judge by: numbers that run on, capitals, and short lines that stand between the end
of one text and the beginning of another. As in ``typography``, lines are proposed one by one and accepted as classes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from itertools import pairwise

from pageindex_core.outline.candidates import Candidate, Style, in_capitals
from pageindex_core.outline.complete import PRINTED_LEAF_PAGES
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import runs_on
from pageindex_core.outline.plain.lines import full_width, lines_of
from pageindex_core.outline.plain.lists import items, listed, outside_references
from pageindex_core.outline.plain.titles import Title, titles_of
from pageindex_core.outline.typography import MANY_REPEATS

_MOST_PER_PAGE = 4
"""More lines of one kind a page than this are a numbered listing."""

_DISTINCT = 0.7
"""Share of the unnumbered titles of a kind that have to differ: labels of parts come back."""

_LEAST_STRONG = 3
"""Headings with a number or in capitals from which the others only complete them."""


def find_plain(layout: Layout, skip: Container[tuple[int, int]]) -> list[Candidate]:
    """Give the lines that read like headings, in reading order; lines in ``skip`` (of contents) are none."""
    lines = lines_of(layout, skip)
    titles = titles_of(lines, full_width(line.text for line in lines))
    repeated = Counter(title.key for title in titles if not title.is_article)
    counted = items(titles) | listed(titles)
    classes: dict[tuple[object, ...], list[Title]] = defaultdict(list)
    for title in titles:
        if repeated[title.key] < MANY_REPEATS and title.order not in counted:
            classes[title.kind].append(title)
    most = _MOST_PER_PAGE * max(len(layout.pages), 4)
    kept = [
        title
        for members in classes.values()
        if (len(members) <= most or members[0].is_worded) and _convinces(members)
        for title in members
    ]
    kept.sort(key=lambda title: title.order)
    kept = outside_references(kept)
    return [_candidate(title) for title in _in_long_leaves(kept, len(layout.pages))]


def _in_long_leaves(titles: Sequence[Title], page_count: int) -> list[Title]:
    """Drop what has neither number nor capitals where those that have divide the text well enough without it."""
    strong = [title for title in titles if title.is_strong]
    if len(strong) < _LEAST_STRONG:
        return list(titles)
    starts = [title.order for title in strong]
    pages = [title.line.page_index for title in strong]
    lengths = [later - earlier for earlier, later in pairwise([0, *pages, page_count])]
    return [
        title for title in titles if title.is_strong or lengths[bisect_right(starts, title.order)] > PRINTED_LEAF_PAGES
    ]


def _convinces(members: Sequence[Title]) -> bool:
    """Whether a class of lines behaves like headings: a sequence of numbers, or titles that do not repeat."""
    if members[0].number is None:
        return len({member.text for member in members}) >= _DISTINCT * len(members)
    if members[0].is_worded:
        return True
    values = [member.number.value for member in members if member.number]
    return len(members) > 1 and runs_on(values)


def _candidate(title: Title) -> Candidate:
    # No font tells ranks apart: what has neither number nor capitals counts as set smaller, so that it stands below.
    caps = in_capitals(title.text)
    is_beside = title.number is not None or title.is_named
    return Candidate(
        title=title.text,
        page_index=title.line.page_index,
        line_index=title.line.line_index,
        line_count=title.line_count,
        evidence="detected",
        confidence=0.6 if title.number is not None else 0.5,
        style=Style(0.0 if is_beside or caps else -1.0, bold=False, italic=False, caps=caps),
        number=title.number,
    )
