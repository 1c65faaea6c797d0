"""Documents without headings: page groups by topic shift, honestly marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pageindex_core.records import Page, Section

_WORD = re.compile(r"[^\W\d_]{4,}|[\u3040-\u9fff\uac00-\ud7af]{2}")


def group_pages(pages: Sequence[Page], longest: int) -> list[Section]:
    """Cut a document into groups of at most ``longest`` pages, where neighbouring pages share the fewest words.

    The best cuts are chosen together: each group costs the similarity of the two pages at its border, and a little
    for its mere existence. Source: the border measure is TextTiling's (Hearst 1997), on pages instead of sentences.
    """
    count = len(pages)
    if count == 0:
        return []
    similar = _neighbour_similarity(pages)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, count + 1):
        options = (
            (best[start][0] + 0.25 + (similar[start - 1] if start else 0.0), start)
            for start in range(max(0, end - longest), end)
        )
        best.append(min(options))
    cuts = [count]
    while cuts[-1] > 0:
        cuts.append(best[cuts[-1]][1])
    cuts.reverse()
    return [_group(start + 1, end) for start, end in zip(cuts, cuts[1:], strict=False)]


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
