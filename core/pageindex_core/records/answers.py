"""What is told while a question is being answered, and the answer with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pageindex_core.records.document import Metadata, Note
from pageindex_core.records.results import Hit, PageBox, Trace

EventKind = Literal["step", "thought", "tool_call", "tool_result", "text", "answer"]
"""``text`` is a piece of the answer as it is written; ``answer`` comes last and holds all of it."""


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
