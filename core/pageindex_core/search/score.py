"""The one scorer: how well each piece of the documents in scope answers a question.

Evidence of a clause (one thing asked for), weighed by how rare it is among the pages in scope:

* the whole page, BM25: words that answer together stand on one page, often in different sections of it;
* the first lines of the page: its title, the name of the table or statement that fills it;
* the piece itself, BM25;
* titles of the section and of those above it;
* summary and key items of the section.

To these come neighbouring clauses found close together on a page, and phrases in quotation marks. Printed contents and
the like weigh half: see ``listings``. A place that the question names outweighs everything: see ``structure``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pageindex_core.search.listings import LISTING_SHARE, asks_for_listing
from pageindex_core.search.opened import OpenDocument, any_run_positions
from pageindex_core.search.question import Clause, Question
from pageindex_core.search.structure import find_targets

# Source of the weights: set together on 48 FinanceBench and 139 readable MMLongBench-Doc questions (recall of the
# evidence pages at 5 and 10, and within 4,000 tokens), 2026-11-30. Halving or doubling any moves recall by 0 to 3
# percent; what was tried and left out is in docs/design-notes.md.
PAGE_WEIGHT = 1.0
HEAD_WEIGHT = 0.6
PIECE_WEIGHT = 0.6
TITLE_WEIGHT = 0.6
DESCRIPTION_WEIGHT = 0.2
CLOSE_WEIGHT = 0.4
DOCUMENT_WEIGHT = 0.5
"""Only where several documents are in scope. Each of the three parts alone helps; together they raise the questions
whose first hit is of the right document from 69 to 90 percent, among 34 filings."""
PHRASE_WEIGHT = 2.0
"""A phrase that someone takes the trouble to quote is more telling than its words."""

FIRST_PAGE_WEIGHT = 1.0
"""About the weight of a word on a third of the pages. Who wrote, when, against whom, under which number: questions
about a document as a whole share few words with it, and its first page answers them."""

LONG_DOCUMENT_PAGES = 10
"""A shorter document has no cover to speak of, and words weigh too little among so few pages to outweigh a prior."""

PLACE_WEIGHT = 1.0
"""What a place that the question names adds, in scores of a piece with everything else: it outweighs all of that."""

SATURATION = 1.2
LENGTH_SHARE = 0.75
"""BM25's k1 and b. Pages differ in length less than documents do, so b is a little below the usual 0.75."""

CLOSE_POSITIONS = 3
"""Neighbouring clauses count as close when at most two terms stand between them: a function word and one more."""

ANCESTOR_SHARE = 0.5
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


@dataclass(frozen=True, slots=True)
class _Scope:
    """The documents that are scored together, and what a clause's weight depends on."""

    documents: Sequence[OpenDocument]
    matched: Sequence[Matched]
    page_total: int
    average_page: float
    average_piece: float
    holding: dict[Clause, list[int]] = field(default_factory=dict)
    """How many pages of each document hold a clause; known once the clause was added."""


Found = dict[Clause, list[Sequence[int]]]
"""Positions of each clause in the text of each document."""


def score_documents(documents: Sequence[OpenDocument], question: Question) -> Scores:
    """Score every piece of the documents. A clause weighs by its rarity over all of them."""
    scope = _open_scope(documents, question)
    found: Found = {}
    bound = 0.0
    for clause in (*question.clauses, *question.phrases):
        if clause not in found:
            found[clause] = [any_run_positions(document.index.text, clause.runs) for document in documents]
            weight = PHRASE_WEIGHT if clause in question.phrases else 1.0
            bound += _add_clause(scope, clause, found[clause], weight)
    bound += _add_closeness(scope, question, found)
    if len(documents) > 1:
        bound += _add_documents(scope, question, found)
    if not asks_for_listing(question.text):
        _lower_listings(scope)
    for document, match in zip(scope.documents, scope.matched, strict=True):
        first = document.first_text_page
        if len(match.page_scores) >= LONG_DOCUMENT_PAGES and match.page_scores[first]:
            match.page_scores[first] += FIRST_PAGE_WEIGHT
    bound += FIRST_PAGE_WEIGHT
    if any(match.targets for match in scope.matched):
        for match in scope.matched:
            for piece, strength in match.targets.items():
                match.piece_scores[piece] += PLACE_WEIGHT * strength * bound
        bound *= 1 + PLACE_WEIGHT
    return Scores(list(scope.matched), bound)


def _open_scope(documents: Sequence[OpenDocument], question: Question) -> _Scope:
    page_total = sum(1 for document in documents for length in document.page_lengths if length)
    piece_total = sum(len(document.piece_lengths) for document in documents)
    positions = sum(len(document.index.text) for document in documents)
    matched = [
        Matched(
            [0.0] * len(document.page_lengths),
            [0.0] * len(document.piece_lengths),
            find_targets(document, question.places) if question.places else {},
        )
        for document in documents
    ]
    return _Scope(
        documents,
        matched,
        page_total,
        max(1.0, positions / max(1, page_total)),
        max(1.0, positions / max(1, piece_total)),
    )


def _add_clause(scope: _Scope, clause: Clause, found: Sequence[Sequence[int]], weight: float) -> float:
    """Add one clause's evidence; give the most it could have added to a piece."""
    pages: list[Mapping[int, int]] = [
        Counter(map(document.page_of.__getitem__, positions)) if positions else {}
        for document, positions in zip(scope.documents, found, strict=True)
    ]
    heads = [
        set(map(document.head_of.__getitem__, positions)) - {0} if positions else set()
        for document, positions in zip(scope.documents, found, strict=True)
    ]
    holding = scope.holding[clause] = list(map(len, pages))
    rarity = weight * _rarity(sum(holding), scope.page_total)
    # Words of running heads stand in every page's first lines: they weigh by their rarity there as well.
    head_rarity = min(rarity, weight * _rarity(sum(map(len, heads)), scope.page_total))
    for number, (document, match, positions) in enumerate(zip(scope.documents, scope.matched, found, strict=True)):
        _add_sections(document, match, clause, rarity)
        if not positions:
            continue
        match.places.append((rarity, positions))
        _add_counts(match.page_scores, pages[number], PAGE_WEIGHT * rarity, document.page_lengths, scope.average_page)
        for head in heads[number]:
            match.page_scores[head - 1] += HEAD_WEIGHT * head_rarity
        pieces = Counter(map(document.piece_of.__getitem__, positions))
        _add_counts(match.piece_scores, pieces, PIECE_WEIGHT * rarity, document.piece_lengths, scope.average_piece)
    return rarity * (PAGE_WEIGHT + HEAD_WEIGHT + PIECE_WEIGHT + TITLE_WEIGHT + DESCRIPTION_WEIGHT)


def _add_counts(
    scores: list[float], counts: Mapping[int, int], weight: float, lengths: Sequence[int], average: float
) -> None:
    """Add BM25's share of a weight to each page or piece that holds a clause.

    Repeating a word convinces little after the third time, and less in long texts.
    """
    for place, count in counts.items():
        length = 1 - LENGTH_SHARE + LENGTH_SHARE * lengths[place] / average
        scores[place] += weight * count / (count + SATURATION * length)


def _add_sections(document: OpenDocument, match: Matched, clause: Clause, rarity: float) -> None:
    """Add the evidence of titles and descriptions to the pieces of the sections they belong to."""
    index = document.index
    shares: dict[int, float] = {}
    for section in document.owners_of(index.titles, document.title_owner, clause.runs):
        for below in range(section, document.subtree_ends[section]):
            depth = document.depths[below] - document.depths[section]
            shares[below] = max(shares.get(below, 0.0), TITLE_WEIGHT * ANCESTOR_SHARE**depth)
    for section in document.owners_of(index.descriptions, document.description_owner, clause.runs):
        shares[section] = shares.get(section, 0.0) + DESCRIPTION_WEIGHT
    for section, share in shares.items():
        for piece in document.pieces_of_section.get(section, ()):
            match.piece_scores[piece] += rarity * share


def _add_closeness(scope: _Scope, question: Question, found: Found) -> float:
    """Add the evidence of neighbouring clauses that stand close together; give the most it could have added."""
    bound = 0.0
    for before, after in dict.fromkeys(pairwise(question.clauses)):
        if before == after:
            continue
        counts: list[Counter[int]] = []
        for document, earlier, later in zip(scope.documents, found[before], found[after], strict=True):
            wanted = set(later) if earlier else set()
            close: set[int] = set()
            for step in range(1, CLOSE_POSITIONS + 1) if wanted else ():
                close |= wanted.intersection(map(step.__add__, earlier))
            counts.append(Counter(map(document.page_of.__getitem__, close)))
        pages = sum(map(len, counts))
        if pages:
            weight = CLOSE_WEIGHT * _rarity(pages, scope.page_total)
            bound += weight
            for document, match, count in zip(scope.documents, scope.matched, counts, strict=True):
                _add_counts(match.page_scores, count, weight, document.page_lengths, scope.average_page)
    return bound


def _add_documents(scope: _Scope, question: Question, found: Found) -> float:
    """Add the evidence of whole documents to all their pages that have any; give the most it could have added.

    Three things tell which of many similar documents is meant: its name, its first page, and the share of its pages
    that hold a clause (a report on 2018 says "2018" on most of its pages, the one on 2019 on fewer).
    """
    bound = 0.0
    totals = [0.0] * len(scope.documents)
    for clause, everywhere in found.items():
        pages = scope.holding[clause]
        weight = DOCUMENT_WEIGHT * _rarity(sum(pages), scope.page_total)
        bound += 3 * weight
        for number, (document, positions) in enumerate(zip(scope.documents, everywhere, strict=True)):
            on_first = bool(positions) and positions[0] < document.first_page_end
            share = pages[number] / max(1, len(document.page_lengths))
            totals[number] += weight * (on_first + share + any(map(document.is_named, clause.runs)))
    named = [any(document.is_named((term,)) for term in question.joined) for document in scope.documents]
    if any(named):
        weight = DOCUMENT_WEIGHT * _rarity(sum(named), len(named))
        bound += weight
        totals = [total + weight * is_named for total, is_named in zip(totals, named, strict=True)]
    for match, total in zip(scope.matched, totals, strict=True):
        match.page_scores = [score + total if score else 0.0 for score in match.page_scores]
    return bound


def _lower_listings(scope: _Scope) -> None:
    """Take from printed contents and the like what their repeating of titles gave them."""
    for document, match in zip(scope.documents, scope.matched, strict=True):
        if not document.listings:
            continue
        for piece in document.listings:
            match.piece_scores[piece] *= LISTING_SHARE
        pages = {document.page_of_piece[piece] for piece in document.listings}
        others = {page for piece, page in enumerate(document.page_of_piece) if piece not in document.listings}
        for page in pages - others:
            match.page_scores[page] *= LISTING_SHARE


def _rarity(holders: int, total: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return math.log(1 + (max(0, total - holders) + 0.5) / (holders + 0.5))
