"""Scores of pieces to ranked units that never overlap."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

from pageindex_core.records import FoundBy, Unit
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.score import Matched, Scores

SHARED_PAGE_SHARE = 0.3
"""What every piece of a page has of the page's score; the rest goes by the piece's own evidence, all of it to the best
piece of the page. So another piece of a good page, without a word of the question, does not come before other pages.
Source: on 187 FinanceBench and MMLongBench-Doc questions anything from 0.3 to 0.7 finds the same pages; 0 and 1 find
1 to 2 percent fewer within ten pages or 4,000 tokens."""

EVIDENCE_SHARE = 0.5
"""A page of a unit is named as evidence when it holds at least half as much as the unit's best page: a section that
runs over to the next page does not make that page an answer. Source: on 48 FinanceBench questions 0.5 finds 2 to 3
percent more evidence pages within the first five and ten than naming all pages, and on 139 of MMLongBench-Doc 1 percent
fewer; other sets have fewer sections that run over."""


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """A unit of one document, ready to be read."""

    document: int
    """Index among the documents that were scored."""
    first_piece: int
    last_piece: int
    """Inclusive."""
    score: float
    """0..1."""
    found_by: FoundBy
    pages: tuple[int, ...]
    """Page indexes of the unit that hold the evidence, the best first."""


def rank_units(
    documents: Sequence[OpenDocument],
    scores: Scores,
    unit: Unit,
    count: int,
    *,
    lifted: frozenset[tuple[int, int]] = frozenset(),
) -> RankedUnits:
    """Give the best units, best first; those without any evidence last, in document order.

    Args:
        documents: As they were scored.
        scores: Of ``score_documents``.
        unit: What to return.
        count: How many units to give; fewer only where there are fewer.
        lifted: (document, piece) of the pieces whose score a reference has raised.
    """
    totals = [_piece_totals(document, match) for document, match in zip(documents, scores.documents, strict=True)]
    unit_totals = [
        [own[first] if stop - first == 1 else max(own[first:stop]) for first, stop in document.units(unit)]
        for document, own in zip(documents, totals, strict=True)
    ]
    best = heapq.nlargest(count, chain.from_iterable(unit_totals))
    rows = [
        (-total, number, run)
        for number, document in enumerate(documents)
        for total, run in zip(unit_totals[number], document.units(unit), strict=True)
        if total >= best[-1]
    ]
    return RankedUnits(documents, scores, totals, lifted, heapq.nsmallest(count, rows))


class RankedUnits(Sequence[RankedUnit]):
    """Units in their order, each made when it is looked at: of thousands that are ranked, few are."""

    def __init__(
        self,
        documents: Sequence[OpenDocument],
        scores: Scores,
        totals: Sequence[Sequence[float]],
        lifted: frozenset[tuple[int, int]],
        rows: Sequence[tuple[float, int, tuple[int, int]]],
    ) -> None:
        self._documents = documents
        self._scores = scores
        self._totals = totals
        self._lifted = lifted
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> RankedUnit: ...

    @overload
    def __getitem__(self, at: slice) -> list[RankedUnit]: ...

    def __getitem__(self, at: int | slice) -> RankedUnit | list[RankedUnit]:
        return [self._made(row) for row in self._rows[at]] if isinstance(at, slice) else self._made(self._rows[at])

    def __iter__(self) -> Iterator[RankedUnit]:
        return map(self._made, self._rows)

    def of_document(self, number: int) -> Iterator[RankedUnit]:
        """Give the units of one document, best first."""
        return (self._made(row) for row in self._rows if row[1] == number)

    def documents(self) -> list[int]:
        """Give the documents by the place of their best unit."""
        return list(dict.fromkeys(number for _, number, _ in self._rows))

    def _made(self, row: tuple[float, int, tuple[int, int]]) -> RankedUnit:
        negative, number, run = row
        return RankedUnit(
            number,
            run[0],
            run[1] - 1,
            min(1.0, max(0.0, -negative / (self._scores.bound or 1.0))),
            _found_by(self._scores.documents[number], number, run, -negative, self._lifted),
            _evidence_pages(self._documents[number], self._totals[number], run),
        )


def _piece_totals(document: OpenDocument, match: Matched) -> list[float]:
    """Score of each piece: its own, and its part of the score of its page."""
    if not any(match.page_scores):
        return match.piece_scores
    best_of_page = [0.0] * len(match.page_scores)
    for page, own in zip(document.page_of_piece, match.piece_scores, strict=True):
        if own > best_of_page[page]:
            best_of_page[page] = own
    totals: list[float] = []
    for page, own in zip(document.page_of_piece, match.piece_scores, strict=True):
        best, page_score = best_of_page[page], match.page_scores[page]
        if page_score and best:
            page_score *= SHARED_PAGE_SHARE + (1 - SHARED_PAGE_SHARE) * own / best
        totals.append(own + page_score)
    return totals


def _evidence_pages(document: OpenDocument, totals: Sequence[float], run: tuple[int, int]) -> tuple[int, ...]:
    first, last = document.page_of_piece[run[0]], document.page_of_piece[run[1] - 1]
    if first == last:  # as in most units, and pieces stand in page order
        return (first,)
    best: dict[int, float] = {}
    for piece in range(*run):
        page = document.page_of_piece[piece]
        best[page] = max(totals[piece], best.get(page, 0.0))
    least = EVIDENCE_SHARE * max(best.values())
    return tuple(sorted((page for page in best if best[page] >= least), key=lambda page: (-best[page], page)))


def _found_by(
    match: Matched, document: int, run: tuple[int, int], total: float, lifted: frozenset[tuple[int, int]]
) -> FoundBy:
    if total <= 0:
        return "fill"
    if match.targets and any(piece in match.targets for piece in range(*run)):
        return "structure"
    if lifted and any((document, piece) in lifted for piece in range(*run)):
        return "reference"
    return "lexical"
