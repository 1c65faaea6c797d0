"""Keeps the hits that a caller's own test passes, and looks for more of them where too few do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from pageindex_core.records import Hit
from pageindex_core.search.navigate import Navigator

WIDEN = 4
"""Factor by which more hits are looked for while too few pass."""

WIDE = 64
"""The same where looking again would ask a model again: so many times the hits are looked at at once."""

Keep = Callable[[Hit], bool]


def search_kept(navigate: Callable[[int], Navigator], k: int, keep: Keep, *, once: bool) -> Navigator:
    """Give the k best hits that pass a test; fewer only where no more in the scope do.

    Args:
        navigate: Gives the navigator for so many hits.
        k: How many hits are wanted.
        keep: The test.
        once: Whether the navigator asks a model, so that it is run a single time.
    """
    asked = k * WIDE if once else k
    while True:
        result = yield from navigate(asked)
        kept = tuple(islice(filter(keep, result.hits), k))
        if once or len(kept) >= k or len(result.hits) < asked:
            return replace(result, hits=kept)
        asked *= WIDEN


def search_above(navigator: Navigator, least_score: float) -> Navigator:
    """Leave out the hits that score less."""
    result = yield from navigator
    return replace(result, hits=tuple(hit for hit in result.hits if hit.score >= least_score))
