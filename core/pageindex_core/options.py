"""What a caller may choose, one frozen record for each stage, each default with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pageindex_core.errors import OptionError
from pageindex_core.records import Unit


def _at_least(name: str, value: int | float | None, least: int | float, *, whole: bool = True) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        kind = "whole number" if whole else "number"
        raise OptionError(f"{name}={value!r} cannot be used.", f"It is no {kind}.", f"Pass a {kind} from {least}.")
    if not value >= least:  # nor is "not a number"
        raise OptionError(
            f"{name}={value!r} cannot be used.", f"It has to be at least {least}.", "Pass a larger value."
        )


def check_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse a value that is none of those known.

    Raises:
        OptionError: it is not; the message lists them.
    """
    if value not in known:
        raise OptionError(f"{name}={value!r} is unknown.", f"It is one of {', '.join(known)}.", "Pass one of these.")


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
    heading_tags: bool | None = None
    """Whether the headings that a tagged PDF's structure marks are read. None reads them where the file has no
    bookmarks: those say the same at a tenth of the cost, which is a third of reading a tagged page."""
    processes: int | None = None
    """How many processes share the pages of a PDF; the result is the same. None starts none for documents of less
    than 2,000 pages, where starting them costs more than it gains, and else one a core, at most four."""

    def __post_init__(self) -> None:
        _at_least("max_pages", self.max_pages, 1)
        _at_least("page_tokens", self.page_tokens, 50)
        _at_least("thin_below_tokens", self.thin_below_tokens, 0)
        _at_least("processes", self.processes, 1)


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
    optimize: Literal["auto", "full", "merge", "off"] = "auto"
    """``full`` divides leaves of more than five pages where that makes reading cheaper, by a model's proposals or by
    weaker layout evidence; ``auto`` does so when there is a model. ``merge`` and ``off`` store the tree as found:
    merging is a view (``tree.merge_tree``), which never changes what is stored."""

    def __post_init__(self) -> None:
        _at_least("group_pages", self.group_pages, 1)
        check_one_of("optimize", self.optimize, ("auto", "full", "merge", "off"))


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

    @property
    def reading(self) -> ReadOptions:
        """How to read for these options: without bookmarks, heading tags are wanted wherever they are."""
        if self.read.heading_tags is None and not self.outline.use_bookmarks:
            return replace(self.read, heading_tags=True)
        return self.read


def options_to_dict(options: IndexOptions) -> dict[str, Any]:
    """Give options as JSON values, without the password, which opens a file and is not needed again."""
    return asdict(replace(options, read=replace(options.read, password=None)))


def options_from_dict(stored: Mapping[str, Any]) -> IndexOptions:
    """Give options back from ``options_to_dict``; the defaults where there are none."""
    if not stored:
        return IndexOptions()
    return IndexOptions(
        read=ReadOptions(**stored["read"]),
        outline=OutlineOptions(**stored["outline"]),
        tree=TreeOptions(**stored["tree"]),
        describe=DescribeOptions(**stored["describe"]),
    )


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a model does while a document is indexed, and what it may cost."""

    structure: Literal["auto", "standard", "layout"] = "auto"
    """``standard`` lets the model find contents pages or build the structure from the text; ``auto`` does so only where
    layout gives no heading, since it costs a call for every few pages; ``layout`` never."""
    summaries: bool = True
    """Write summaries and the document's description; False lets the model work on the structure alone."""
    summary_words: int = 150
    """Length the model is asked for: a paragraph, as long as people are used to from such trees."""
    short_leaf_tokens: int = 200
    """Sections with no more text than this keep it as their summary: 150 words are about as many tokens."""
    expand_pages: int = 5
    """Leaves of more pages are offered for division."""
    expand_rounds: int = 3
    """How often one place may be divided. Documents seldom number deeper than three levels below a long leaf."""
    contents_pages: int = 20
    """How many pages from the first on are searched for printed contents, in ``standard`` mode."""
    node_pages: int = 10
    """Most pages a section may have before it is offered for division whatever ``optimize`` says (``standard``)."""
    node_tokens: int = 20_000
    """The same in tokens."""
    context_tokens: int = 6_000
    """Most tokens of document text in one prompt, so that models of a context of 8,192 will do. Longer texts are sent
    in parts."""
    repair_rounds: int = 3
    """How often contents entries that do not stand where they should are looked for anew, in ``standard`` mode."""
    concurrency: int = 32
    """Most calls at once."""
    max_calls: int | None = None
    """Stop asking after so many calls in one run, over all its documents; None sets no limit. The run then ends with
    what it has, a note says so, and the next run completes it."""
    max_tokens: int | None = None
    """The same for tokens sent and received."""
    max_cost_usd: float | None = None
    """The same for cost; calls of unknown price count nothing."""
    max_seconds: float | None = None
    """The same for time."""
    cache: str | None = None
    """File of the reply cache, so that a run that was broken off goes on without paying twice. None keeps it in the
    library's folder, and keeps none where there is no folder."""
    prompts: Mapping[str, str | Path] = field(default_factory=dict)
    """Your own wordings: the text, or the path of its file, for each prompt to be replaced (``llm/prompts``)."""

    def __post_init__(self) -> None:
        check_one_of("structure", self.structure, ("auto", "standard", "layout"))
        for name in ("summary_words", "expand_pages", "contents_pages", "node_pages", "node_tokens", "concurrency"):
            _at_least(name, getattr(self, name), 1)
        for name in ("short_leaf_tokens", "expand_rounds", "repair_rounds"):
            _at_least(name, getattr(self, name), 0)
        _at_least("context_tokens", self.context_tokens, 500)
        _at_least("max_calls", self.max_calls, 0)
        _at_least("max_tokens", self.max_tokens, 0)
        _at_least("max_cost_usd", self.max_cost_usd, 0, whole=False)
        _at_least("max_seconds", self.max_seconds, 0, whole=False)


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
        check_one_of("unit", self.unit, ("auto", "section", "window", "page"))
        check_one_of("mode", self.mode, ("words", "phrase", "regex"))


@dataclass(frozen=True, slots=True)
class NavigationOptions:
    """How a model finds its way through documents."""

    map_tokens: int = 3_000
    """Most estimated tokens of one map of sections: about four pages of text, and an eighth of what the seed system
    sends in one part."""
    descent_tokens: int = 2_000
    """Of the first map, where the whole outline does not fit; the second then costs what is chosen from the first."""
    beam: int = 4
    """Most places that are opened together on the way down."""
    short_pages: int = 20
    """A document of at most so many pages needs no map: it is read directly."""
    most_documents: int = 8
    """Documents on one map, the most promising of the lexical shortlist."""
    one_token: bool = False
    """Score the options by the probability of one token each, where the provider reports it, instead of asking for a
    list with reasons."""
    max_turns: int = 12
    """Turns of the reading agent. The last one has no tools, so that it answers with what it has read."""
    read_tokens: int = 12_000
    """Most estimated tokens of page text given to a model to answer from: about twenty dense pages."""
    prompts: Mapping[str, str | Path] = field(default_factory=dict)
    """Wordings of the caller's own, by the name of the prompt they replace: texts, or paths of files."""

    def __post_init__(self) -> None:
        _at_least("map_tokens", self.map_tokens, 800)
        _at_least("descent_tokens", self.descent_tokens, 500)
        for name in ("beam", "most_documents", "max_turns"):
            _at_least(name, getattr(self, name), 1)
        _at_least("short_pages", self.short_pages, 0)
        _at_least("read_tokens", self.read_tokens, 500)
