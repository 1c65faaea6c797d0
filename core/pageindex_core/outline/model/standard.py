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

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.listed import Listed, between, guesses, listed_in, place_told, placed, without_strays
from pageindex_core.outline.model.named import as_heading, whole
from pageindex_core.outline.model.parts import Part, parts_of
from pageindex_core.outline.model.propose import EXPAND_URGENCY, headings_from_text
from pageindex_core.records import Heading, Outline

SAMPLE = 8
"""So many entries, spread evenly, are verified before the others are."""

_SAMPLE_GOOD = 0.5
"""Share of the sample that has to be verified. A list of which half is wrong costs more to repair than to replace."""

_LEAST_ENTRIES = 3
"""Fewer verified entries structure no document that is worth having one."""

_ENTRY_TOKENS = 3
"""Reading entries off contents repeats their text with keys around it: a part is so many times smaller than elsewhere,
for the reply to fit beside it."""

_REACHES = (2, 8)
"""Pages around the guess that the first rounds of repair look at; later ones look at all between the neighbours."""

_WINDOWS = 4
"""Most parts that one entry is sought in, in one round."""

_MORE_CONTENTS = 5
"""Contents that go on where the searched pages end are followed for so many parts."""

PAGES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"pages": {"type": "array", "items": {"type": "integer"}}},
    "required": ["pages"],
    "additionalProperties": False,
}
ENTRIES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "page": {"type": ["string", "null"]},
                    "level": {"type": "integer"},
                },
                "required": ["title"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["entries"],
    "additionalProperties": False,
}


def standard_outline(layout: Layout, asking: Asking, options: ModelOptions) -> Job[Outline | None]:
    """Give the outline that reading finds; None when it finds none."""
    contents = yield from _contents_pages(layout, asking, options)
    if contents:
        headings = yield from _from_contents(layout, contents, asking, options)
        if headings:
            return Outline(tuple(headings), "contents", {"contents": 1.0})
    headings = yield from headings_from_text(layout, asking, options, skip=contents)
    return Outline(tuple(headings), "model", {"model": 1.0}) if headings else None


# Contents pages and their entries


def _contents_pages(layout: Layout, asking: Asking, options: ModelOptions) -> Job[list[int]]:
    """The first run of contents pages, by page number."""
    last = min(options.contents_pages, len(layout.pages))
    parts = parts_of(layout.pages, (1, 0), (last + 1, 0), options.context_tokens)
    results: list[list[int]] = yield Together([_contents_in(part, asking) for part in parts])
    named = sorted({page for pages in results for page in pages})
    if not named:
        return []
    run = [page for offset, page in enumerate(named) if page == named[0] + offset]
    for _ in range(_MORE_CONTENTS):
        if run[-1] != last or last == len(layout.pages):
            break
        following = parts_of(layout.pages, (last + 1, 0), (len(layout.pages) + 1, 0), options.context_tokens)[:1]
        if not following:
            break
        more = yield from _contents_in(following[0], asking)
        run += [page for offset, page in enumerate(sorted(set(more))) if page == last + 1 + offset]
        last = following[0].last_page
    return run


def _contents_in(part: Part, asking: Asking) -> Job[list[int]]:
    about = f"the search for contents pages (pages {part.first_page}-{part.last_page})"
    value = yield from _value("contents_pages", {"text": part.text}, PAGES_SCHEMA, asking, about, part.first_page)
    pages = value.get("pages") if isinstance(value, Mapping) else None
    numbers = [whole(page) for page in pages] if isinstance(pages, list) else []
    return [number for number in numbers if number is not None and part.first_page <= number <= part.last_page]


def _from_contents(
    layout: Layout, contents: Sequence[int], asking: Asking, options: ModelOptions
) -> Job[list[Heading]]:
    listed = yield from _entries(layout, contents, asking, options)
    if len(listed) < _LEAST_ENTRIES:
        return []
    # A section may begin below the contents on their last page.
    first_page = contents[-1] + 1
    expected = guesses(layout, listed, first_page)
    found = without_strays(placed(layout, listed, expected, first_page))
    sampled = yield from _sampled(layout, listed, expected, found, first_page, asking, options)
    if sampled is None:
        asking.note("contents_rejected", "The printed contents do not match the text; the text was read instead.")
        return []
    found = sampled
    for round_number in range(options.repair_rounds):
        if None not in found or asking.ended:
            break
        found = yield from _repaired(layout, listed, expected, found, first_page, round_number, asking, options)
    verified = [candidate for candidate in found if candidate is not None]
    if len(verified) < len(listed):
        dropped = len(listed) - len(verified)
        asking.note("contents_dropped", f"{dropped} of {len(listed)} contents entries could not be verified; dropped.")
    if len(verified) < max(_LEAST_ENTRIES, _SAMPLE_GOOD * len(listed)):
        return []
    return [as_heading(candidate, "contents") for candidate in verified]


def _entries(layout: Layout, contents: Sequence[int], asking: Asking, options: ModelOptions) -> Job[list[Listed]]:
    tokens = options.context_tokens // _ENTRY_TOKENS
    parts = parts_of(layout.pages, (contents[0], 0), (contents[-1] + 1, 0), tokens)
    values: list[Any] = yield Together(
        [
            _value(
                "contents_entries",
                {"text": part.text},
                ENTRIES_SCHEMA,
                asking,
                f"the contents on pages {part.first_page}-{part.last_page}",
                part.first_page,
            )
            for part in parts
        ]
    )
    read = [listed_in(value, layout, contents) for value in values]
    invented = sum(count for _, count in read)
    if invented:
        asking.note("contents_invented", f"{invented} contents entries are not printed on the contents pages; dropped.")
    return [entry for entries, _ in read for entry in entries]


# Verification and repair


def _sampled(
    layout: Layout,
    listed: Sequence[Listed],
    expected: Sequence[int | None],
    found: Sequence[Candidate | None],
    first_page: int,
    asking: Asking,
    options: ModelOptions,
) -> Job[list[Candidate | None] | None]:
    """Verify a few entries, spread evenly; give all places known then, or None where less than half of the few hold."""
    count = min(SAMPLE, len(listed))
    sample = sorted({round(step * (len(listed) - 1) / max(count - 1, 1)) for step in range(count)})
    unsure = [index for index in sample if found[index] is None]
    told: dict[int, Candidate] = {}
    if len(sample) - len(unsure) < _SAMPLE_GOOD * len(sample):
        told = yield from _sought(layout, listed, expected, found, unsure, first_page, 0, asking, options)
    known = without_strays([told.get(index) or candidate for index, candidate in enumerate(found)])
    good = sum(known[index] is not None for index in sample)
    return known if good >= _SAMPLE_GOOD * len(sample) else None


def _repaired(
    layout: Layout,
    listed: Sequence[Listed],
    expected: Sequence[int | None],
    found: Sequence[Candidate | None],
    first_page: int,
    round_number: int,
    asking: Asking,
    options: ModelOptions,
) -> Job[list[Candidate | None]]:
    """One round: look for what is not placed, around its guess first, between its neighbours later."""
    missing = [index for index, candidate in enumerate(found) if candidate is None]
    told = yield from _sought(layout, listed, expected, found, missing, first_page, round_number, asking, options)
    return without_strays([told.get(index) or candidate for index, candidate in enumerate(found)])


def _sought(
    layout: Layout,
    listed: Sequence[Listed],
    expected: Sequence[int | None],
    found: Sequence[Candidate | None],
    indexes: Sequence[int],
    first_page: int,
    round_number: int,
    asking: Asking,
    options: ModelOptions,
) -> Job[dict[int, Candidate]]:
    """Ask where entries begin; those sought on the same pages share their calls."""
    ranges = {
        index: _range(found, expected[index], index, first_page, len(layout.pages), round_number) for index in indexes
    }
    jobs = []
    for (low, high), group in groupby(indexes, key=ranges.__getitem__):
        wanted = list(group)
        parts = parts_of(layout.pages, (low, 0), (high + 1, 0), options.context_tokens)
        jobs += [_sought_in(layout, listed, wanted, part, asking) for part in _nearest(parts, expected[wanted[0]])]
    results: list[dict[int, Candidate]] = yield Together(jobs)
    told: dict[int, Candidate] = {}
    for result in results:
        for index, candidate in result.items():
            told.setdefault(index, candidate)
    return told


def _range(
    found: Sequence[Candidate | None], guess: int | None, index: int, first_page: int, last_page: int, round_number: int
) -> tuple[int, int]:
    low, high = between(found, index, first_page, last_page)
    if guess is None or round_number >= len(_REACHES) or not low <= guess <= high:
        return low, high
    reach = _REACHES[round_number]
    return max(low, guess - reach), min(high, guess + reach)


def _nearest(parts: Sequence[Part], guess: int | None) -> list[Part]:
    """At most ``_WINDOWS`` parts, those nearest to the guess, or the first ones."""
    ranked = sorted(parts, key=lambda part: 0 if guess is None else abs(part.first_page - guess))
    return sorted(ranked[:_WINDOWS], key=lambda part: part.first_page)


def _sought_in(
    layout: Layout, listed: Sequence[Listed], wanted: Sequence[int], part: Part, asking: Asking
) -> Job[dict[int, Candidate]]:
    names = {f"e{index}": index for index in wanted}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "found": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "entry": {"type": "string", "enum": list(names)},
                        "page": {"type": "integer"},
                        "line": {"type": "string"},
                    },
                    "required": ["entry", "page", "line"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["found"],
        "additionalProperties": False,
    }
    entries = "\n".join(f"{name}: {listed[index].title}" for name, index in names.items())
    about = f"the search for contents entries on pages {part.first_page}-{part.last_page}"
    value = yield from _value(
        "find_entries", {"entries": entries, "text": part.text}, schema, asking, about, part.first_page
    )
    items = value.get("found") if isinstance(value, Mapping) else None
    told: dict[int, Candidate] = {}
    for item in items if isinstance(items, list) else ():
        index = names.get(str(item.get("entry"))) if isinstance(item, Mapping) else None
        page, line = (whole(item.get("page")), item.get("line")) if isinstance(item, Mapping) else (None, None)
        if index is None or page is None or not isinstance(line, str) or not part.first_page <= page <= part.last_page:
            continue
        candidate = place_told(layout, listed[index], page, line)
        if candidate is not None:
            told.setdefault(index, candidate)
    return told


def _value(
    name: str, texts: Mapping[str, str], schema: Mapping[str, Any], asking: Asking, about: str, page_number: int
) -> Job[Any]:
    """The JSON of a reply to one prompt; None, with a note, where there is none."""
    request = asking.request(name, "structure", schema, texts)
    reply = yield from asking.ask(request, about, page_number, EXPAND_URGENCY)
    if reply is None:
        return None
    if reply.value is None:
        asking.miss(about, "the reply holds no JSON.", page_number)
    return reply.value
