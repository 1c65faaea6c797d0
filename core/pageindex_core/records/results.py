"""What a search finds, from where, and how it went about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pageindex_core.records.document import Box, Metadata, Note

Unit = Literal["auto", "section", "window", "page"]
"""What a search returns: ``auto`` gives leaf sections, and windows of those that are too long."""

FoundBy = Literal["lexical", "phrase", "regex", "structure", "reference", "model", "vectors", "fill"]
"""How a hit was found; ``vectors`` where a vector store speaks for it more than the words do; ``fill`` completes a
shorter answer to the number that was asked for."""


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
