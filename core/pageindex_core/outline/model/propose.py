"""Headings that a language model points out: in a leaf that is too long, or in a whole document part by part.

The model sees the text page by page and may name only headings printed there, with their page. What it names is held
against the page (see ``named``); that it names none is a good answer for prose and for one long table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.named import Named, Spot, as_heading, in_order, level_alike, named_in, verified
from pageindex_core.outline.model.parts import Part, parts_of
from pageindex_core.records import Heading

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

LONGEST_REPLY_TOKENS = 4_000
"""A hundred headings of a part of 6,000 tokens: one in every five lines."""


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
    found = yield from _headings_in(layout, parts, start, stop, asking, "expand", about)
    return [as_heading(candidate, "model") for candidate in found]


def headings_from_text(
    layout: Layout, asking: Asking, options: ModelOptions, skip: Iterable[int] = ()
) -> Job[list[Heading]]:
    """Give the headings of a whole document, read in overlapping parts; ``skip`` names pages to leave out."""
    stop = (len(layout.pages) + 1, 0)
    parts = parts_of(layout.pages, (1, 0), stop, options.context_tokens, overlap=True, skip=skip)
    found = yield from _headings_in(layout, parts, (1, -1), stop, asking, "structure", "the document's structure")
    return [as_heading(candidate, "model") for candidate in found]


def _headings_in(
    layout: Layout, parts: Sequence[Part], start: Spot, stop: Spot, asking: Asking, purpose: str, about: str
) -> Job[list[Candidate]]:
    jobs = [_named_in_part(part, asking, purpose, about) for part in parts]
    results: list[tuple[list[Named], int]] = yield Together(jobs)
    dropped = sum(unusable for _, unusable in results)
    kept: dict[tuple[int, int], Candidate] = {}
    for part, (named, _) in zip(parts, results, strict=True):
        inside = [one for one in named if part.first_page <= one.page_number <= part.last_page]
        good, bad = verified(layout, inside, start, stop)
        dropped += bad + len(named) - len(inside)
        for candidate in good:
            kept.setdefault(candidate.place, candidate)  # parts overlap
    if dropped:
        asking.drop(dropped, about, start[0])
    return level_alike(in_order(sorted(kept.values(), key=lambda one: one.place)), layout)


def _named_in_part(part: Part, asking: Asking, purpose: str, about: str) -> Job[tuple[list[Named], int]]:
    request = asking.request(
        "headings",
        purpose,
        HEADINGS_SCHEMA,
        {"text": part.text},
        fields={"first": part.first_page, "last": part.last_page},
        max_output_tokens=LONGEST_REPLY_TOKENS,
    )
    what = f"{about} (pages {part.first_page}-{part.last_page})"
    reply = yield from asking.ask(request, what, part.first_page, EXPAND_URGENCY)
    if reply is None:
        return [], 0
    if not isinstance(reply.value, (dict, list)):
        asking.miss(what, "the reply holds no list of headings.", part.first_page)
        return [], 0
    return named_in(reply.value)
