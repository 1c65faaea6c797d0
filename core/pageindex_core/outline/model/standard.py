"""The ``standard`` mode: the structure of a document whose layout gives nothing, by reading it with a model.

::

    first pages ── which are contents pages? ──> contents ── read entries ──> entries with printed numbers
    entries ── printed to physical pages ──> guesses ── verify a sample ──> all verified, wrong ones repaired
                                                            └── too many wrong ──┐
    no contents pages ───────────────────────────────────────────────────────────┴──> headings from the text, in parts

Every prompt holds a bounded piece of the document, so that its length does not matter. Whatever cannot be verified on
a page is dropped and counted.
"""

from __future__ import annotations

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Job
from pageindex_core.options import ModelOptions
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.contents_list import Contents, read_contents
from pageindex_core.outline.model.listed import guesses, placed, without_strays
from pageindex_core.outline.model.named import as_heading
from pageindex_core.outline.model.propose import headings_from_text
from pageindex_core.outline.model.repair import SAMPLE_GOOD, Search, repaired, sampled
from pageindex_core.records import Heading, Outline

_LEAST_ENTRIES = 3
"""Fewer verified entries structure no document that is worth having one."""


def standard_outline(layout: Layout, asking: Asking, options: ModelOptions) -> Job[Outline | None]:
    """Give the outline that reading finds; None when it finds none."""
    contents = yield from read_contents(layout, asking, options)
    headings = yield from _from_contents(layout, contents, asking, options)
    if headings:
        return Outline(tuple(headings), "contents", {"contents": 1.0})
    headings = yield from headings_from_text(layout, asking, options, skip=contents.pages)
    return Outline(tuple(headings), "model", {"model": 1.0}) if headings else None


def _from_contents(layout: Layout, contents: Contents, asking: Asking, options: ModelOptions) -> Job[list[Heading]]:
    listed = contents.listed
    if len(listed) < _LEAST_ENTRIES:
        return []
    expected = guesses(layout, listed, contents.end)
    search = Search(layout, listed, expected, contents.end, asking, options)
    found = yield from sampled(search, without_strays(placed(layout, listed, expected, contents.end)))
    if found is None:
        asking.note("contents_rejected", "The printed contents do not match the text; the text was read instead.")
        return []
    for round_number in range(options.repair_rounds):
        if None not in found or asking.ended:
            break
        found = yield from repaired(search, found, round_number)
    verified = [candidate for candidate in found if candidate is not None]
    if len(verified) < len(listed):
        dropped = len(listed) - len(verified)
        asking.note("contents_dropped", f"{dropped} of {len(listed)} contents entries could not be verified; dropped.")
    if len(verified) < max(_LEAST_ENTRIES, SAMPLE_GOOD * len(listed)):
        return []
    return [as_heading(candidate, "contents") for candidate in verified]
