"""Finds what stands on a page besides its text: running heads, feet, watermarks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pageindex_core.describe.compare import fold_digits
from pageindex_core.folding import squash
from pageindex_core.records import Page

EDGE_LINES = 3
"""Running heads and feet stand in the first or last three lines of a page: two rows, and a rule or page number."""

FURNITURE_PAGES = 3
"""Text at the edge of this many pages is a running head: two may be chance, a short chapter has three."""

LEAST_TITLE = 4
"""Letters of the shortest section title that is looked for in running heads; shorter ones stand there by chance."""

_NUMBER_IN_FRONT = re.compile(r"[\W_]*(?:\d[\d.]*|[ivxlc]+)[\W_]+")
_NUMBER_BEHIND = re.compile(r"[\W_](?<![\W_][\W_])[\W_]*(?:\d+|[ivxlc]+)[\W_]*$")
"""From the start of a run of signs: rules are long ones."""


def furniture_of(pages: Sequence[Page]) -> frozenset[str]:
    """Give the lines that repeat from page to page, with numbers folded: running heads, feet and watermarks."""
    edges: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for page in pages:
        lines = page.lines
        edges.update({fold_digits(line.text) for line in (*lines[:EDGE_LINES], *lines[-EDGE_LINES:])})
        whole.update({line.text for line in lines})
    often = max(FURNITURE_PAGES, len(pages) / 2)
    repeated = {text for text, count in edges.items() if count >= FURNITURE_PAGES}
    repeated.update(_alternating(pages))
    return frozenset(repeated | {fold_digits(text) for text, count in whole.items() if count >= often})


def running_titles(pages: Sequence[Page], titles: Iterable[str]) -> frozenset[int]:
    """Give the lines at the edge of a page that repeat a section's title, counted through the document.

    Such heads change with the section, so that one of a short section stands on a page or two only. The printed
    headings themselves are among them.
    """
    wanted = {squash(form) for title in titles for form in (title, _without_number(title))}
    wanted = {form for form in wanted if len(form) >= LEAST_TITLE}
    found = []
    first = 0
    for page in pages:
        size = len(page.lines)
        for at in {*range(min(EDGE_LINES, size)), *range(max(size - EDGE_LINES, 0), size)}:
            text = page.lines[at].text.strip()
            if squash(text) in wanted or squash(_without_number(text)) in wanted:
                found.append(first + at)
        first += size
    return frozenset(found)


def _without_number(text: str) -> str:
    """The text without the numbers at its ends."""
    number = _NUMBER_IN_FRONT.match(text)
    text = text[number.end() :] if number else text
    last = text[-1:]
    if last.isalpha() and last not in "ivxlc":
        return text
    return _NUMBER_BEHIND.sub("", text)


def _alternating(pages: Sequence[Page]) -> set[str]:
    # Heads of left and right pages: at the same place of four pages in a row stand A, B, A, B.
    found: set[str] = set()
    for place in (*range(EDGE_LINES), *range(-EDGE_LINES, 0)):
        texts = [
            fold_digits(page.lines[place].text) if -len(page.lines) <= place < len(page.lines) else "" for page in pages
        ]
        same = [bool(text) and text == after for text, after in zip(texts, texts[2:], strict=False)]
        for at, (here, beside) in enumerate(pairwise(same)):
            if here and beside:
                found.update(texts[at : at + 2])
    return found
