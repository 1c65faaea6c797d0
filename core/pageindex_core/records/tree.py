"""The sections of a document: as headings in a row, and as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pageindex_core.records.document import Evidence, Heading, Note

TocSource = Literal[
    "bookmarks", "links", "contents", "tagged", "detected", "markup", "model", "hybrid", "pages", "unreadable"
]
"""Where a tree's structure came from; ``hybrid`` when no single signal gave nine tenths of it."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings of a document in reading order: what stage ``outline`` gives to ``tree``."""

    headings: tuple[Heading, ...]
    toc_source: TocSource
    shares: Mapping[str, float] = field(default_factory=dict)
    """Share of the headings found by each evidence, adding up to 1; empty without headings."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A node of the page tree.

    The section's text runs from ``start_line`` of ``start_page`` up to, and not including, the next heading.
    """

    node_id: str
    """Four digits or more, in pre-order ("0000"): a position, not an identity."""
    section_key: str
    """12 hex digits from the title path and the text; survives edits elsewhere in the document."""
    title: str
    level: int
    """1 for the outermost sections; always one more than the parent's."""
    start_page: int
    end_page: int
    """Last page of the whole subtree, inclusive."""
    start_line: int = 0
    """``line_index`` on ``start_page`` where the text starts."""
    children: tuple[Section, ...] = ()
    summary: str | None = None
    key_items: tuple[str, ...] = ()
    start_y: float | None = None
    evidence: Evidence | None = None
    """None for synthetic sections and for trees from elsewhere."""
    page_label: str | None = None
    """Label of the start page."""
    synthetic: bool = False
    """True where no printed heading is claimed: preface, intro, page group."""
    line_range: tuple[int, int] | None = None
    """First and last line number in the source text, inclusive; None for paged formats."""
    summary_model: str | None = None
    """Name of the model that wrote the summary; None where it is quoted from the text, and in trees from elsewhere."""

    def walk(self) -> Iterator[Section]:
        """This section and all below it, in pre-order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class PageTree:
    """The sections of one document, and how they were found."""

    doc_name: str
    sections: tuple[Section, ...]
    toc_source: TocSource
    page_count: int
    shares: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    description: str | None = None
    """One sentence about the whole document."""

    def walk(self) -> Iterator[Section]:
        """All sections in pre-order."""
        for section in self.sections:
            yield from section.walk()
