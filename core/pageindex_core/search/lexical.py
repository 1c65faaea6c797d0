"""The model-free navigator: shortlist documents, score their pieces, follow references, read the best units."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pageindex_core.options import SearchOptions
from pageindex_core.records import DocumentInfo, Hit, Note, Page, Scope, SearchResult, Step, Trace
from pageindex_core.search.absent import note_absent
from pageindex_core.search.hits import build_hit, mark_line, score_lines, unit_page_numbers
from pageindex_core.search.navigate import LibraryRead, Navigator, Requests
from pageindex_core.search.opened import OpenDocument, OpenDocuments
from pageindex_core.search.question import MOST_TERMS, Question, parse_question
from pageindex_core.search.rank import RankedUnit, RankedUnits, rank_units
from pageindex_core.search.references import STRONG_HITS, follow_references
from pageindex_core.search.score import Scores, score_documents

SHORTLIST_DOCUMENTS = 20
"""Documents whose pieces are scored. The library proposes them by rare words and titles; loading and scoring one costs
a few milliseconds, and a document past the twentieth has never held the evidence in what we measured."""

_opened = OpenDocuments()
"""Indexes in memory. Keyed by identity, content and time of indexing, so libraries may share them."""


MOST_TERMS_TOLD = 40
"""Terms that a trace names: a question, not an essay."""


@dataclass(slots=True)
class Found:
    """The documents a question is asked of, as far as they have been read."""

    infos: list[DocumentInfo]
    documents: list[OpenDocument]
    notes: list[Note] = field(default_factory=list)
    pages: list[dict[int, Page]] = field(default_factory=list)
    """Pages read so far, by number, for each document."""


@dataclass(slots=True)
class Ranking:
    """Units in the order of the words they hold, before any is read as a hit."""

    question: Question
    found: Found
    scores: Scores
    units: RankedUnits
    """The best ones, best first."""
    steps: list[Step]
    considered: int
    """How many units there were to rank."""


def search_words(text: str, scope: Scope, options: SearchOptions) -> Navigator:
    """Answer a question by its words and the places it names; see ``navigate`` for how to run this."""
    started = time.perf_counter()
    ranking = yield from rank_words(text, scope, options, max(options.k, STRONG_HITS))
    found, ranked = ranking.found, ranking.units
    chosen = ranked[: options.k] if options.fill else [unit for unit in ranked[: options.k] if unit.score > 0]
    fill = sum(1 for unit in chosen if unit.found_by == "fill")
    if fill:
        ranking.steps.append(Step("fill", f"{fill} units without a matching word complete the answer"))
    hits = yield from read_hits(found, chosen, ranking.scores, scope, options)
    trace = Trace("lexical", tuple(ranking.steps), elapsed_ms(started), len(found.infos), ranking.considered)
    return SearchResult(text, hits, trace, tuple(found.notes))


def rank_words(
    text: str, scope: Scope, options: SearchOptions, count: int, *, also: Sequence[DocumentInfo] = ()
) -> Generator[Requests, Sequence[Any], Ranking]:
    """Rank the units of the most promising documents, with what their references raise; give the best ``count``.

    Documents given as ``also`` are ranked whatever their words; they have to be in the scope.
    """
    question = parse_question(text)
    found = yield from shortlist(question.terms, scope, options)
    listed = {info.doc_id for info in found.infos}
    others = [info for info in also if info.doc_id not in listed]
    if others:
        found = yield from open_documents([*found.infos, *others], scope)
    if question.is_cut:
        found.notes.append(Note("question_cut", f"Only the first {MOST_TERMS:,} words of the question were searched."))
    found.notes += note_absent(found.documents, found.infos, question.places)
    told = " ".join(question.terms[:MOST_TERMS_TOLD])
    steps = [Step("shortlist", f"{len(found.infos)} documents for the terms: {told}")]
    scores = score_documents(found.documents, question)
    ranked = rank_units(found.documents, scores, options.unit, count)
    considered = sum(len(document.units(options.unit)) for document in found.documents)
    steps.append(Step("score", f"{considered} units", _node_ids(found, ranked[: options.k])))
    strongest = [unit for unit in ranked[:STRONG_HITS] if unit.score > 0]
    yield from read_pages_of(found, strongest, scope)
    strongest = [unit for unit in strongest if is_read(found, unit)]
    lifted = follow_references(found.documents, scores, strongest, found.pages)
    if lifted:
        ranked = rank_units(found.documents, scores, options.unit, count, lifted=lifted)
        followed = [unit for unit in ranked if unit.found_by == "reference"]
        steps.append(Step("reference", f"{len(followed)} units raised", _node_ids(found, followed)))
    return Ranking(question, found, scores, ranked, steps, considered)


def shortlist(terms: Sequence[str], scope: Scope, options: SearchOptions) -> Generator[Requests, Sequence[Any], Found]:
    """Give the documents to score, opened: the most promising, and as many as it takes for k units."""
    limit = SHORTLIST_DOCUMENTS
    while True:
        (infos,) = yield (LibraryRead("shortlist", (list(terms), scope), {"limit": limit}),)
        found = yield from open_documents(infos, scope)
        units = sum(len(document.units(options.unit)) for document in found.documents)
        if units >= options.k or len(infos) < limit or not options.fill:
            break
        limit *= 4
    if options.fill and units < options.k:
        (everything,) = yield (LibraryRead("list", (scope,), {"limit": options.k + len(infos)}),)
        known = {info.doc_id for info in infos}
        others = [info for info in everything if info.status == "ready" and info.doc_id not in known]
        if others:
            found = yield from open_documents([*infos, *others], scope)
    return found


def read_pages_of(found: Found, units: Sequence[RankedUnit], scope: Scope) -> Generator[Requests, Sequence[Any], None]:
    """Read the pages of units that have not been read yet."""
    wanted: dict[int, set[int]] = {}
    for unit in units:
        numbers = set(unit_page_numbers(found.documents[unit.document], unit)) - found.pages[unit.document].keys()
        if numbers:
            wanted.setdefault(unit.document, set()).update(numbers)
    if not wanted:
        return
    requests = [
        LibraryRead("pages", (found.infos[document].doc_id, sorted(numbers), scope))
        for document, numbers in wanted.items()
    ]
    replies = yield tuple(requests)
    for document, pages in zip(wanted, replies, strict=True):
        found.pages[document].update({page.page_number: page for page in pages or ()})


def is_read(found: Found, unit: RankedUnit) -> bool:
    """Whether all pages of a unit are there: a document may be replaced or removed while it is searched."""
    document = found.documents[unit.document]
    index = document.index
    counts = dict(zip(index.page_numbers, index.page_first_lines[1:], strict=True))
    starts = dict(zip(index.page_numbers, index.page_first_lines, strict=False))
    pages = found.pages[unit.document]
    return all(
        number in pages and len(pages[number].lines) == counts[number] - starts[number]
        for number in unit_page_numbers(document, unit)
    )


def read_hits(
    found: Found, chosen: Sequence[RankedUnit], scores: Scores, scope: Scope, options: SearchOptions
) -> Generator[Requests, Sequence[Any], tuple[Hit, ...]]:
    """Read the chosen units and give them as hits."""
    yield from read_pages_of(found, chosen, scope)
    hits: list[Hit] = []
    for unit in chosen:
        if not is_read(found, unit):
            name = found.infos[unit.document].name
            found.notes.append(Note("document_changed", f"{name} was replaced or removed during the search."))
            continue
        document, pages = found.documents[unit.document], found.pages[unit.document]
        match = scores.documents[unit.document]
        lines = score_lines(document, match, unit, pages)
        marks = partial(mark_line, document, match)
        info = found.infos[unit.document]
        hits.append(build_hit(info, document, unit, pages, options.unit, lines, options.max_tokens, marks))
    return tuple(hits)


def open_documents(infos: Sequence[DocumentInfo], scope: Scope) -> Generator[Requests, Sequence[Any], Found]:
    """Open documents, from memory where they are still there."""
    opened: Mapping[str, OpenDocument | None] = {info.doc_id: _opened.find(info) for info in infos}
    missing = [info for info in infos if opened[info.doc_id] is None]
    loaded: dict[str, OpenDocument] = {}
    notes: list[Note] = []
    if missing:
        replies = yield tuple(LibraryRead("postings", (info.doc_id, scope)) for info in missing)
        for info, data in zip(missing, replies, strict=True):
            if data:
                loaded[info.doc_id] = _opened.load(info, data)
            else:
                notes.append(Note("document_changed", f"{info.name} was removed during the search."))
    kept: list[DocumentInfo] = []
    documents: list[OpenDocument] = []
    for info in infos:
        document = opened[info.doc_id] or loaded.get(info.doc_id)
        if document is not None:
            kept.append(info)
            documents.append(document)
    return Found(kept, documents, notes, [{} for _ in kept])


def _node_ids(found: Found, units: Sequence[RankedUnit]) -> tuple[str, ...]:
    named = []
    for unit in units:
        index = found.documents[unit.document].index
        section = index.pieces[unit.first_piece].section
        if section < len(index.sections):
            named.append(f"{found.infos[unit.document].doc_id}/{index.sections[section].node_id}")
    return tuple(dict.fromkeys(named))


def elapsed_ms(started: float) -> float:
    """Give the milliseconds since a reading of the performance counter."""
    return round((time.perf_counter() - started) * 1000, 3)
