"""Page numbers as printed: what "page 5" means to someone who reads the document, where no labels are stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pageindex_core.records import Page

_EDGE_LINES = 2
"""Lines at the top and at the bottom of a page that are looked at for its number."""

_LEAST_SHARE = 0.4
"""Share of the pages with text that have to agree on one offset before printed numbers are believed. Covers, plates
and chapter openings go without a number, so half would ask too much of short documents."""

_NUMBER = re.compile(r"(?:^|[|\-–—\s])(\d{1,4})(?:$|[|\-–—\s])")


def printed_numbers(pages: Sequence[Page]) -> list[int | None]:
    """Give each page's printed number, where running heads or feet agree on one; None elsewhere.

    The difference between physical and printed number is constant over most of a document: it is put to the vote,
    and the winner holds for every page that it does not make smaller than 1.
    """
    votes: Counter[int] = Counter()
    with_text = 0
    for page in pages:
        lines = [line.text.strip() for line in page.lines if line.text.strip()]
        with_text += bool(lines)
        numbers: set[int] = set()
        for text in {*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:]}:
            found = [int(number) for number in _NUMBER.findall(text)]
            if found and len(text) <= 120:
                numbers |= {found[0], found[-1]}
        votes.update({page.page_number - number for number in numbers})
    if not votes:
        return [None] * len(pages)
    offset, agreed = max(votes.items(), key=lambda item: (item[1], -abs(item[0])))
    if agreed < 3 or agreed < _LEAST_SHARE * with_text:
        return [None] * len(pages)
    return [page.page_number - offset if page.page_number > offset else None for page in pages]
