"""Printed contents as a model reads them: which pages they are on, their entries, and where the text behind begins.

Contents may be interrupted by a blank page, may end in the middle of a page, and may be too long for one prompt. Each
part is then read with the last page of the one before, so that both agree on the levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.model.listed import Listed, listed_in
from pageindex_core.outline.model.named import MAX_LEVEL, Spot, whole
from pageindex_core.outline.model.parts import Part, parts_of
from pageindex_core.outline.model.reply_value import reply_value
from pageindex_core.outline.numbering import parse_number

_ENTRY_TOKENS = 3
"""Reading entries off contents repeats their text with keys around it: a part is so many times smaller than elsewhere,
for the reply to fit beside it."""

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


@dataclass(frozen=True, slots=True)
class Contents:
    """The printed contents of a document."""

    listed: tuple[Listed, ...] = ()
    pages: tuple[int, ...] = ()
    """Their page numbers, without a last one that the text begins on."""
    end: Spot = (1, 0)
    """Where the text behind them begins."""


def read_contents(layout: Layout, asking: Asking, options: ModelOptions) -> Job[Contents]:
    """Give the contents that the first pages hold; empty ones where they hold none."""
    pages = yield from _contents_pages(layout, asking, options)
    if not pages:
        return Contents()
    listed = yield from _entries(layout, pages, asking, options)
    if not listed:
        return Contents()
    end = _end(layout, pages, listed)
    return Contents(tuple(listed), tuple(page for page in pages if page < end[0]), end)


# Pages


def _contents_pages(layout: Layout, asking: Asking, options: ModelOptions) -> Job[list[int]]:
    """The longest run of contents pages, by page number: some books have a page of brief contents before it."""
    last = min(options.contents_pages, len(layout.pages))
    parts = parts_of(layout.pages, (1, 0), (last + 1, 0), options.context_tokens)
    results: list[list[int]] = yield Together([_contents_in(part, asking) for part in parts])
    runs = _runs(layout, sorted({page for pages in results for page in pages}))
    if not runs:
        return []
    run = max(runs, key=len)
    for _ in range(_MORE_CONTENTS):
        if _next_written(layout, run[-1]) <= last or last == len(layout.pages):
            break
        following = parts_of(layout.pages, (last + 1, 0), (len(layout.pages) + 1, 0), options.context_tokens)[:1]
        if not following:
            break
        more = yield from _contents_in(following[0], asking)
        run = _runs(layout, [*run, *sorted(set(more))])[0]
        last = following[0].last_page
    return run


def _runs(layout: Layout, pages: Sequence[int]) -> list[list[int]]:
    """Page numbers in ascending order as runs of neighbours; blank pages between do not part them."""
    runs = [list(pages[:1])] if pages else []
    for before, page in pairwise(pages):
        if page <= _next_written(layout, before):
            runs[-1].append(page)
        else:
            runs.append([page])
    return runs


def _next_written(layout: Layout, page_number: int) -> int:
    number = page_number + 1
    while number <= len(layout.pages) and not any(layout.keys[number - 1]):
        number += 1
    return number


def _contents_in(part: Part, asking: Asking) -> Job[list[int]]:
    about = f"the search for contents pages (pages {part.first_page}-{part.last_page})"
    value = yield from reply_value("contents_pages", {"text": part.text}, PAGES_SCHEMA, asking, about, part.first_page)
    pages = value.get("pages") if isinstance(value, Mapping) else None
    numbers = [whole(page) for page in pages] if isinstance(pages, list) else []
    return [number for number in numbers if number is not None and part.first_page <= number <= part.last_page]


def _end(layout: Layout, pages: Sequence[int], listed: Sequence[Listed]) -> Spot:
    """Where the text begins: below the last line that ends an entry with its page number, else on the next page."""
    rows = {fold(entry.title) + fold(entry.label): fold(entry.label) for entry in listed if entry.label is not None}
    for page in reversed(pages):
        keys = layout.keys[page - 1]
        for line_index in range(len(keys) - 1, -1, -1):
            key = keys[line_index]
            # A long entry wraps: its last line holds the rest of the title.
            if any(row.endswith(key) and key.endswith(label) and len(key) > len(label) for row, label in rows.items()):
                return (page, line_index + 1) if any(keys[line_index + 1 :]) else (page + 1, 0)
    return (pages[-1] + 1, 0)


# Entries


def _entries(layout: Layout, pages: Sequence[int], asking: Asking, options: ModelOptions) -> Job[list[Listed]]:
    tokens = options.context_tokens // _ENTRY_TOKENS
    parts = parts_of(layout.pages, (pages[0], 0), (pages[-1] + 1, 0), tokens, overlap=True)
    values: list[Any] = yield Together(
        [
            reply_value(
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
    read = [listed_in(value, layout, pages) for value in values]
    invented = sum(count for _, count in read)
    if invented:
        asking.note("contents_invented", f"{invented} contents entries are not printed on the contents pages; dropped.")
    listed: list[Listed] = []
    for entries, _ in read:
        listed = joined(listed, entries)
    return listed


def joined(before: Sequence[Listed], after: Sequence[Listed]) -> list[Listed]:
    """Give the entries of two parts, those of both once; the second counts its levels as the first does.

    What stands outermost in a part is called level 1 there, even if it is deep in the contents. Entries that both parts
    have tell by how much, else those that are numbered alike.
    """
    known = {_key(entry): entry.level for entry in before}
    votes = Counter(known[_key(entry)] - entry.level for entry in after if _key(entry) in known)
    if not votes:
        depths = {kind: entry.level for entry in before if (kind := _kind(entry)) is not None}
        votes = Counter(depths[kind] - entry.level for entry in after if (kind := _kind(entry)) in depths)
    shift = votes.most_common(1)[0][0] if votes else 0
    new = after[_repeated(before, after) :]
    new = [entry for entry in new if entry.label is None or _key(entry) not in known]
    return [*before, *(replace(entry, level=min(max(entry.level + shift, 1), MAX_LEVEL)) for entry in new)]


def _repeated(before: Sequence[Listed], after: Sequence[Listed]) -> int:
    """How many entries at the start of the second part are the last ones of the first."""
    ends, starts = [_key(entry) for entry in before], [_key(entry) for entry in after]
    return next((n for n in range(min(len(ends), len(starts)), 0, -1) if ends[-n:] == starts[:n]), 0)


def _key(entry: Listed) -> tuple[str, str | None]:
    return fold(entry.title), entry.label


def _kind(entry: Listed) -> tuple[str, int] | None:
    number = parse_number(entry.title)
    return None if number is None else (number.kind, number.depth)
