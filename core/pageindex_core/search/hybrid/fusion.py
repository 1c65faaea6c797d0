"""One order of units from two: that of the words, and that of the passages a vector store found."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace

from pageindex_core.search.hybrid.asking import Placed, pages_of
from pageindex_core.search.lexical import Ranking
from pageindex_core.search.rank import SHARED_PAGE_SHARE, RankedUnit

STEEPNESS = 10
"""The unit at place i of the order of words counts 10 / (10 + i), i from 0: its first places are far apart, since words
that find a thing find it there, and the later ones close together, so that the vectors decide among them."""

WEIGHT = 0.05
"""What the best passage adds where the words are sure: a unit at the fifth place then passes at most one other, and one
at the tenth at most two. It is that of a small embedding model, which finds far less than words do (docs/hybrid.md); a
store's own ``weight`` goes before. From 0.03 to 0.05 nothing is lost on either set of questions, 0.06 loses some."""

SURE_SHARE = 0.2
"""From this score by words on, the best unit holds enough of the question for the words to be sure. Below, they find
half as much, and vectors more than words once nothing of the question stands anywhere. 0.15 to 0.25 measure alike."""

DOUBT = 4
"""How many times the weight the passages have where the words find nothing at all. 3 to 5 measure alike."""

CHANCE_UNITS = 20
"""A unit that holds no word of the question keeps its place among so many: the first pages of a short document hold
the answer by chance often enough. In a longer one it counts as much less as there are more. 20 to 40 measure alike."""


def fuse(ranking: Ranking, placed: Sequence[Placed], count: int, weight: float = WEIGHT) -> list[RankedUnit]:
    """Give the best units in the order of words and passages together, with scores 0..1 that fall.

    The less of the question the words find, the more the passages weigh. A passage speaks for the best unit of its page
    by words, and for the others there by ``SHARED_PAGE_SHARE``. A score of 1 means that both put the unit first: unlike
    scores by words alone, these compare the hits of one question, not questions.

    Args:
        ranking: Every unit, in the order of the words.
        placed: Passages, the nearest first.
        count: How many units to give.
        weight: What the best passage adds to a unit where words are sure; the first place by words counts 1.
    """
    sure = min(1.0, ranking.units[0].score / SURE_SHARE) if ranking.units else 1.0
    weight *= 1 + (DOUBT - 1) * (1 - sure)
    chance = min(1.0, CHANCE_UNITS / max(1, len(ranking.units)))
    shares = page_shares(ranking, placed)
    spoken_for: set[tuple[int, int]] = set()
    rows: list[tuple[float, int, bool]] = []
    for place, unit in enumerate(ranking.units):
        by_words = (1 if unit.score > 0 else chance) * STEEPNESS / (STEEPNESS + place)
        named = {(unit.document, page) for page in unit_pages(ranking, unit)} & shares.keys()
        best = max((shares[at] * (SHARED_PAGE_SHARE if at in spoken_for else 1) for at in named), default=0.0)
        spoken_for |= named
        rows.append((-by_words - weight * best, place, best > 0 and weight * best >= by_words))
    fused: list[RankedUnit] = []
    for score, place, by_vectors in heapq.nsmallest(count, rows):
        unit = ranking.units[place]
        found_by = "vectors" if by_vectors else unit.found_by
        fused.append(replace(unit, score=-score / (1 + weight), found_by=found_by))
    return fused


def unit_pages(ranking: Ranking, unit: RankedUnit) -> set[int]:
    """Give the indexes of the pages that a unit's text stands on."""
    return set(ranking.found.documents[unit.document].page_of_piece[unit.first_piece : unit.last_piece + 1])


def page_shares(ranking: Ranking, placed: Sequence[Placed]) -> dict[tuple[int, int], float]:
    """Give what the passages say for each page, 0..1, by (document, page index) as the ranking counts them."""
    numbers = {info.doc_id: number for number, info in enumerate(ranking.found.infos)}
    shares: dict[tuple[int, int], float] = {}
    for one, share in zip(placed, calibrated([one.passage.score for one in placed]), strict=True):
        number = numbers.get(one.info.doc_id)
        if number is None:  # removed meanwhile
            continue
        for page in pages_of(one.passage, ranking.found.documents[number]):
            shares[number, page] = max(share, shares.get((number, page), 0.0))
    return shares


def calibrated(scores: Sequence[float | None]) -> list[float]:
    """Give scores of one question as 0..1: the best passage has 1, the last that was fetched 0.

    So it does not matter what a store's scores mean, and a question that nothing is near to is not drowned. Where a
    store gives no scores, places count.
    """
    known = [score for score in scores if score is not None and math.isfinite(score)]
    if len(known) < len(scores) or not known:
        return [1 - place / max(1, len(scores)) for place in range(len(scores))]
    high, low = max(known), min(known)
    return [(score - low) / (high - low) if high > low else 1.0 for score in known]
