"""Scores of pieces to ranked units that never overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pageindex_core.records import FoundBy, Unit
from pageindex_core.search.opened import OpenDocument
from pageindex_core.search.score import Matched, Scores

SEEN_PAGE_SHARE = 0.6
"""What is left of a page's own score for a further unit on a page that a better unit has shown already, once for each.
Half of a good page rarely needs three hits; another page does. Measured with the weights of ``score``: 0.4 and 0.8
give the same pages and within 4,000 tokens 0 to 2 percent less."""


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
    """Page indexes of the unit, the one with the best evidence first."""


def rank_units(
    documents: Sequence[OpenDocument],
    scores: Scores,
    unit: Unit,
    *,
    lifted: frozenset[tuple[int, int]] = frozenset(),
) -> list[RankedUnit]:
    """Give every unit, best first; those without any evidence last, in document order.

    Args:
        documents: As they were scored.
        scores: Of ``score_documents``.
        unit: What to return.
        lifted: (document, piece) of the pieces whose score a reference has raised.
    """
    rows = [
        (total, document, run, tuple(pages))
        for document, (opened, match) in enumerate(zip(documents, scores.documents, strict=True))
        for run in opened.units(unit)
        for total, pages in [_weigh(opened, match, run)]
    ]
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    shown: dict[tuple[int, int], int] = {}
    weighed = []
    for total, document, run, pages in rows:
        best = pages[0]
        times = shown.get((document, best), 0)
        shown[document, best] = times + 1
        page_score = scores.documents[document].page_scores[best]
        weighed.append((total - page_score * (1 - SEEN_PAGE_SHARE**times), document, run, pages))
    weighed.sort(key=lambda row: (-row[0], row[1], row[2]))
    bound = scores.bound or 1.0
    return [
        RankedUnit(
            document,
            run[0],
            run[1] - 1,
            min(1.0, max(0.0, total / bound)),
            _found_by(scores.documents[document], document, run, total, lifted),
            pages,
        )
        for total, document, run, pages in weighed
    ]


def _weigh(opened: OpenDocument, match: Matched, run: tuple[int, int]) -> tuple[float, list[int]]:
    """Give a unit's score, that of its best piece, and its pages by the score of their best piece."""
    pieces = opened.index.pieces
    if run[1] - run[0] == 1:  # the usual case, without a table
        page = pieces[run[0]].page
        return match.page_scores[page] + match.piece_scores[run[0]], [page]
    best: dict[int, float] = {}
    for number in range(*run):
        page = pieces[number].page
        score = match.page_scores[page] + match.piece_scores[number]
        best[page] = max(score, best.get(page, 0.0))
    pages = sorted(best, key=lambda page: (-best[page], page))
    return best[pages[0]], pages


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
