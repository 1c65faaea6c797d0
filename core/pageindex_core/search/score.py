"""The one scorer: how well each piece of the documents in scope answers a question.

Evidence of a clause (one thing asked for), weighed by how rare it is among the pages in scope:

* the whole page, BM25: words that answer together stand on one page, often in different sections of it;
* the first lines of the page: its title, the name of the table or statement that fills it;
* the piece itself, BM25;
* titles of the section and of those above it;
* summary and key items of the section.

To these come neighbouring clauses found close together on a page, and phrases in quotation marks. A place that the
question names outweighs everything: see ``structure``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pageindex_core.search.opened import OpenDocument, any_run_positions
from pageindex_core.search.question import Clause, Question
from pageindex_core.search.structure import find_targets

# Source of the weights: set together on 48 FinanceBench and 139 readable MMLongBench-Doc questions (recall of the
# evidence pages at 5 and 10, and within 4,000 tokens), 2026-11-30. Halving or doubling any moves recall by 0 to 3
# percent; what was tried and left out is in docs/design-notes.md.
PAGE_WEIGHT = 1.0
HEAD_WEIGHT = 0.6
PIECE_WEIGHT = 0.6
TITLE_WEIGHT = 0.4
DESCRIPTION_WEIGHT = 0.2
CLOSE_WEIGHT = 0.4
PHRASE_WEIGHT = 2.0
"""A phrase that someone takes the trouble to quote is more telling than its words."""

SATURATION = 1.2
LENGTH_SHARE = 0.6
"""BM25's k1 and b. Pages differ in length less than documents do, so b is a little below the usual 0.75."""

CLOSE_POSITIONS = 3
"""Neighbouring clauses count as close when at most two terms stand between them: a function word and one more."""

_ANCESTOR_SHARE = 0.5
"""A term in the title of the section above counts half, above that a quarter, and so on."""


@dataclass(slots=True)
class Matched:
    """What one document holds of a question."""

    page_scores: list[float]
    piece_scores: list[float]
    """Of the piece itself and of its section's titles and description; without its page's score."""
    targets: dict[int, float]
    """Pieces that the question names as a place, with their strength."""
    places: list[tuple[float, Sequence[int]]] = field(default_factory=list)
    """Weight of each clause and the positions in the text where it stands: what quotes are chosen by."""


@dataclass(slots=True)
class Scores:
    """The matches of all documents, and the score that a piece with everything would have."""

    documents: list[Matched]
    bound: float


def score_documents(documents: Sequence[OpenDocument], question: Question) -> Scores:
    """Score every piece of the documents. A clause weighs by its rarity over all of them."""
    page_total = sum(1 for document in documents for length in document.page_lengths if length)
    lengths = sum(len(document.index.text) for document in documents)
    piece_total = sum(len(document.piece_lengths) for document in documents)
    average_page = max(1.0, lengths / max(1, page_total))
    average_piece = max(1.0, lengths / max(1, piece_total))
    matched = [
        Matched(
            [0.0] * len(document.page_lengths),
            [0.0] * len(document.piece_lengths),
            find_targets(document, question.places) if question.places else {},
        )
        for document in documents
    ]
    bound = 0.0
    found: dict[Clause, list[Sequence[int]]] = {}
    for clause in (*question.clauses, *question.phrases):
        if clause in found:
            continue
        found[clause] = [any_run_positions(document.index.text, clause.runs) for document in documents]
        weight = PHRASE_WEIGHT if clause in question.phrases else 1.0
        bound += _add_clause(documents, matched, clause, found[clause], weight, page_total, average_page, average_piece)
    bound += _add_closeness(documents, matched, question, found, page_total, average_page)
    if any(match.targets for match in matched):
        top = bound or 1.0
        for document, match in zip(documents, matched, strict=True):
            for piece, strength in match.targets.items():
                match.piece_scores[piece] += strength * top
        bound = 2 * top
    return Scores(matched, bound)


def _add_clause(
    documents: Sequence[OpenDocument],
    matched: Sequence[Matched],
    clause: Clause,
    found: Sequence[Sequence[int]],
    weight: float,
    page_total: int,
    average_page: float,
    average_piece: float,
) -> float:
    """Add one clause's evidence; give the most it could have added to a piece."""
    page_counts = [
        Counter(map(document.page_of.__getitem__, positions)) if positions else Counter()
        for document, positions in zip(documents, found, strict=True)
    ]
    head_pages = [
        set(map(document.head_of.__getitem__, positions)) - {0} if positions else set()
        for document, positions in zip(documents, found, strict=True)
    ]
    rarity = weight * _rarity(sum(map(len, page_counts)), page_total)
    # Words of running heads stand in every page's first lines: they weigh by their rarity there as well.
    head_rarity = min(rarity, weight * _rarity(sum(map(len, head_pages)), page_total))
    for document, match, positions, counts, heads in zip(
        documents, matched, found, page_counts, head_pages, strict=True
    ):
        _add_sections(document, match, clause, rarity)
        if not positions:
            continue
        match.places.append((rarity, positions))
        for page, count in counts.items():
            share = _saturated(count, document.page_lengths[page] / average_page)
            match.page_scores[page] += PAGE_WEIGHT * rarity * share
        for head in heads:
            match.page_scores[head - 1] += HEAD_WEIGHT * head_rarity
        for piece, count in Counter(map(document.piece_of.__getitem__, positions)).items():
            share = _saturated(count, document.piece_lengths[piece] / average_piece)
            match.piece_scores[piece] += PIECE_WEIGHT * rarity * share
    return rarity * (PAGE_WEIGHT + HEAD_WEIGHT + PIECE_WEIGHT + TITLE_WEIGHT + DESCRIPTION_WEIGHT)


def _add_sections(document: OpenDocument, match: Matched, clause: Clause, rarity: float) -> None:
    """Add the evidence of titles and descriptions to the pieces of the sections they belong to."""
    shares: dict[int, float] = {}
    owner = document.title_owner
    sections = len(document.index.sections)
    for section in sorted({owner[position] for position in any_run_positions(document.index.titles, clause.runs)}):
        if section < sections:
            share = TITLE_WEIGHT
            shares[section] = max(share, shares.get(section, 0.0))
    titled = dict(shares)
    for section in titled:
        for below in range(section + 1, document.subtree_ends[section]):
            depth = 0
            at = below
            while at != section:
                at = document.index.sections[at].parent
                depth += 1
            shares[below] = max(shares.get(below, 0.0), TITLE_WEIGHT * _ANCESTOR_SHARE**depth)
    owner = document.description_owner
    for section in {owner[position] for position in any_run_positions(document.index.descriptions, clause.runs)}:
        if section < sections:
            shares[section] = shares.get(section, 0.0) + DESCRIPTION_WEIGHT
    for section, share in shares.items():
        for piece in document.pieces_of_section.get(section, ()):
            match.piece_scores[piece] += rarity * share


def _add_closeness(
    documents: Sequence[OpenDocument],
    matched: Sequence[Matched],
    question: Question,
    found: dict[Clause, list[Sequence[int]]],
    page_total: int,
    average_page: float,
) -> float:
    """Add the evidence of neighbouring clauses that stand close together; give the most it could have added."""
    bound = 0.0
    pairs = dict.fromkeys(zip(question.clauses, question.clauses[1:], strict=False))
    for before, after in pairs:
        if before == after:
            continue
        counts: list[Counter[int]] = []
        for document, earlier, later in zip(documents, found[before], found[after], strict=True):
            starts = set(earlier) if later else set()
            close = [
                position
                for position in (later if starts else ())
                if any(position - step in starts for step in range(1, CLOSE_POSITIONS + 1))
            ]
            counts.append(Counter(map(document.page_of.__getitem__, close)))
        pages = sum(map(len, counts))
        if not pages:
            continue
        rarity = _rarity(pages, page_total)
        bound += CLOSE_WEIGHT * rarity
        for document, match, pairs_of_page in zip(documents, matched, counts, strict=True):
            for page, count in pairs_of_page.items():
                share = _saturated(count, document.page_lengths[page] / average_page)
                match.page_scores[page] += CLOSE_WEIGHT * rarity * share
    return bound


def _rarity(holders: int, total: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return math.log(1 + (max(0, total - holders) + 0.5) / (holders + 0.5))


def _saturated(count: int, relative_length: float) -> float:
    """How far repeating a word convinces, 0..1: little after the third time, less in long texts."""
    return count / (count + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative_length))
