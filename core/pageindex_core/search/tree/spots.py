"""Trees and a lexical ranking to spots: what a map can show, with how likely each is and what it quotes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pageindex_core.records import DocumentInfo, PageTree
from pageindex_core.search.hits import score_lines
from pageindex_core.search.lexical import Ranking
from pageindex_core.search.opened import OpenDocument, any_run_positions
from pageindex_core.search.question import Question
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.structure import LINE, find_targets
from pageindex_core.search.terms import question_terms
from pageindex_core.search.tree.outline import Outline, Places
from pageindex_core.search.tree.section_map import Spot

MOST_WEIGHED = 60
"""Units whose place in the lexical order makes their sections likely; what comes later is chance."""

HALF_WEIGHT_RANK = 4.0
"""The unit at this place of the lexical order weighs half as much as the first."""

QUOTED_LINES = 3
MOST_LINE_CHARACTERS = 80
"""What is quoted of a place: two lines of a table or paragraph tell what it is about."""

MOST_WORD_CHARACTERS = 120
"""Of the words of the question that a place holds, in the question's wording whatever the place prints."""


def grow_spots(number: int, prefix: str, tree: PageTree, ranking: Ranking) -> Places:
    """Give the spots of one document's outermost sections, with all that is below them.

    Args:
        number: Index of the document among those of the ranking.
        prefix: Put before each id where several documents are shown.
        tree: Of that document.
        ranking: Says which sections are likely, and which lines to quote.
    """
    return Outline(number, prefix, tree, _likely(number, ranking)).roots


def document_spot(number: int, ident: str, info: DocumentInfo, children: Places) -> Spot:
    """Give the spot of a whole document among others."""
    title = f"{info.name}: {info.description}" if info.description else info.name
    made = list(children)
    likely = max((child.likely for child in made), default=0.0)
    sections = range(max((child.sections.stop for child in made), default=0))
    return Spot(ident, "document", title, number, 1, max(1, info.page_count), sections, likely, "", children)


def matches(tree: PageTree, document: OpenDocument) -> bool:
    """Whether a tree and a search index are of the same state of a document: it may be replaced between two reads."""
    return [section.node_id for section in tree.walk()] == [entry.node_id for entry in document.index.sections]


def add_hints(places: Sequence[Places], ranking: Ranking, units: Sequence[RankedUnit]) -> None:
    """Let the spots of some units, whose pages have been read, tell what they hold: words asked for, and best lines.

    Args:
        places: The outermost sections of each document.
        ranking: Of the question.
        units: Those that have been read.
    """
    held = _Held(ranking)
    for unit in units:
        held.add(unit)
    for roots in places:
        if roots:
            held.tell(roots.outline)


class _Held:
    """What units hold of the question, by document and section, for each page."""

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._wordings = _wordings(ranking.question)
        self._lines: dict[tuple[int, int], list[tuple[float, int, str]]] = {}
        self._clauses: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def add(self, unit: RankedUnit) -> None:
        """Look through one unit."""
        document, pages = self._ranking.found.documents[unit.document], self._ranking.found.pages[unit.document]
        index = document.index
        scores = score_lines(document, self._ranking.scores.documents[unit.document], unit, pages)
        for line, score in scores.items():
            piece = index.pieces[bisect_right(index.pieces, line, key=lambda piece: piece.first_line) - 1]
            page = pages[index.page_numbers[piece.page]]
            text = page.lines[line - index.page_first_lines[piece.page]].text
            self._lines.setdefault((unit.document, piece.section), []).append((score, page.page_number, text))
        for place_number, place in enumerate(self._ranking.question.places):
            for at, strength in find_targets(document, [place]).items():
                if unit.first_piece <= at <= unit.last_piece and strength >= LINE:
                    piece = index.pieces[at]
                    held = self._clauses.setdefault((unit.document, piece.section), [])
                    held.append((place_number - len(self._ranking.question.places), index.page_numbers[piece.page]))
        for number, clause in enumerate(self._ranking.question.clauses):
            positions = any_run_positions(index.text, clause.runs)
            for at in range(unit.first_piece, unit.last_piece + 1):
                low, high = document.piece_starts[at], document.piece_starts[at + 1]
                if bisect_left(positions, low) < bisect_left(positions, high):
                    piece = index.pieces[at]
                    key = unit.document, piece.section
                    self._clauses.setdefault(key, []).append((number, index.page_numbers[piece.page]))

    def tell(self, outline: Outline) -> None:
        """Give the sections and pages of an outline that units were looked through in their hints."""
        keys = [key for key in self._lines if key[0] == outline.number]
        for key in keys:
            outline.section_hints[key[1]] = self._hint([key], outline.pages(key[1]))
        for page in {page for key in keys for _, page, _ in self._lines[key]}:
            outline.page_hints[page] = self._hint(keys, range(page, page + 1))

    def _hint(self, keys: Sequence[tuple[int, int]], pages: range) -> str:
        """Give what the text of some sections holds on some pages, on one line; empty for nothing."""
        lines = [(score, text) for key in keys for score, page, text in self._lines[key] if page in pages]
        if not lines:
            return ""
        held = sorted({number for key in keys for number, page in self._clauses.get(key, ()) if page in pages})
        words = ", ".join(dict.fromkeys(self._wordings[number] for number in held))
        best = sorted(lines, key=lambda pair: -pair[0])[:QUOTED_LINES]
        quoted = " … ".join(" ".join(text.split())[:MOST_LINE_CHARACTERS] for _, text in best)
        return f"has {words[:MOST_WORD_CHARACTERS]}: {quoted}"


_PRINTED_WORD = re.compile(r"[^\W_]+(?:['’&.,-][^\W_]+)*")


def _wordings(question: Question) -> list[str]:
    """Give each clause of a question in the question's own words, and then the places that it names."""
    printed = _PRINTED_WORD.findall(question.text)
    words = {term: word for word in printed for term in question_terms(word)}
    clauses = [" ".join(words.get(term, term) for term in clause.runs[0]) for clause in question.clauses]
    return clauses + [f"{place.kind} {place.numbers[0]}" for place in question.places]


def _likely(number: int, ranking: Ranking) -> dict[tuple[int, int], float]:
    """Give how likely each (section, page number) of a document is, by the best unit that holds it."""
    found: dict[tuple[int, int], float] = {}
    index = ranking.found.documents[number].index
    for rank, unit in enumerate(ranking.units[:MOST_WEIGHED]):
        if unit.document != number or unit.score <= 0:
            continue
        weight = HALF_WEIGHT_RANK / (HALF_WEIGHT_RANK + rank)
        for piece in index.pieces[unit.first_piece : unit.last_piece + 1]:
            if piece.page in unit.pages:
                key = piece.section, index.page_numbers[piece.page]
                found[key] = max(weight, found.get(key, 0.0))
    return found
