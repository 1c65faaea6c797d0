"""The map of sections that a model chooses from: small however long the document, detailed where it matters.

A document is a hierarchy of places: sections, below long leaves their pages. A map shows some of them, one a line.
It starts with the outermost places and opens one after the other, those first where opening tells most for the tokens
it takes: likely places (by the words they hold) and large ones. Siblings that there is no room for become one line, a
run, which can be chosen and opened like any place. Whatever is not opened is still covered by the line
above it, so that every page of the document belongs to a place on the map.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from pageindex_core.tokens import count_tokens

LIKELY_SHARE = 0.6
"""How much of a place's weight its words decide; its share of the pages decides the rest, so that a long chapter is
opened too when the question uses other words than the document."""

MOST_TITLE_CHARACTERS = 90
"""Longer titles are cut: the words that tell sections apart come first."""

MOST_HINT_CHARACTERS = 280
"""Length of what is told of a likely place: words and two printed lines."""

MOST_LIKELY = 10
"""Places named before the outline with the lines that answer best: those that a reader would look at first."""

SINGLE_SHARE = 0.5
"""Of the tokens for opening a place, the share for its likeliest children; runs of the others get the rest."""


@dataclass(slots=True)
class Spot:
    """A place in a document that a map can show."""

    ident: str
    kind: Literal["document", "section", "run", "page"]
    title: str
    document: int
    """Index among the documents in question."""
    first_page: int
    last_page: int
    sections: range
    """Indexes of the sections it covers, in pre-order; for a page, all of the document."""
    likely: float = 0.0
    """How much of what was asked for its text holds, compared with the rest of the scope: 0..1."""
    hint: str = ""
    """What it holds of the question, in a line; empty for nothing."""
    children: Sequence[Spot] = ()
    """Made when they are looked at, where they come from an ``Outline``."""
    own: float = 0.0
    """How likely its own text is, without what is below it."""

    @property
    def page_count(self) -> int:
        """Number of its pages."""
        return self.last_page - self.first_page + 1

    @property
    def line(self) -> str:
        """How the map shows it, without indentation."""
        return self.line_with(self.ident)

    def line_with(self, label: str) -> str:
        """How the map shows it under another label than its id."""
        title = " ".join(self.title.split())
        title = title if len(title) <= MOST_TITLE_CHARACTERS else title[: MOST_TITLE_CHARACTERS - 1] + "…"
        pages = f"p. {self.first_page}" if self.page_count == 1 else f"p. {self.first_page}-{self.last_page}"
        return f"[{label}] {title} · {pages}" if title else f"[{label}] {pages}"


@dataclass(slots=True)
class SectionMap:
    """What is shown in one call."""

    spots: list[Spot]
    """In the order of the outline's lines."""
    depths: list[int]
    opened: set[str]
    """Ids of those whose children are shown as well."""
    likely: list[Spot] = field(default_factory=list)
    """The likeliest places, best first: named before the outline, with what they say."""

    @property
    def options(self) -> dict[str, Spot]:
        """The spots by id: the closed set that a reply chooses from."""
        return {spot.ident: spot for spot in [*self.likely, *self.spots]}

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to open."""
        return all(not spot.children or spot.ident in self.opened for spot in self.spots)

    @property
    def text(self) -> str:
        """The lines, children below their parents."""
        return self.text_with({})

    def text_with(self, labels: Mapping[str, str]) -> str:
        """The lines, with other labels for some ids."""

        def label(spot: Spot) -> str:
            return labels.get(spot.ident, spot.ident)

        lines = [f"{spot.line_with(label(spot))}{_HINT_LEAD}{_cut(spot.hint)}" for spot in self.likely]
        lines = [LIKELY_HEADING, *lines, OUTLINE_HEADING] if lines else []
        lines += [
            " " * depth + spot.line_with(label(spot)) for spot, depth in zip(self.spots, self.depths, strict=True)
        ]
        return "\n".join(lines)


LIKELY_HEADING = "Places that hold words of the question, most words first:"
OUTLINE_HEADING = "Outline:"
_HINT_LEAD = " · "


def draw_map(roots: Sequence[Spot], max_tokens: int) -> SectionMap:
    """Give the map below some places that fits a number of tokens.

    Args:
        roots: What the outline begins with, in order.
        max_tokens: Most estimated tokens of the text.
    """
    likely = _likeliest(roots)
    hinted = sum(_cost(spot, 0) + count_tokens(_cut(spot.hint)) + 1 for spot in likely)
    hinted += count_tokens(LIKELY_HEADING + OUTLINE_HEADING) + 2
    drawing = _Drawing(max_tokens - hinted)
    shown = drawing.fit(list(roots), roots, drawing.left // 2 if any(root.children for root in roots) else drawing.left)
    drawing.add(shown)
    while drawing.waiting:
        _, _, spot, children = heapq.heappop(drawing.waiting)
        drawing.open(spot, children)
    spots: list[Spot] = []
    depths: list[int] = []
    for spot, depth in drawing.walk(shown, 0):
        spots.append(spot)
        depths.append(depth)
    return SectionMap(spots, depths, set(drawing.opened), likely)


def _likeliest(roots: Sequence[Spot]) -> list[Spot]:
    """Give the places with something to quote that are likeliest, best first; they may lie deeper than the map goes."""
    found: list[Spot] = []
    pending = list(roots)
    while pending:
        spot = pending.pop()
        pending += [child for child in spot.children if child.likely > 0]
        if spot.hint and spot.own > 0:
            found.append(spot)
    return sorted(found, key=lambda spot: (-spot.own, spot.document, spot.first_page))[:MOST_LIKELY]


class _Drawing:
    """A map under way."""

    def __init__(self, max_tokens: int) -> None:
        self.left = max_tokens
        self.opened: dict[str, list[Spot]] = {}
        self.waiting: list[tuple[float, int, Spot, list[Spot]]] = []
        self._turn = count()
        self._depth: dict[str, int] = {}

    def add(self, spots: Sequence[Spot], depth: int = 0) -> None:
        """Pay for lines, and let their spots wait for being opened."""
        for spot in spots:
            self._depth[spot.ident] = depth
            self.left -= _cost(spot, depth)
            if spot.children:
                children = list(spot.children)  # made once, and let go of with the drawing
                heapq.heappush(self.waiting, (-_gain(spot, children), next(self._turn), spot, children))

    def open(self, spot: Spot, children: list[Spot]) -> None:
        """Show a spot's children, as far as there is room."""
        depth = self._depth[spot.ident] + 1
        if sum(_cost(child, depth) for child in children) <= self.left:
            shown = children
        else:
            shown = self.fit(children, spot.children, self.left // 2, depth)
            if len(shown) < 2 or sum(_cost(child, depth) for child in shown) > self.left:
                return
        self.opened[spot.ident] = shown
        self.add(shown, depth)

    def fit(self, made: list[Spot], spots: Sequence[Spot], max_tokens: int, depth: int = 0) -> list[Spot]:
        """Give the spots, those that are not likely gathered into runs where all of them would not fit."""
        costs = [_cost(spot, depth) for spot in made]
        if sum(costs) <= max_tokens:
            return made
        kept: set[int] = set()
        room = max_tokens * SINGLE_SHARE
        for index in sorted(range(len(made)), key=lambda index: -made[index].likely):
            # A kept spot may split a run in two, which costs another line.
            room -= 2 * costs[index]
            if made[index].likely <= 0 or room < 0:
                break
            kept.add(index)
        average = max(1, sum(costs) // len(costs)) + _RUN_EXTRA_TOKENS
        runs = max(2, int(max_tokens * (1 - SINGLE_SHARE)) // average)
        longest = -(-(len(made) - len(kept)) // runs)
        return list(_gathered(made, spots, kept, max(2, longest)))

    def walk(self, spots: Sequence[Spot], depth: int) -> Iterator[tuple[Spot, int]]:
        """Give what is shown, in the order of the lines."""
        for spot in spots:
            yield spot, depth
            yield from self.walk(self.opened.get(spot.ident, ()), depth + 1)


_RUN_EXTRA_TOKENS = 10
"""A run's line names its last title besides its first."""


def _gathered(made: list[Spot], spots: Sequence[Spot], kept: set[int], longest: int) -> Iterator[Spot]:
    """Give the kept ones of some neighbours, and runs of the others, which hold them as they were given."""
    start = 0
    for index in range(len(made) + 1):
        if index == len(made) or index in kept or index - start == longest:
            yield from made[start:index] if index - start < 2 else [_run_of(made[start:index], spots[start:index])]
            start = index
        if index in kept:
            yield made[index]
            start = index + 1


def _run_of(made: list[Spot], children: Sequence[Spot]) -> Spot:
    """Make one place of two or more neighbours."""
    first, last = made[0], made[-1]
    half = MOST_TITLE_CHARACTERS // 2
    return Spot(
        ident=f"r{first.ident}{len(made):02}",
        kind="run",
        title=f"{first.title[:half]} … {last.title[:half]}" if first.kind != "page" else "",
        document=first.document,
        first_page=min(spot.first_page for spot in made),
        last_page=max(spot.last_page for spot in made),
        sections=range(min(spot.sections.start for spot in made), max(spot.sections.stop for spot in made)),
        likely=max(spot.likely for spot in made),
        children=children,
    )


def _gain(spot: Spot, children: list[Spot]) -> float:
    """How much opening a spot is worth for each token: likely and large ones first."""
    cost = 1 + sum(_cost(child, 0) for child in children[:200])
    return (LIKELY_SHARE * spot.likely + (1 - LIKELY_SHARE) * _size_share(spot)) * spot.page_count / cost


def _size_share(spot: Spot) -> float:
    return spot.page_count / (spot.page_count + 100)


def _cost(spot: Spot, depth: int) -> int:
    return count_tokens(spot.line) + 1 + depth // 4


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_HINT_CHARACTERS else text[: MOST_HINT_CHARACTERS - 1] + "…"
