"""Structure first, vectors inside: a search cuts the library down to sections, a vector store ranks within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pageindex_core.library.protocol import ALL, Library
from pageindex_core.options import SearchOptions
from pageindex_core.passages import Passage, PassageStore
from pageindex_core.records import Hit, Note, Scope, Step, Trace
from pageindex_core.search import start_search
from pageindex_core.search.hybrid.asking import Placed, ask_store, pages_of
from pageindex_core.search.lexical import open_documents
from pageindex_core.search.navigate import Navigation, Navigator, arun, run

SECTIONS = 10
"""Sections that a question is cut down to, unless the caller says so."""

FETCH = 20
"""Passages that are fetched for each one wanted, since most lie outside the sections."""

FALLBACK_SHARE = 0.5
"""Fall back to the whole store where the best passage inside the sections is nearer to the farthest passage
fetched than to the nearest: the sections then miss what is asked for, or hold it in no passage."""


@dataclass(frozen=True, slots=True)
class PassageResult:
    """Passages of a user's own store, best first, and how they were found."""

    question: str
    passages: tuple[Passage, ...]
    sections: tuple[Hit, ...]
    """What the structure cut the question down to."""
    fell_back: bool
    """Whether the passages come from the whole store, since those in the sections are too far from the question."""
    trace: Trace
    notes: tuple[Note, ...] = ()


def search_inside(
    library: Library,
    question: str,
    store: PassageStore,
    *,
    k: int = 5,
    scope: Scope = ALL,
    sections: int = SECTIONS,
    least_score: float | None = None,
    **how: Any,
) -> PassageResult:
    """Give the k passages of a vector store that answer best: first those in the sections that a search finds.

    Args:
        library: The documents that the store's passages are from.
        question: What is asked.
        store: The vector store.
        k: How many passages; fewer only where the store has fewer in the scope.
        scope: Which documents may be seen, in the search and of what the store gives.
        sections: How many sections the search cuts the question down to.
        least_score: The best passage inside has to reach this score of the store's, or the whole store answers. None
            takes the point ``FALLBACK_SHARE`` of the way from the farthest passage fetched to the nearest.
        **how: Other arguments of ``search``: ``navigator``, ``model``, ``budget`` and so on.

    Raises:
        QuestionError: the question is empty, or k is below 1.
        OptionError: another argument cannot be meant.
    """
    started, model = start_search(library, question, k=sections, scope=scope, **how)
    return run(_rank_inside(question, store, _checked(k), scope, least_score, started), library, model)


async def asearch_inside(
    library: Library,
    question: str,
    store: PassageStore,
    *,
    k: int = 5,
    scope: Scope = ALL,
    sections: int = SECTIONS,
    least_score: float | None = None,
    **how: Any,
) -> PassageResult:
    """Do what ``search_inside`` does, without blocking the event loop."""
    started, model = start_search(library, question, k=sections, scope=scope, **how)
    return await arun(_rank_inside(question, store, _checked(k), scope, least_score, started), library, model)


def _checked(k: int) -> int:
    return SearchOptions(k=k).k


def _rank_inside(
    question: str, store: PassageStore, k: int, scope: Scope, least_score: float | None, search: Navigator
) -> Navigation[PassageResult]:
    result = yield from search
    asked = yield from ask_store(store, question, k * FETCH, scope)
    inside = yield from _in_sections(asked.placed, result.hits, scope)
    documents = tuple(dict.fromkeys(hit.doc_id for hit in result.hits))
    if len(inside) < k and documents:
        within = yield from ask_store(store, question, k * FETCH, replace(scope, documents=documents))
        inside = yield from _in_sections(within.placed, result.hits, scope)
    steps = [Step("vectors", f"{len(inside)} of {len(asked.placed)} passages lie in {len(result.hits)} sections")]
    notes = [*result.notes, *asked.notes]
    fell_back = _is_far(inside, asked.placed, least_score)
    if fell_back:
        inside = []
        message = "No passage in the sections found is near enough to the question, so the whole vector store answers."
        notes.append(Note("fell_back_to_store", message))
        steps.append(Step("fallback", message))
    found = [one.passage for one in (*inside, *asked.placed)]
    ranked: dict[tuple[object, ...], Passage] = {}
    for one in found:
        ranked.setdefault((one.node_id, one.documents, one.page_start, one.text), one)
    trace = replace(result.trace, steps=(*result.trace.steps, *steps))
    return PassageResult(question, tuple(ranked.values())[:k], result.hits, fell_back, trace, tuple(notes))


def _in_sections(placed: Sequence[Placed], hits: Sequence[Hit], scope: Scope) -> Navigation[list[Placed]]:
    """Give the passages that share a page with one of the hits, or are one."""
    infos = {one.info.doc_id: one.info for one in placed}
    wanted = [infos[doc_id] for doc_id in dict.fromkeys(hit.doc_id for hit in hits) if doc_id in infos]
    found = yield from open_documents(wanted, scope)
    documents = {info.doc_id: opened for info, opened in zip(found.infos, found.documents, strict=True)}
    covered = {(hit.doc_id, page) for hit in hits for page in range(hit.page_start, hit.page_end + 1)}
    units = {hit.unit_id for hit in hits}
    inside: list[Placed] = []
    for one in placed:
        document = documents.get(one.info.doc_id)
        if document is None:
            continue
        pages = (document.index.page_numbers[at] for at in pages_of(one.passage, document))
        if one.passage.node_id in units or any((one.info.doc_id, page) in covered for page in pages):
            inside.append(one)
    return inside


def _is_far(inside: Sequence[Placed], everything: Sequence[Placed], least_score: float | None) -> bool:
    if not inside:
        return bool(everything)
    best = inside[0].passage.score
    scores = [one.passage.score for one in everything if one.passage.score is not None]
    if best is None or not scores:
        return False
    if least_score is None:
        least_score = min(scores) + FALLBACK_SHARE * (max(scores) - min(scores))
    return best < least_score
