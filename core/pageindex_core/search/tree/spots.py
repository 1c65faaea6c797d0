"""Trees and a lexical ranking to spots: what a map can show, with how likely each is and what it quotes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from pageindex_core.records import DocumentInfo, PageTree, Section
from pageindex_core.search.hits import score_lines
from pageindex_core.search.lexical import Ranking
from pageindex_core.search.opened import OpenDocument, any_run_positions
from pageindex_core.search.question import Question
from pageindex_core.search.rank import RankedUnit
from pageindex_core.search.structure import LINE, find_targets
from pageindex_core.search.terms import question_terms
from pageindex_core.search.tree.section_map import Spot

LEAF_PAGES = 2
"""A leaf of more pages than this is shown by its pages where there is room: a page is what gets read."""

MOST_WEIGHED = 60
"""Units whose place in the lexical order makes their sections likely; what comes later is chance."""

HALF_WEIGHT_RANK = 4.0
"""The unit at this place of the lexical order weighs half as much as the first."""

QUOTED_LINES = 3
MOST_LINE_CHARACTERS = 80
"""What is quoted of a place: two lines of a table or paragraph tell what it is about."""

MOST_WORD_CHARACTERS = 120
"""Of the words of the question that a place holds, in the question's wording whatever the place prints."""

_PAGE_TITLE = re.compile(r"Pages? \d+(?:-\d+)?")
"""Title of a page group, which the page range says already."""


def grow_spots(number: int, prefix: str, tree: PageTree, ranking: Ranking) -> list[Spot]:
    """Give the spots of one document's outermost sections, with all that is below them.

    Args:
        number: Index of the document among those of the ranking.
        prefix: Put before each id where several documents are shown.
        tree: Of that document.
        ranking: Says which sections are likely, and which lines to quote.
    """
    return _Growth(number, prefix, len(list(tree.walk())), _likely(number, ranking)).grow(tree.sections)


def document_spot(number: int, ident: str, info: DocumentInfo, children: list[Spot]) -> Spot:
    """Give the spot of a whole document among others."""
    title = f"{info.name}: {info.description}" if info.description else info.name
    likely = max((child.likely for child in children), default=0.0)
    sections = range(max((child.sections.stop for child in children), default=0))
    return Spot(ident, "document", title, number, 1, max(1, info.page_count), sections, likely, "", children)


def matches(tree: PageTree, document: OpenDocument) -> bool:
    """Whether a tree and a search index are of the same state of a document: it may be replaced between two reads."""
    return [section.node_id for section in tree.walk()] == [entry.node_id for entry in document.index.sections]


def add_hints(spots: Sequence[Spot], ranking: Ranking, units: Sequence[RankedUnit]) -> None:
    """Let the spots of some units, whose pages have been read, tell what they hold: words asked for, and best lines."""
    held = _Held(ranking)
    for unit in units:
        held.add(unit)
    for spot in _every(spots):
        if spot.kind in ("section", "page"):
            spot.hint = held.hint_of(spot)


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

    def hint_of(self, spot: Spot) -> str:
        """Give what the text of a place holds, on one line; empty where no unit of it was looked through."""
        sections = spot.sections[:1] if spot.kind == "section" else spot.sections
        keys = [key for key in self._lines if key[0] == spot.document and key[1] in sections]
        pages = range(spot.first_page, spot.last_page + 1)
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


class _Growth:
    """The spots of one document under way: counts its sections, and gives each page to the first leaf it lies in."""

    def __init__(self, number: int, prefix: str, section_count: int, likely: dict[tuple[int, int], float]) -> None:
        self._number = number
        self._prefix = prefix
        self._all = range(section_count)
        self._next = 0
        self._likely = likely
        self._pages: dict[int, float] = {}
        for (_, page), weight in likely.items():
            self._pages[page] = max(weight, self._pages.get(page, 0.0))
        self._shown: set[int] = set()

    def grow(self, sections: Sequence[Section]) -> list[Spot]:
        """Give the spots of sections and all below them, in pre-order."""
        return [self._spot(section) for section in sections]

    def _spot(self, section: Section) -> Spot:
        own = self._next
        self._next += 1
        children = self.grow(section.children)
        pages = range(section.start_page, section.end_page + 1)
        is_shown_by_pages = not children and len(pages) > LEAF_PAGES
        if is_shown_by_pages:
            children = [self._page(page) for page in pages if page not in self._shown]
            self._shown.update(pages)
        inside = [weight for (number, page), weight in self._likely.items() if number == own and page in pages]
        return Spot(
            ident=self._prefix + section.node_id,
            kind="section",
            title=_title(section),
            document=self._number,
            first_page=section.start_page,
            last_page=section.end_page,
            sections=range(own, self._next),
            likely=max([*(child.likely for child in children), *inside], default=0.0),
            own=0.0 if is_shown_by_pages else max(inside, default=0.0),
            children=children or (),
        )

    def _page(self, page: int) -> Spot:
        weight = self._pages.get(page, 0.0)
        return Spot(f"{self._prefix}p{page}", "page", "", self._number, page, page, self._all, weight, own=weight)


def _title(section: Section) -> str:
    """The title; of a bare page, what its summary begins with."""
    if section.synthetic and _PAGE_TITLE.fullmatch(section.title):
        return (section.summary or "").strip()
    return section.title


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


def _every(spots: Sequence[Spot]) -> Iterator[Spot]:
    for spot in spots:
        yield spot
        yield from _every(spot.children)
