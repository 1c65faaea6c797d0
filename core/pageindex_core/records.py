"""What travels between the stages.

Every stage takes records from this module and gives records from this module, so that a stage can be
read, tested and replaced alone. All records are immutable.

Conventions, everywhere:

* ``page_number`` counts physical pages from 1; ``page_label`` is what is printed or stored ("iv", "A-3").
* Boxes and ``y`` positions are in points (1/72 inch), origin at the top left of the page *as displayed*
  (rotation and crop applied), ``y`` growing downwards.
* ``line_index`` counts the lines of one page from 0; ``line_number`` counts the lines of a source text
  from 1 and exists for Markdown and plain text only.
* A very long line of a source text is several ``Line`` records, so that pages and windows can be cut within it. All
  but the first have ``continues`` set: they share its line number and follow it with nothing between, so that
  ``join_lines`` gives the source's own text again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pageindex_core.errors import OptionError

Evidence = Literal["bookmarks", "links", "contents", "tagged", "detected", "markup", "model"]
"""The signal that found a heading; ``markup`` is a heading that the text itself declares (Markdown, underlined titles),
``model`` one that a language model pointed out and that was then found printed on its page."""

TocSource = Literal[
    "bookmarks", "links", "contents", "tagged", "detected", "markup", "model", "hybrid", "pages", "unreadable"
]
"""Where a tree's structure came from; ``hybrid`` when no single signal gave nine tenths of it."""

Unit = Literal["auto", "section", "window", "page"]
"""What a search returns: ``auto`` gives leaf sections, and windows of those that are too long."""

FoundBy = Literal["lexical", "phrase", "regex", "structure", "reference", "model", "vectors", "fill"]
"""How a hit was found; ``vectors`` where a vector store speaks for it more than the words do; ``fill`` completes a
shorter answer to the number that was asked for."""

EventKind = Literal["step", "thought", "tool_call", "tool_result", "text", "answer"]
"""``text`` is a piece of the answer as it is written; ``answer`` comes last and holds all of it."""

Status = Literal["queued", "reading", "describing", "ready", "failed"]
"""How far the indexing of a document has come."""

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


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What a library tells about a document without opening it."""

    doc_id: str
    """16 hex digits derived from the ``source_id``; safe in URLs and framework ids."""
    source_id: str
    name: str
    fingerprint: str
    """Of the bytes or texts together with the options that shape the tree."""
    status: Status
    media_type: str = ""
    page_count: int = 0
    toc_source: TocSource | None = None
    folder: str = "/"
    """Where a person would look for it: "/" or "/reports/2024"; never ends in "/" but for the root."""
    metadata: Metadata = field(default_factory=dict)
    description: str | None = None
    indexed_at: str = ""
    """UTC, ISO 8601, seconds."""
    error: str | None = None
    """Why the status is ``failed``."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """All that a library stores of one document; written and read as a whole."""

    info: DocumentInfo
    tree: PageTree
    pages: tuple[Page, ...]
    postings: bytes = b""
    """The search index of this document, in the format of ``search.postings``; opaque to the library."""
    terms: tuple[str, ...] = ()
    """Every distinct search term of the document, for the library's shortlist."""
    title_terms: tuple[str, ...] = ()
    """Those that stand in its name, description or headings."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a request may see. Every given condition must hold; the default sees all.

    A library applies it inside its own reads, so that nothing outside it is ever loaded.
    """

    documents: tuple[str, ...] | None = None
    """``doc_id``, ``source_id`` or name of each allowed document; an empty tuple allows none. One text, or a list,
    becomes a tuple."""
    folder: str | None = None
    """This folder and all below it."""
    where: Metadata | Callable[[Metadata], bool] | None = None
    """A filter on document metadata, and on ``source``, ``file_name``, ``file_path`` and ``doc_id`` where these are no
    keys of it: a mapping with operators (see ``library.filters``), or a predicate."""

    def __post_init__(self) -> None:
        given: Any = self.documents
        if isinstance(given, str):
            given = (given,)
        elif isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
            given = tuple(given)
        if given is not None and not (isinstance(given, tuple) and all(isinstance(one, str) for one in given)):
            raise OptionError(
                f"documents={self.documents!r} cannot be meant.",
                "Documents are named by texts: id, source or name.",
                'Pass them as a tuple: ("report.pdf", "notes.md").',
            )
        if self.folder is not None and not isinstance(self.folder, str):
            raise OptionError(f"folder={self.folder!r} cannot be meant.", "A folder is a text.", 'Pass "/reports".')
        object.__setattr__(self, "documents", given)


@dataclass(frozen=True, slots=True)
class PageBox:
    """Where on a page something stands."""

    page_number: int
    box: Box


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved unit: what every result names."""

    doc_id: str
    source_id: str
    doc_name: str
    unit_id: str
    """Stable over runs and over edits elsewhere: ``<doc_id>-<section_key>-<part>``."""
    node_id: str
    section_key: str
    section_path: tuple[str, ...]
    """Titles from the outermost section down to this one."""
    page_start: int
    page_end: int
    page_labels: tuple[str | None, ...]
    """One for each page from ``page_start`` to ``page_end``."""
    text: str
    tokens: int
    """Estimated tokens of ``text`` (see ``tokens.count_tokens``)."""
    score: float
    """0..1: share of the score that this question could reach."""
    found_by: FoundBy
    quotes: tuple[str, ...] = ()
    """The lines that answer best, as printed, best first."""
    boxes: tuple[PageBox, ...] = ()
    """The boxes of those lines; empty for formats without positions."""
    evidence_pages: tuple[int, ...] = ()
    """The pages of this unit that hold the evidence, the best first; the others hold less than half of the best."""
    line_range: tuple[int, int] | None = None
    """Line numbers in the source text; None for paged formats."""
    metadata: Metadata = field(default_factory=dict)
    """The document's metadata."""
    page_count: int = 0
    """Pages of the whole document."""

    @property
    def title(self) -> str:
        """Title of the section the unit belongs to."""
        return self.section_path[-1] if self.section_path else self.doc_name

    @property
    def page_label(self) -> str:
        """Label of the first page, or its number where it has none."""
        return (self.page_labels[0] if self.page_labels else None) or str(self.page_start)


@dataclass(frozen=True, slots=True)
class Span:
    """What a loaded document holds of its source: pages, or lines where there are no pages."""

    first: int
    """First page, or first line of the source text, from 1."""
    last: int
    by_line: bool = False
    """Whether ``first`` and ``last`` count lines."""

    def touches(self, hit: Hit) -> bool:
        """Whether any of the hit comes from here."""
        if not self.by_line:
            return self.first <= hit.page_end and hit.page_start <= self.last
        if hit.line_range is None:
            return False
        first, last = hit.line_range
        return self.first <= last and first <= self.last


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a navigator did."""

    action: str
    """``shortlist``, ``score``, ``reference``, ``fill``, ``show``, ``choose``, ``reject``, ``read``, ``fallback``, …"""
    detail: str
    """What was done; for a choice of a model, its reason."""
    node_ids: tuple[str, ...] = ()
    """The sections concerned, as ``<doc_id>/<node_id>``."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer came about, and what it cost."""

    navigator: str
    steps: tuple[Step, ...] = ()
    milliseconds: float = 0.0
    documents_considered: int = 0
    units_considered: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    """Sent to the model, over all calls."""
    output_tokens: int = 0
    tokens_estimated: bool = False
    """True when a provider did not report a call's tokens and they were counted here."""
    cost_usd: float | None = 0.0
    """None where the price of a call is unknown."""
    model_seconds: float = 0.0
    """Time spent waiting for the model, the calls added up."""
    map_tokens: int = 0
    """Estimated tokens of the maps of sections that were shown, over all calls."""
    pages_read: tuple[tuple[str, int], ...] = ()
    """``doc_id`` and page number of each page whose text a model was given, in the order of reading."""
    rejected: int = 0
    """Choices of a model that were not among its options, or broke the contract."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and how they were found."""

    question: str
    hits: tuple[Hit, ...]
    trace: Trace
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something told while a question is being answered."""

    kind: EventKind
    text: str
    """For people: the thought, the call as it would be written, a piece of the answer."""
    data: Metadata = field(default_factory=dict)
    """For programs: the tool's name and arguments, its result, the choices."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One piece of evidence that an answer names."""

    doc_id: str
    source_id: str
    doc_name: str
    page_number: int | None
    """None where the citation names no page that was read."""
    page_label: str | None
    quote: str
    """The words that are said to stand there, as the model wrote them."""
    verified: bool
    """Whether the quoted words stand on that page, and the page was read."""
    reason: str = ""
    """Why it is not verified; empty when it is."""
    section_path: tuple[str, ...] = ()
    boxes: tuple[PageBox, ...] = ()
    """The lines that hold the quote; empty for formats without positions and for what is not verified."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out about a question, and from where."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    """What the answer was sought in, best first."""
    answered_by: Literal["model", "lexical"]
    """``lexical`` when there was no model or it failed: the text then quotes the best lines."""
    found: bool
    """False when the documents do not say."""
    trace: Trace
    notes: tuple[Note, ...] = ()
    failed_with: str = ""
    """Name of the error that ended asking the model, such as ``ModelAccessError``; empty where none did."""
