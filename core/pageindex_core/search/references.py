"""Cross-references followed: "see Note 12" next to what was asked for, in a strong hit, raises Note 12."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from pageindex_core.records import Page
from pageindex_core.search.hits import score_lines
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.places import find_places
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.score import Matched, Scores
from pageindex_core.search.structure import find_targets

STRONG_HITS = 3
"""Hits whose references are followed: those a reader would look at first."""

REFERENCE_SHARE = 0.35
"""Share of the referring unit's score that its target gains: enough to overtake units with the same few words, not
enough to overtake the unit that refers."""

MOST_TARGETS = 6
"""A reference that means more pieces than this ("see Part II") points nowhere in particular."""

_REFERRING = re.compile(
    r"\b(?:see|refer(?:s|red)? to|described in|discussed in|set forth in|shown in|included in|given in|"
    r"(?:as |are )?listed in)\b(?P<target>.{3,60})|(?:siehe|voir|véase|참조|参照|见|見)(?P<other>.{1,30})",
    re.IGNORECASE,
)


def follow_references(
    documents: Sequence[OpenDocument],
    scores: Scores,
    strongest: Sequence[RankedUnit],
    pages: Sequence[Mapping[int, Page]],
) -> frozenset[tuple[int, int]]:
    """Raise the scores of what strong hits refer to; give the (document, piece) pairs that were raised."""
    raised: dict[tuple[int, int], float] = {}
    for unit in strongest:
        document, match = documents[unit.document], scores.documents[unit.document]
        gain = REFERENCE_SHARE * unit.score * scores.bound
        for piece in _targets(document, match, unit, pages[unit.document]):
            if not unit.first_piece <= piece <= unit.last_piece:
                key = unit.document, piece
                raised[key] = max(gain, raised.get(key, 0.0))
    for (number, piece), gain in raised.items():
        scores.documents[number].piece_scores[piece] += gain
    return frozenset(raised)


def _targets(document: OpenDocument, match: Matched, unit: RankedUnit, pages: Mapping[int, Page]) -> set[int]:
    lines = score_lines(document, match, unit, pages)
    if not lines:
        return set()
    threshold = max(lines.values()) / 2
    found: set[int] = set()
    for line, weight in lines.items():
        if weight < threshold:
            continue
        for text in _REFERRING.finditer(_around(document, pages, line)):
            places = list(find_places(text["target"] or text["other"]))[:2]
            pieces = find_targets(document, [place for place in places if place.kind != "page"])
            strong = {piece for piece, strength in pieces.items() if strength > 0.9}
            if len(strong) <= MOST_TARGETS:
                found |= strong
    return found


def _around(document: OpenDocument, pages: Mapping[int, Page], line: int) -> str:
    """A line with its neighbours on the same page: a sentence rarely ends where its line does."""
    page_index = bisect_right(document.index.page_first_lines, line) - 1
    page = pages[document.index.page_numbers[page_index]]
    at = line - document.index.page_first_lines[page_index]
    return " ".join(here.text for here in page.lines[max(0, at - 1) : at + 3])
