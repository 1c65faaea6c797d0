"""Headings that a tagged PDF's structure elements mark (H, H1 to H6), when the tags are sane.

Source: ISO 32000-1, 14.8.4.3.2. Word processors write them from real headings; some converters mark every bold
paragraph, and some every paragraph.
"""

from __future__ import annotations

from pageindex_core.outline.candidates import Candidate, candidate_at
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.refuse import MAX_HEADING_CHARS, may_be_declared
from pageindex_core.outline.titles import MAX_TITLE_LINES, Place
from pageindex_core.records import Note

MIN_HEADINGS = 3
"""Fewer tagged headings than this say nothing about the rest of the document."""

_MOST_LINES = 0.25
"""Share of a document's lines that may be tagged as headings; beyond it everything is."""

_MOST_LONG = 0.2
"""Share of tagged headings that may be as long as paragraphs."""


def read_tags(layout: Layout) -> tuple[list[Candidate], list[Note]]:
    """Give the tagged headings as candidates; none, with a note, when the tags are absurd."""
    if not layout.has_positions:
        return [], []  # marks of Markdown: see ``marked``
    found: list[Candidate] = []
    long = lines = 0
    for page_index, page in enumerate(layout.pages):
        lines += len(page.lines)
        starts = {line_index for line_index, _ in page.heading_tags}
        for line_index, level in page.heading_tags:
            if (page_index, line_index) in layout.furniture:
                continue
            count = _line_count(layout, page_index, line_index, starts)
            title = " ".join(line.text for line in page.lines[line_index : line_index + count])
            long += len(title) > MAX_HEADING_CHARS
            if not may_be_declared(title):
                continue
            place = Place(page_index, line_index, count, 1.0)
            found.append(candidate_at(layout, title, place, evidence="tagged", confidence=0.9, level=level))
    if len(found) < MIN_HEADINGS:
        return [], []
    if len(found) > _MOST_LINES * lines or long > _MOST_LONG * (len(found) + long):
        message = f"The file's {len(found) + long} tagged headings were set aside: they mark text, not headings."
        return [], [Note("tags_rejected", message)]
    return found, []


def _line_count(layout: Layout, page_index: int, line_index: int, starts: set[int]) -> int:
    """How many lines the heading takes: those that follow at once, set alike."""
    lines = layout.pages[page_index].lines
    first = lines[line_index]
    count = 1
    while count < MAX_TITLE_LINES and line_index + count < len(lines) and line_index + count not in starts:
        line = lines[line_index + count]
        if line.box is None or first.box is None or (line.font_size, line.bold) != (first.font_size, first.bold):
            break
        previous = lines[line_index + count - 1].box
        if previous is None or not -0.6 * line.font_size < line.box.y0 - previous.y1 < 0.55 * line.font_size:
            break
        if first.font_size <= layout.body_size * 1.05 and not first.bold:
            break  # set like text: the next line is text
        count += 1
    return count
