"""Synthetic documents for the tests of stage ``outline``, and what the whole road makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from pageindex_core.options import OutlineOptions
from pageindex_core.outline import find_headings
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Outline, Pages, PageTree
from pageindex_core.tree import build_tree
from pdf_builder import Run, contents_entry, lines, paragraph
from pdf_builder.items import BODY_SIZE_PT, BODY_WIDTH_PT, LEADING, MARGIN_PT, PAGE_HEIGHT_PT, Item

_NOUNS = (
    "operator", "valve", "pump", "record", "auditor", "boiler", "filter", "gauge", "licence", "permit", "turbine",
    "contract", "meter",
)  # fmt: skip
_VERBS = (
    "checks", "replaces", "reports", "measures", "inspects", "approves", "cleans", "stores", "signs", "carries",
)  # fmt: skip
_ENDS = (
    "every year in spring", "before the work begins", "without delay", "in the presence of a witness",
    "after a heavy storm", "when the river is low", "as the maker advises",
)  # fmt: skip


def sentences(start: int = 0) -> Iterator[str]:
    """Give sentences that do not repeat within nine hundred."""
    for number in count(start):
        subject, thing = _NOUNS[number % 13], _NOUNS[(number * 5 + 3) % 13]
        yield f"The {subject} {_VERBS[number % 10]} the {thing} {_ENDS[number % 7]}."


def prose(words: int, start: int = 0) -> str:
    """Give about so many words of running text."""
    found: list[str] = []
    for sentence in sentences(start):
        if len(found) >= words:
            return " ".join(found)
        found += sentence.split()
    raise AssertionError("sentences never end")


@dataclass
class Flow:
    """Sets headings and text from below the zone of running heads down, page after page."""

    top: float = 130.0
    bottom: float = PAGE_HEIGHT_PT - 90
    pages: list[list[Item]] = field(default_factory=lambda: [[]])
    y: float = 0.0
    said: int = 0

    def __post_init__(self) -> None:
        self.y = self.top

    def heading(self, text: str, size: float = 14, *, bold: bool = True, gap: float = 14, **style: object) -> Flow:
        """Set one line with space above it."""
        self.y += 0 if self.y == self.top else gap
        self._set([Run(text, y=self.y, size=size, bold=bold, **style)], size)  # type: ignore[arg-type]
        self.y += 6
        return self

    def text(self, words: int = 60, *, width: float = BODY_WIDTH_PT, x: float = MARGIN_PT) -> Flow:
        """Set a paragraph of new sentences."""
        self.said += 37
        return self.paragraph(prose(words, self.said), width=width, x=x)

    def paragraph(
        self, text: str, *, width: float = BODY_WIDTH_PT, x: float = MARGIN_PT, size: float = BODY_SIZE_PT
    ) -> Flow:
        """Set a text, wrapped to a width, over a page break where it has to be."""
        for run in paragraph(text, 0, x, width, size):
            assert isinstance(run, Run)
            self._set([Run(run.text, x, self.y, size)], size)
        self.y += 6
        return self

    def line(self, text: str, *, size: float = BODY_SIZE_PT, **style: object) -> Flow:
        """Set one line without space above it."""
        self._set([Run(text, y=self.y, size=size, **style)], size)  # type: ignore[arg-type]
        return self

    def new_page(self) -> Flow:
        """Go on at the top of the next page."""
        self.pages.append([])
        self.y = self.top
        return self

    def _set(self, items: list[Item], size: float) -> None:
        if self.y > self.bottom:
            shift = self.top - self.y
            self.new_page()
            items = [Run(i.text, i.x, i.y + shift, i.size, i.bold) if isinstance(i, Run) else i for i in items]
        self.pages[-1].extend(items)
        self.y += size * LEADING


def contents_page(*entries: tuple[str, str], leaders: str = "one run", headline: str = "Contents") -> list[Item]:
    """Give a page with a headline and one row an entry (title, printed number); leading blanks indent."""
    items: list[Item] = lines(headline, y=80, size=16, bold=True)
    for row, (title, label) in enumerate(entries):
        bare = title.lstrip()
        items += contents_entry(bare, label, 120.0 + 16 * row, indent=6.0 * (len(title) - len(bare)), leaders=leaders)
    return items


def read(pdf: bytes) -> Pages:
    """Give the pages of a PDF as every later stage gets them."""
    return read_pages(open_source(pdf))


def outline_of_pdf(pdf: bytes, *, use_bookmarks: bool = True) -> Outline:
    """Find the headings of a PDF."""
    return find_headings(read(pdf), OutlineOptions(use_bookmarks=use_bookmarks))


def tree_of_pdf(pdf: bytes, *, use_bookmarks: bool = True) -> PageTree:
    """Take a PDF down the road to its tree."""
    pages = read(pdf)
    return build_tree(pages, find_headings(pages, OutlineOptions(use_bookmarks=use_bookmarks)))


def titles(outline: Outline) -> list[str]:
    """Give the titles in reading order."""
    return [heading.title for heading in outline.headings]


def found(outline: Outline) -> list[tuple[str, int]]:
    """Give (title, page number) of each heading."""
    return [(heading.title, heading.page_number) for heading in outline.headings]


def nested(tree: PageTree) -> list[tuple[int, str, int]]:
    """Give (level, title, first page) of each printed section."""
    return [(section.level, section.title, section.start_page) for section in tree.walk() if not section.synthetic]


def codes(outline: Outline) -> list[str]:
    """Give the codes of the outline's notes."""
    return [note.code for note in outline.notes]
