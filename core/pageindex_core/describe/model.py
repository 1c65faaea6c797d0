"""Summaries and a description written by a language model, each from bounded pieces of text.

A section is summed up when its children are, from its own text and their summaries, so that it speaks for all of it.
Short texts are their own summary. Whatever a reply lacks is left to the quoted summaries of ``describe``: a bad reply
costs one section its paragraph and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pageindex_core.describe.compare import fold_digits
from pageindex_core.describe.extract import cut
from pageindex_core.describe.furniture import furniture_of
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.protocol import ModelReply
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.records import Page, PageTree, Section
from pageindex_core.tokens import count_tokens

Spot = tuple[int, int]
"""Page number and line index."""

SUMMARY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
DESCRIPTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"description": {"type": "string"}},
    "required": ["description"],
    "additionalProperties": False,
}

DESCRIPTION_CHARS = 300
"""Longest description of a document: one sentence, a line or two in a list of documents."""

CHARS_A_WORD = 10
"""A summary of so many times its words in characters has ignored the limit and is cut: twice what English takes."""

_OPENING_TOKENS = 120
"""How much of a child without a summary its parent is shown."""

_LONGEST_PIECE = 0.5
"""A child's summary may take at most this share of a prompt, so that two always fit and joining comes to an end."""

_NOTHING = re.compile(r"\W*(?:null|none|undefined|n/a)?\W*", re.IGNORECASE)
_CODE = re.compile(r"\s*[{\[`<]")
"""How replies begin that were to be JSON, or are an error page: what is left of them is no prose."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Summaries of an earlier version of the document, for sections that have not changed.

    A section is known by the keys of itself and all below it: a parent speaks for its children too.
    """

    summaries: Mapping[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    """Keys of a section and those below it, in pre-order, to its summary and the model that wrote it."""

    @classmethod
    def of(cls, tree: PageTree) -> Kept:
        """Give what a model wrote for a tree."""
        return cls(
            {
                keys_of(section): (section.summary, section.summary_model)
                for section in tree.walk()
                if section.summary and section.summary_model
            }
        )


def keys_of(section: Section) -> tuple[str, ...]:
    """Give the keys of a section and of all below it, in pre-order; a page group stands for its pages."""
    below = () if _is_page_group(section) else section.children
    return (section.section_key, *(key for child in below for key in keys_of(child)))


class Summarizer:
    """Finishes the sections of one document, children first (see ``tree.expand``).

    Args:
        pages: The document's pages.
        asking: The account of this document.
        options: Lengths.
        kept: Summaries that may be kept.
    """

    def __init__(self, pages: Sequence[Page], asking: Asking, options: ModelOptions, kept: Kept | None = None) -> None:
        self._pages = pages
        self._asking = asking
        self._options = options
        self._kept = kept or Kept()
        self._furniture = furniture_of(pages)

    def finish(self, section: Section, own_stop: Spot, stop: Spot) -> Job[Section]:
        """Give a section with its summary; without one where the model gave none.

        Args:
            section: Its children are finished.
            own_stop: Where its own text stops, before its first child.
            stop: Where all of its text stops.
        """
        start = (section.start_page, section.start_line)
        whole = self._text(start, stop, most_tokens=self._options.short_leaf_tokens)
        if whole is not None:
            return replace(section, summary=self._own_words(whole, section.title))
        known = self._kept.summaries.get(keys_of(section))
        if known is not None:
            return replace(section, summary=known[0], summary_model=known[1])
        own = self._text(start, own_stop) or ""
        children = [] if own_stop == stop else [self._child(child) for child in section.children]
        written = yield from self._sum_up(section, own, children)
        if written is None:
            return section
        return replace(section, summary=written[0], summary_model=written[1])

    def describe(self, doc_name: str, sections: Sequence[Section]) -> Job[str | None]:
        """Give one sentence about the whole document, from its outermost sections; None where the model gave none."""
        pieces = [self._child(section) for section in sections]
        while len(pieces) > 1 and _tokens(pieces) > self._options.context_tokens:
            pieces = yield from self._joined(pieces, None)
        text = "\n\n".join(pieces)
        request = self._asking.request(
            "description", "description", DESCRIPTION_SCHEMA, {"name": doc_name, "text": text}
        )
        reply = yield from self._asking.ask(request, "the document's description")
        if reply is None:
            return None
        sentence = _text_in(reply, "description")
        if sentence is None:
            self._asking.miss("the document's description", "the reply holds no sentence.")
            return None
        return cut(sentence, DESCRIPTION_CHARS)

    # From pieces to a summary

    def _sum_up(self, section: Section, own: str, children: Sequence[str]) -> Job[tuple[str, str] | None]:
        limit = self._options.context_tokens
        if not children and count_tokens(own) <= limit:
            return (yield from self._written("summary", own, section, section.level))
        pieces = list(children)
        if own:
            pieces[:0] = (
                [own] if count_tokens(own) <= limit * _LONGEST_PIECE else (yield from self._shortened(own, section))
            )
        while len(pieces) > 1 and _tokens(pieces) > limit:
            pieces = yield from self._joined(pieces, section)
        if not pieces:
            return None
        return (yield from self._written("summary_of_parts", "\n\n".join(pieces), section, section.level))

    def _shortened(self, text: str, section: Section) -> Job[list[str]]:
        """A long text as the summaries of its parts."""
        parts = _split(text, self._options.context_tokens)
        jobs = [self._written("summary", part, section, section.level) for part in parts]
        results: list[tuple[str, str] | None] = yield Together(jobs)
        return [
            result[0] if result else cut(part, 4 * _OPENING_TOKENS) for result, part in zip(results, parts, strict=True)
        ]

    def _joined(self, pieces: Sequence[str], section: Section | None) -> Job[list[str]]:
        """Neighbouring pieces as summaries of as many as fit a prompt: fewer and shorter at each step."""
        groups: list[list[str]] = []
        for piece in pieces:
            fits = groups and (len(groups[-1]) < 2 or _tokens([*groups[-1], piece]) <= self._options.context_tokens)
            if fits:
                groups[-1].append(piece)
            else:
                groups.append([piece])
        level = section.level if section else 0
        jobs = [self._written("summary_of_parts", "\n\n".join(group), section, level) for group in groups]
        results: list[tuple[str, str] | None] = yield Together(jobs)
        short = 4 * _OPENING_TOKENS
        return [
            result[0] if result else cut(" ".join(group), short) for result, group in zip(results, groups, strict=True)
        ]

    def _written(self, name: str, text: str, section: Section | None, level: int) -> Job[tuple[str, str] | None]:
        """Summary and model of one call; deeper sections first, since others wait for them."""
        title = section.title if section else ""
        words = {"words": self._options.summary_words}
        request = self._asking.request(name, "summary", SUMMARY_SCHEMA, {"title": title, "text": text}, fields=words)
        about = f"the summary of {title!r}" if section else "the document's description"
        page_number = section.start_page if section else None
        reply = yield from self._asking.ask(request, about, page_number, level)
        if reply is None:
            return None
        summary = _text_in(reply, "summary")
        if summary is None:
            self._asking.miss(about, "the reply holds no summary.", page_number)
            return None
        return cut(summary, CHARS_A_WORD * self._options.summary_words), reply.model

    # Text

    def _child(self, child: Section) -> str:
        pages = f"page {child.start_page}" if child.start_page == child.end_page else _range(child)
        summary = child.summary or self._opening(child)
        longest = int(4 * _LONGEST_PIECE * self._options.context_tokens)
        return cut(f"{child.title} ({pages}): {summary}", longest)

    def _opening(self, section: Section) -> str:
        stop = (section.end_page + 1, 0)
        text = self._text((section.start_page, section.start_line), stop, cut_at=_OPENING_TOKENS) or ""
        return cut(" ".join(text.split()), 4 * _OPENING_TOKENS)

    def _own_words(self, text: str, title: str) -> str | None:
        """A short text as it stands, without running heads, and without its heading where more follows."""
        lines = [line for line in text.split("\n") if fold_digits(line) not in self._furniture]
        words, heading = " ".join(" ".join(lines).split()), " ".join(title.split())
        rest = words[len(heading) :].strip() if words.startswith(heading) else words
        return rest or words or None

    def _text(
        self, start: Spot, stop: Spot, *, most_tokens: int | None = None, cut_at: int | None = None
    ) -> str | None:
        """The lines from one spot up to another; None where they take more than ``most_tokens``."""
        lines: list[str] = []
        size = 0
        for number in range(start[0], min(stop[0], len(self._pages)) + 1):
            page = self._pages[number - 1].lines
            first = start[1] if number == start[0] else 0
            last = stop[1] if number == stop[0] else len(page)
            for line in page[first:last]:
                size += count_tokens(line.text)
                if most_tokens is not None and size > most_tokens:
                    return None
                lines.append(line.text)
                if cut_at is not None and size > cut_at:
                    return "\n".join(lines)
        return "\n".join(lines)


def _text_in(reply: ModelReply, key: str) -> str | None:
    """The text of a reply: its JSON's, or all of it where a model answers in plain prose; None where it has none."""
    value = reply.value.get(key) if isinstance(reply.value, Mapping) else reply.value
    if reply.value is None and not _CODE.match(reply.text):
        value = reply.text
    if not isinstance(value, str) or _NOTHING.fullmatch(value):
        return None
    return " ".join(value.split())


def _split(text: str, tokens: int) -> list[str]:
    """A text cut at line ends into parts of at most ``tokens``; only a single longer line exceeds it."""
    parts: list[list[str]] = [[]]
    size = 0
    for line in text.split("\n"):
        cost = count_tokens(line) + 1
        if parts[-1] and size + cost > tokens:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += cost
    return ["\n".join(part) for part in parts]


def _tokens(pieces: Sequence[str]) -> int:
    return sum(count_tokens(piece) + 1 for piece in pieces)


def _range(section: Section) -> str:
    return f"pages {section.start_page}-{section.end_page}"


def _is_page_group(section: Section) -> bool:
    first, last = section.start_page, section.end_page
    return section.synthetic and section.title in (f"Page {first}", f"Pages {first}-{last}")
