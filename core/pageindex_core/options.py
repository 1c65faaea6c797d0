"""What a caller may choose, one frozen record for each stage, each default with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pageindex_core.errors import OptionError
from pageindex_core.records import Unit


def _at_least(name: str, value: int | float | None, least: int | float) -> None:
    if value is not None and (isinstance(value, bool) or value < least):
        raise OptionError(f"{name}={value!r} cannot be used.", f"It has to be at least {least}.", "Pass a larger value.")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a source becomes pages."""

    password: str | None = None
    """User password of an encrypted PDF. Files with an empty one open without it."""
    max_pages: int | None = None
    """Read at most this many pages and note the cut. None reads all: nothing is dropped by default."""
    page_tokens: int = 700
    """Size of the pages that Markdown and plain text are cut into, since they have none of their own.
    About the text of a dense printed page."""
    thin_below_tokens: int = 0
    """Markdown sections with less text than this are merged into their parent. 0 keeps all."""

    def __post_init__(self) -> None:
        _at_least("max_pages", self.max_pages, 1)
        _at_least("page_tokens", self.page_tokens, 50)
        _at_least("thin_below_tokens", self.thin_below_tokens, 0)


@dataclass(frozen=True, slots=True)
class OutlineOptions:
    """How headings are found."""

    use_bookmarks: bool = True
    """False ignores the document's own outline: to measure the other signals, or where it is known to be wrong."""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How headings become a tree."""

    group_pages: int = 5
    """Longest page group where a document has no headings. Five pages are the length from which design and the
    seed system split a leaf."""

    def __post_init__(self) -> None:
        _at_least("group_pages", self.group_pages, 1)


@dataclass(frozen=True, slots=True)
class DescribeOptions:
    """How sections are described without a model."""

    summary_chars: int = 240
    """Longest summary: two or three sentences, so that a map of a hundred sections stays near 6,000 tokens."""
    max_key_items: int = 8
    """Most key items a section."""

    def __post_init__(self) -> None:
        _at_least("summary_chars", self.summary_chars, 0)
        _at_least("max_key_items", self.max_key_items, 0)


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """All that shapes a stored document. Part of its fingerprint: other options, other tree."""

    read: ReadOptions = field(default_factory=ReadOptions)
    outline: OutlineOptions = field(default_factory=OutlineOptions)
    tree: TreeOptions = field(default_factory=TreeOptions)
    describe: DescribeOptions = field(default_factory=DescribeOptions)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a question is answered."""

    k: int = 5
    """How many hits; fewer only where the scope holds fewer units."""
    unit: Unit = "auto"
    """What is returned: leaf sections and windows of long ones (``auto``), whole sections, windows, or pages."""
    max_tokens: int | None = None
    """Cut each hit's text to about this many tokens around its best lines. None returns whole units."""
    mode: Literal["words", "phrase", "regex"] = "words"
    """``words`` ranks; ``phrase`` and ``regex`` return what contains the question exactly as written."""
    fill: bool = True
    """Complete the answer to k with the next best units, even those without a matching word."""

    def __post_init__(self) -> None:
        _at_least("k", self.k, 1)
        _at_least("max_tokens", self.max_tokens, 20)
        if self.unit not in ("auto", "section", "window", "page"):
            raise OptionError(f"unit={self.unit!r} is unknown.", "Units are auto, section, window and page.")
        if self.mode not in ("words", "phrase", "regex"):
            raise OptionError(f"mode={self.mode!r} is unknown.", "Modes are words, phrase and regex.")
