"""Titles behind as many hashes as they are deep, of printed pages that came as Markdown: see ``markdown_pages``."""

from __future__ import annotations

from itertools import pairwise

from pageindex_core.outline.candidates import Candidate, Style, candidate_at
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.levels import level_by_style
from pageindex_core.outline.refuse import may_be_declared
from pageindex_core.outline.titles import Place

_CONFIDENCE = 0.9


def behind_hashes(layout: Layout) -> list[Candidate]:
    """Give the marked headings with their levels; of a title that runs on as a head only the first."""
    found = []
    for page_index, page in enumerate(layout.pages):
        for line_index, level in page.heading_tags:
            at = (page_index, line_index)
            title = page.lines[line_index].text
            if (at in layout.furniture and at not in layout.first_heads) or not may_be_declared(title):
                continue
            place = Place(page_index, line_index, 1, 1.0)
            found.append(candidate_at(layout, title, place, evidence="markup", confidence=_CONFIDENCE, level=level))
    return _agreeing(found)


def _agreeing(found: list[Candidate]) -> list[Candidate]:
    """The titles with levels that their numbers do not contradict.

    Pages that were made into Markdown one by one know nothing of each other: each may begin at the first level.
    """
    depths: dict[int, set[int]] = {}
    for one in found:
        if one.number is not None and one.number.kind == "decimal":
            depths.setdefault(one.number.depth, set()).add(one.level or 1)
    levels = [depths[depth] for depth in sorted(depths)]
    if all(max(above) < min(below) for above, below in pairwise(levels)):
        return found
    plain = [
        one._replace(level=None, style=Style(-float(one.level or 1), bold=False, italic=False, caps=False))
        for one in found
    ]
    return [one._replace(level=placed.level) for one, placed in zip(found, level_by_style(plain), strict=True)]
