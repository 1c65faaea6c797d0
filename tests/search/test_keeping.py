"""Hits that a caller's own test passes, and a least score: enough of them are found, by every way to search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pageindex_core.errors import OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.passages import Passage
from pageindex_core.records import Hit, SearchResult
from pageindex_core.search import asearch, search, stream_search
from pageindex_core.search.hybrid.inside import search_inside
from pageindex_core.testing import ModelServer, lexical

Add = Callable[..., str]


@pytest.fixture
def manual(add: Add) -> str:
    """Sixty pages, of which the last ten hold the word least often."""
    often = [f"# Item {number}\nThe pump pumps pumps." for number in range(1, 51)]
    return add("manual.pdf", [*often, *(f"# Item {number}\nOne word on the pump." for number in range(51, 61))])


def is_late(hit: Hit) -> bool:
    return hit.page_start > 50


async def test_enough_hits_pass_although_the_best_do_not(library: Library, manual: str) -> None:
    """The hits are those of a search for everything, without what does not pass; sync, async and streamed alike."""
    everything = search(library, "pump", k=60).hits
    found = search(library, "pump", k=4, keep=is_late)
    assert found.hits == tuple(filter(is_late, everything))[:4]
    assert (await asearch(library, "pump", k=4, keep=is_late)).hits == found.hits
    *_, last = stream_search(library, "pump", k=4, keep=is_late)
    assert isinstance(last, SearchResult)
    assert last.hits == found.hits


def test_all_that_pass_come_where_too_few_do(library: Library, manual: str) -> None:
    """The search ends with the scope, whether some pass or none."""
    assert len(search(library, "pump", k=30, keep=is_late).hits) == 10
    assert search(library, "pump", k=3, keep=lambda hit: False).hits == ()


def test_a_model_is_asked_once(library: Library, manual: str, server: ModelServer, model: LiteLLMModel) -> None:
    """Hits that pass are found behind its choices without another call."""
    server.answer = lexical()
    calls = search(library, "pump", k=4, navigator="tree", model=model).trace.model_calls
    found = search(library, "pump", k=4, navigator="tree", model=model, keep=is_late)
    assert len(found.hits) == 4
    assert all(map(is_late, found.hits))
    assert found.trace.model_calls == calls > 0


def test_the_test_holds_in_every_mode_and_for_sections_of_passages(library: Library, manual: str) -> None:
    """Phrases, patterns, a vector store beside, and the sections that a store is asked inside."""

    class Store:
        restricts = True

        def passages(self, question: str, k: int, documents: object) -> list[Passage]:
            return [Passage(f"page {n}", 1 / n, (manual,), n, n) for n in range(1, 61)]

        async def apassages(self, question: str, k: int, documents: object) -> list[Passage]:
            return self.passages(question, k, documents)

    ways: list[dict[str, Any]] = [{"mode": "phrase"}, {"mode": "regex"}, {"navigator": "hybrid", "vectors": Store()}]
    for how in ways:
        hits = search(library, "pump", k=4, keep=is_late, **how).hits
        assert len(hits) == 4
        assert all(map(is_late, hits))
    result = search_inside(library, "pump", Store(), k=3, keep=is_late, least_score=0)  # type: ignore[arg-type]
    assert all(map(is_late, result.sections))
    assert all((passage.page_start or 0) > 50 for passage in result.passages)


def test_a_least_score_leaves_out_what_is_below(library: Library, manual: str) -> None:
    """What scores as much stays; nothing comes in the place of what is left out."""
    hits = search(library, "pump", k=55).hits
    least = hits[2].score
    kept = search(library, "pump", k=55, least_score=least).hits
    assert kept == tuple(hit for hit in hits if hit.score >= least)
    assert 3 <= len(kept) <= 50


@pytest.mark.parametrize(
    "given", [{"least_score": 1.5}, {"least_score": "0.5"}, {"least_score": float("nan")}, {"keep": 3}]
)
def test_tests_that_cannot_be_meant_are_refused(library: Library, given: dict[str, Any]) -> None:
    """The error names the argument."""
    with pytest.raises(OptionError, match=next(iter(given))):
        search(library, "pump", **given)
