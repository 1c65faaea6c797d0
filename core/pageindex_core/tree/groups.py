"""Documents without headings: page groups by topic shift, honestly marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, pstdev

from pageindex_core.records import Page, Section

_CLEAR_SHIFT = 0.1
"""How far the likeness of two pages (0..1) has to fall below the document's usual one for the border between them to
be worth a group of its own; smaller dips are chance."""

_WORD = re.compile(r"[^\W\d_]{4,}|[\u3040-\u9fff\uac00-\ud7af]{2}")


def group_pages(pages: Sequence[Page], longest: int) -> list[Section]:
    """Cut a document into groups of at most ``longest`` pages, where neighbouring pages share the fewest words.

    The best cuts are chosen together: a border costs the likeness of its two pages, less what is usual in this
    document, and a little for its mere existence. So the subject changing makes a cut, and where a group gets too long
    the cut falls where it harms least. Source: likeness and cutoff (mean less half a standard deviation) follow
    TextTiling (Hearst 1997), on pages instead of sentences.
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


def _group(first: int, last: int) -> Section:
    title = f"Page {first}" if first == last else f"Pages {first}-{last}"
    return Section("", "", title, 1, first, last, synthetic=True)


def _neighbour_similarity(pages: Sequence[Page]) -> list[float]:
    """Cosine of the word counts of each page and the next, 0..1."""
    counts = [Counter(_WORD.findall(page.text.casefold())) for page in pages]
    norms = [sum(value * value for value in count.values()) ** 0.5 for count in counts]
    similar = []
    for index in range(len(pages) - 1):
        ours, theirs = counts[index], counts[index + 1]
        dot = sum(value * theirs[word] for word, value in ours.items() if word in theirs)
        norm = norms[index] * norms[index + 1]
        similar.append(dot / norm if norm else 0.0)
    return similar
