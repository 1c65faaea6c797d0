"""A document as read: pages with lines, links and bookmarks, and what had to be said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

Evidence = Literal["bookmarks", "links", "contents", "tagged", "detected", "markup", "model"]
"""The signal that found a heading; ``markup`` is a heading that the text itself declares (Markdown, underlined titles),
``model`` one that a language model pointed out and that was then found printed on its page."""

Paths = str | Path | Iterable[str | Path]
"""What is to be read: a file, a folder, a glob pattern, or several."""

Metadata = Mapping[str, Any]
"""What a caller attaches to a document: flat, JSON values, string keys."""


class Box(NamedTuple):
    """A rectangle on a displayed page, in points from the top left. A tuple, since pages hold thousands."""

    x0: float
    y0: float
    x1: float
    y1: float


class Line(NamedTuple):
    """A run of text on one baseline. A tuple, since pages hold thousands."""

    text: str
    """The characters as read, repaired (no soft hyphens, no control characters), no line end."""
    box: Box | None = None
    """Where the line is; None for formats without positions."""
    font_size: float = 0.0
    """Size as displayed, in points; the largest of the sampled characters. 0 when unknown."""
    bold: bool = False
    italic: bool = False
    font: str = ""
    """Name of the font, subset prefix removed; empty when unknown."""
    continues: bool = False
    """Whether this is a further piece of the source line that the line before belongs to, be that on the page before:
    nothing stands between the two, not even a line end. False for paged formats."""
    letterspaced: bool = False
    """Whether its letters are set apart ("A N N U A L"), so that its box is far wider than its words need."""
    lead: int = 0
    """How many characters at its start are in bold or in italics where its end is not: a title that text runs on from.
    A number before them, in whatever style, is counted; 0 where a line is set alike or ends as it starts."""


def join_lines(lines: Iterable[Line]) -> str:
    """Give the text of lines in order: a line end between two of them, none before one that continues the other."""
    parts: list[str] = []
    for line in lines:
        if parts and not line.continues:
            parts.append("\n")
        parts.append(line.text)
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation that leads to another place of the same document."""

    box: Box
    page_number: int
    """The page it leads to."""
    y: float | None
    """Height on that page; None when the destination names the page alone."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One entry of a document's own outline, as stored and not yet checked."""

    title: str
    level: int
    """1 for the outermost entries."""
    page_number: int | None
    """None when the destination cannot be resolved."""
    y: float | None
    """None when the destination names the page alone."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that went wrong, or was decided, without stopping the work."""

    code: str
    """Short and stable, for programs: ``page_unreadable``, ``bookmarks_rejected``, …"""
    message: str
    """What happened and what it means, one sentence."""
    page_number: int | None = None
    """The page concerned; None for the whole document."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its lines in reading order."""

    page_number: int
    lines: tuple[Line, ...]
    page_label: str | None = None
    width_pt: float | None = None
    height_pt: float | None = None
    links: tuple[Link, ...] = ()
    first_line_number: int | None = None
    """Line number in the source text of the page's first line; None for paged formats. The page before ends with the
    same number where the first line ``continues``."""
    heading_tags: tuple[tuple[int, int], ...] = ()
    """(line_index, level) of the lines that a tagged PDF's structure marks as headings, level 1 for H1. A heading of
    several lines has one entry, for its first line."""

    @property
    def text(self) -> str:
        """The page's lines joined by newlines; pieces of one source line are joined as they were."""
        return join_lines(self.lines)

    def line_number(self, line_index: int) -> int | None:
        """Give the number in the source text of a line of this page; None for paged formats.

        For ``len(lines)`` it is that of the line after the page, if that continues nothing.
        """
        if self.first_line_number is None:
            return None
        return self.first_line_number + line_index - sum(line.continues for line in self.lines[1 : line_index + 1])


@dataclass(frozen=True, slots=True)
class Heading:
    """A line, or lines, that open a section."""

    title: str
    level: int
    """1 for the outermost; levels may skip, nesting repairs that."""
    page_number: int
    line_index: int
    """First line of the heading on its page; the section's text starts here. 0 when it starts the page."""
    y: float | None = None
    evidence: Evidence = "detected"
    confidence: float = 1.0
    """How sure the signal is, 0..1."""


@dataclass(frozen=True, slots=True)
class Pages:
    """A document as read: what stage ``read`` gives to ``outline``."""

    source_id: str
    """The document's identity: path, URI or what the caller says."""
    name: str
    """Short name for people, usually the file name."""
    media_type: str
    """``application/pdf``, ``text/markdown``, ``text/plain``."""
    fingerprint: str
    """SHA-256 (hex) of the bytes or texts; equal fingerprints allow work to be reused."""
    pages: tuple[Page, ...]
    metadata: Metadata = field(default_factory=dict)
    bookmarks: tuple[Bookmark, ...] = ()
    headings: tuple[Heading, ...] | None = None
    """Headings that the format declares (Markdown); None where they have to be found."""
    notes: tuple[Note, ...] = ()

    @property
    def has_text(self) -> bool:
        """Whether any page has a readable character."""
        return any(line.text for page in self.pages for line in page.lines)
