"""The navigators that ask a vector store besides: one ranks by words and vectors, one reads in what vectors name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from pageindex_core.options import SearchOptions
from pageindex_core.passages import PassageStore
from pageindex_core.records import Note, Scope, SearchResult, Step
from pageindex_core.search.hybrid.asking import Asked, ask_store
from pageindex_core.search.hybrid.fusion import WEIGHT, fuse, page_shares, unit_pages
from pageindex_core.search.lexical import SHORTLIST_DOCUMENTS, rank_words, read_hits
from pageindex_core.search.navigate import Navigator
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.trace import Tally

PASSAGES = 100
"""Passages that a store is asked for: enough for scores to be compared with what is far from the question."""

SHORTLIST_PASSAGES = 20
"""Passages whose documents or pages are read in: few, since they are meant to leave something out."""

SHORTLISTED = 5
"""Documents that are read where vectors choose them."""

ALL_UNITS = 1 << 40
"""Every unit is ranked: what a passage speaks for may stand last by its words."""

Shortlist = Literal["documents", "pages"]


def search_hybrid(text: str, scope: Scope, options: SearchOptions, store: PassageStore) -> Navigator:
    """Answer a question by its words and by the passages of a vector store together."""
    tally = Tally("hybrid")
    asked = yield from ask_store(store, text, PASSAGES, scope)
    infos = tuple({one.info.doc_id: one.info for one in asked.placed}.values())
    ranking = yield from rank_words(text, scope, options, ALL_UNITS, also=infos[:SHORTLIST_DOCUMENTS])
    tally.steps += [_step(asked), *ranking.steps]
    tally.documents_considered, tally.units_considered = len(ranking.found.infos), ranking.considered
    weight = getattr(store, "weight", None)
    units: Sequence[RankedUnit] = ranking.units
    if asked.placed:
        units = fuse(ranking, asked.placed, options.k, WEIGHT if weight is None else weight)
    chosen = [unit for unit in units[: options.k] if options.fill or unit.score > 0]
    hits = yield from read_hits(ranking.found, chosen, ranking.scores, scope, options)
    tally.step("fuse", f"{sum(unit.found_by == 'vectors' for unit in chosen)} of {len(hits)} hits owed to the vectors")
    return SearchResult(text, hits, tally.trace(), (*asked.notes, *ranking.found.notes))


def search_shortlisted(
    text: str,
    scope: Scope,
    options: SearchOptions,
    store: PassageStore,
    shortlist: Shortlist,
    navigate: Callable[[Scope], Navigator],
) -> Navigator:
    """Let a vector store choose documents or pages, and a navigator read inside them.

    Args:
        text: The question.
        scope: What may be seen; the store can only narrow it.
        options: How many hits, and of what.
        store: What is asked.
        shortlist: Whether the navigator reads the whole documents of the best passages, or just their pages.
        navigate: Gives the navigator over a scope; pages are ranked by words.
    """
    asked = yield from ask_store(store, text, SHORTLIST_PASSAGES, scope)
    if not asked.placed:
        result = yield from navigate(scope)
        note = Note("vectors_unused", "The vector store named nothing that is searched here, so the whole scope was.")
        return replace(result, notes=(note, *asked.notes, *result.notes))
    if shortlist == "pages":
        result = yield from _search_pages(text, scope, options, asked)
    else:
        best = tuple(dict.fromkeys(one.info.doc_id for one in asked.placed))[:SHORTLISTED]
        result = yield from navigate(replace(scope, documents=best))
    steps = (_step(asked), *result.trace.steps)
    return replace(result, trace=replace(result.trace, steps=steps), notes=(*asked.notes, *result.notes))


def _search_pages(text: str, scope: Scope, options: SearchOptions, asked: Asked) -> Navigator:
    tally = Tally("lexical")
    infos = tuple({one.info.doc_id: one.info for one in asked.placed}.values())
    narrow = replace(scope, documents=tuple(info.doc_id for info in infos[:SHORTLIST_DOCUMENTS]))
    ranking = yield from rank_words(text, narrow, options, ALL_UNITS)
    named = page_shares(ranking, asked.placed)
    units = [unit for unit in ranking.units if any((unit.document, at) in named for at in unit_pages(ranking, unit))]
    chosen = [unit for unit in units[: options.k] if options.fill or unit.score > 0]
    hits = yield from read_hits(ranking.found, chosen, ranking.scores, narrow, options)
    tally.steps += ranking.steps
    tally.step("vectors", f"{len(units)} of {ranking.considered} units hold pages that the vector store named")
    tally.documents_considered, tally.units_considered = len(ranking.found.infos), ranking.considered
    return SearchResult(text, hits, tally.trace(), tuple(ranking.found.notes))


def _step(asked: Asked) -> Step:
    documents = len({one.info.doc_id for one in asked.placed})
    outside = f", {asked.outside} outside the scope left out" if asked.outside else ""
    return Step("vectors", f"{len(asked.placed)} passages of {documents} documents{outside}")
