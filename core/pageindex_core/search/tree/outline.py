"""The places of one document in compact form, of which spots are made when they are looked at.

A map shows a few hundred places of many thousand, and fifty questions may wait for a model together. The garbage
collector goes through what they hold again and again while the event loop stands still, so an outline is a few arrays
and texts, whatever its length.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import overload

from pageindex_core.records import PageTree, Section
from pageindex_core.search.tree.section_map import Spot

LEAF_PAGES = 2
"""A leaf of more pages than this is shown by its pages where there is room: a page is what gets read."""

_PAGE_TITLE = re.compile(r"Pages? \d+(?:-\d+)?")
"""Title of a page group, which the page range says already."""


class Outline:
    """The sections of one document in pre-order, and the pages of its long leaves.

    Args:
        number: Index of the document among those of a ranking.
        prefix: Put before each id where several documents are shown.
        tree: Of that document.
        likely: How likely each (section, page number) is.
    """

    def __init__(self, number: int, prefix: str, tree: PageTree, likely: Mapping[tuple[int, int], float]) -> None:
        self.number = number
        self.section_hints: dict[int, str] = {}
        """What sections hold of the question, by index."""
        self.page_hints: dict[int, str] = {}
        """What pages hold of it, by page number."""
        self._prefix = prefix
        self._idents: list[str] = []
        self._titles: list[str] = []
        self._first, self._last, self._stop = array("l"), array("l"), array("l")
        self._leaf_pages: dict[int, Sequence[int]] = {}
        self._page_likely: dict[int, float] = {}
        for (_, page), weight in likely.items():
            self._page_likely[page] = max(weight, self._page_likely.get(page, 0.0))
        shown: set[int] = set()
        self.roots = Places(self, tuple(self._take(section, shown) for section in tree.sections))
        self._own, self._likely = array("d", bytes(8 * len(self._stop))), array("d", bytes(8 * len(self._stop)))
        self._weigh(likely)

    def _take(self, section: Section, shown: set[int]) -> int:
        """Take up a section and all below it; each page goes to the first long leaf that it lies in."""
        index = len(self._idents)
        self._idents.append(section.node_id)
        self._titles.append(_title(section))
        self._first.append(section.start_page)
        self._last.append(section.end_page)
        self._stop.append(0)
        for child in section.children:
            self._take(child, shown)
        self._stop[index] = len(self._idents)
        pages = self.pages(index)
        if not section.children and len(pages) > LEAF_PAGES:
            self._leaf_pages[index] = tuple(page for page in pages if page not in shown)
            shown.update(pages)
        return index

    def _weigh(self, likely: Mapping[tuple[int, int], float]) -> None:
        for (index, page), weight in likely.items():
            if index < len(self._own) and page in self.pages(index):
                self._own[index] = max(weight, self._own[index])
        for index in range(len(self._own) - 1, -1, -1):
            below = [self._likely[child] for child in self._below(index)]
            below += [self._page_likely.get(page, 0.0) for page in self._leaf_pages.get(index, ())]
            self._likely[index] = max([self._own[index], *below])
            if index in self._leaf_pages:
                self._own[index] = 0.0  # its pages stand for it

    def pages(self, index: int) -> range:
        """The page numbers of a section."""
        return range(self._first[index], self._last[index] + 1)

    def _below(self, index: int) -> Iterator[int]:
        """The indexes of a section's children."""
        child = index + 1
        while child < self._stop[index]:
            yield child
            child = self._stop[child]

    def section(self, index: int) -> Spot:
        """Make the spot of a section."""
        children: Sequence[Spot] = ()
        if index in self._leaf_pages:
            children = Places(self, self._leaf_pages[index], are_pages=True)
        elif self._stop[index] > index + 1:
            children = Places(self, tuple(self._below(index)))
        return Spot(
            ident=self._prefix + self._idents[index],
            kind="section",
            title=self._titles[index],
            document=self.number,
            first_page=self._first[index],
            last_page=self._last[index],
            sections=range(index, self._stop[index]),
            likely=self._likely[index],
            hint=self.section_hints.get(index, ""),
            children=children,
            own=self._own[index],
        )

    def page(self, number: int) -> Spot:
        """Make the spot of a page."""
        weight = self._page_likely.get(number, 0.0)
        return Spot(
            ident=f"{self._prefix}p{number}",
            kind="page",
            title="",
            document=self.number,
            first_page=number,
            last_page=number,
            sections=range(len(self._stop)),
            likely=weight,
            hint=self.page_hints.get(number, ""),
            own=weight,
        )


class Places(Sequence[Spot]):
    """Neighbouring places of an outline; each look at one makes its spot anew.

    Args:
        outline: Of their document.
        numbers: Indexes of sections, or page numbers.
        are_pages: Whether they are pages.
    """

    __slots__ = ("_are_pages", "_numbers", "outline")

    def __init__(self, outline: Outline, numbers: Sequence[int], *, are_pages: bool = False) -> None:
        self.outline = outline
        self._numbers = numbers
        self._are_pages = are_pages

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Spot]:
        return map(self._make, self._numbers)

    @overload
    def __getitem__(self, place: int) -> Spot: ...

    @overload
    def __getitem__(self, place: slice) -> Places: ...

    def __getitem__(self, place: int | slice) -> Spot | Places:
        if isinstance(place, slice):
            return Places(self.outline, self._numbers[place], are_pages=self._are_pages)
        return self._make(self._numbers[place])

    @property
    def _make(self) -> Callable[[int], Spot]:
        return self.outline.page if self._are_pages else self.outline.section


def _title(section: Section) -> str:
    """The title; of a bare page, what its summary begins with."""
    if section.synthetic and _PAGE_TITLE.fullmatch(section.title):
        return (section.summary or "").strip()
    return section.title
