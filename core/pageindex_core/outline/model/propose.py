"""Headings that a language model points out: in a leaf that is too long, or in a whole document part by part.

The model sees the text page by page and may name only headings printed there, with their page. What it names is held
against the page (see ``named``); that it names none is a good answer for prose and for one long table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.replies import REPLY_CUT
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.named import Named, Spot, as_heading, in_order, level_alike, named_in, verified
from pageindex_core.outline.model.parts import Part, parts_of
from pageindex_core.records import Heading
from pageindex_core.tokens import count_tokens

HEADINGS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "headings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "page": {"type": "integer"},
                    "level": {"type": "integer"},
                },
                "required": ["title", "page"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["headings"],
    "additionalProperties": False,
}

EXPAND_URGENCY = 1_000
"""Before any summary: sections have to be found before they can be summed up."""

REPLY_SHARE = 5
"""A reply may take so many times fewer tokens than the text of a prompt: some fifty headings for 6,000. With the words
around them, both fit a context a third larger than ``context_tokens``."""

LEAST_REPLY_TOKENS = 250
"""Even a small context has room for ten headings."""

SMALLEST_SHARE = 3
"""A reply that is cut had too many headings for its limit, and the text is read again in halves, down to this share of
``context_tokens``: a quarter of a full part holds a heading in every second line before its reply is cut."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the calls for one stretch of text have in common."""

    layout: Layout
    asking: Asking
    options: ModelOptions
    purpose: str
    about: str
    skip: frozenset[int] = frozenset()


def propose_headings(
    layout: Layout, start: Spot, stop: Spot, asking: Asking, options: ModelOptions, *, about: str
) -> Job[list[Heading]]:
    """Give the headings that stand in a leaf after its own, verified, levels from 1.

    Args:
        layout: The measured document.
        start: Where the leaf starts, with its own heading.
        stop: Where its text stops.
        asking: The account of this document.
        options: Size of the parts.
        about: The leaf, for notes.
    """
    parts = parts_of(layout.pages, start, stop, options.context_tokens)
    found = yield from _headings_in(_Reading(layout, asking, options, "expand", about), parts, start, stop)
    return [as_heading(candidate, "model") for candidate in found]


def headings_from_text(
    layout: Layout, asking: Asking, options: ModelOptions, skip: Iterable[int] = ()
) -> Job[list[Heading]]:
    """Give the headings of a whole document, read in overlapping parts; ``skip`` names pages to leave out."""
    stop = (len(layout.pages) + 1, 0)
    reading = _Reading(layout, asking, options, "structure", "the document's structure", frozenset(skip))
    parts = parts_of(layout.pages, (1, 0), stop, options.context_tokens, overlap=True, skip=reading.skip)
    found = yield from _headings_in(reading, parts, (1, -1), stop)
    return [as_heading(candidate, "model") for candidate in found]


def _headings_in(reading: _Reading, parts: Sequence[Part], start: Spot, stop: Spot) -> Job[list[Candidate]]:
    results: list[tuple[list[Named], int]] = yield Together([_named_in_part(reading, part) for part in parts])
    dropped = sum(unusable for _, unusable in results)
    kept: dict[tuple[int, int], Candidate] = {}
    for part, (named, _) in zip(parts, results, strict=True):
        inside = [one for one in named if part.first_page <= one.page_number <= part.last_page]
        good, bad = verified(reading.layout, inside, start, stop)
        dropped += bad + len(named) - len(inside)
        for candidate in good:
            kept.setdefault(candidate.place, candidate)  # parts overlap
    if dropped:
        reading.asking.drop(dropped, reading.about, start[0])
    return level_alike(in_order(sorted(kept.values(), key=lambda one: one.place)), reading.layout)


def _named_in_part(reading: _Reading, part: Part, halved: int = 0) -> Job[tuple[list[Named], int]]:
    asking, most_tokens = reading.asking, reading.options.context_tokens
    request = asking.request(
        "headings",
        reading.purpose,
        HEADINGS_SCHEMA,
        {"text": part.text},
        fields={"first": part.first_page, "last": part.last_page},
        max_output_tokens=max(LEAST_REPLY_TOKENS, most_tokens // REPLY_SHARE),
    )
    about = f"{reading.about} (pages {part.first_page}-{part.last_page})"
    # Halves come before other parts, so that it shows early whether halving helps.
    reply = yield from asking.ask(request, about, part.first_page, EXPAND_URGENCY + halved)
    if reply is None:
        return [], 0
    halves = _halves(reading, part) if REPLY_CUT in reply.notes else []
    if asking.may_ask_again(is_cut=REPLY_CUT in reply.notes, is_last=not halves):
        jobs = [_named_in_part(reading, half, halved + 1) for half in halves]
        results: list[tuple[list[Named], int]] = yield Together(jobs)
        return [one for named, _ in results for one in named], sum(unusable for _, unusable in results)
    if not isinstance(reply.value, (dict, list)):
        asking.miss(about, "the reply holds no list of headings.", part.first_page)
        return [], 0
    return named_in(reply.value)


def _halves(reading: _Reading, part: Part) -> list[Part]:
    size = count_tokens(part.text)
    if size <= reading.options.context_tokens // SMALLEST_SHARE:
        return []
    halves = parts_of(reading.layout.pages, part.start, part.stop, round(0.55 * size), skip=reading.skip)
    return halves if len(halves) > 1 else []
