"""Contents entries that do not stand where their numbers lead: a few are verified first, the wrong ones are looked for.

A model is asked where sections begin, and what it says is held against the page. Each round reads a stretch of the
document once, for all entries that may begin there, so that many wrong entries cost no more than the text is long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.llm.asking import Asking
from pageindex_core.llm.prompts.pack import pack
from pageindex_core.llm.schedule import Job, Together
from pageindex_core.options import ModelOptions
from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.listed import Listed, neighbours, place_told, without_strays
from pageindex_core.outline.model.named import Spot, whole
from pageindex_core.outline.model.parts import Part, parts_of
from pageindex_core.outline.model.reply_value import reply_value

SAMPLE = 8
"""So many entries, spread evenly, are verified before the others are."""

SAMPLE_GOOD = 0.5
"""Share of the sample that has to be verified. A list of which half is wrong costs more to repair than to replace."""

_REACHES = (2, 8)
"""Pages around the guess that the first rounds of repair look at; later ones look at all between the neighbours."""

_WINDOWS = 4
"""Most parts that one entry is sought in, in one round."""

_ENTRIES_SHARE = 4
"""The entries of a prompt take at most one of so many shares of it, the text the others."""


@dataclass(frozen=True, slots=True)
class Search:
    """Entries of printed contents that are looked for in the text."""

    layout: Layout
    listed: Sequence[Listed]
    expected: Sequence[int | None]
    """The page to which each entry's number leads."""
    start: Spot
    """Where the text begins."""
    asking: Asking
    options: ModelOptions


@dataclass(frozen=True, slots=True)
class _Range:
    """Pages on which an entry may begin, and the likeliest."""

    low: int
    high: int
    guess: int


def sampled(search: Search, found: Sequence[Candidate | None]) -> Job[list[Candidate | None] | None]:
    """Verify a few entries, spread evenly; give all places known then, or None where less than half of the few hold.

    Args:
        search: The entries.
        found: The places that are known without asking.
    """
    count = min(SAMPLE, len(found))
    sample = sorted({round(step * (len(found) - 1) / max(count - 1, 1)) for step in range(count)})
    unsure = [index for index in sample if found[index] is None]
    told: Mapping[int, Candidate] = {}
    if len(sample) - len(unsure) < SAMPLE_GOOD * len(sample):
        told = yield from _sought(search, found, unsure, 0)
    known = without_strays([told.get(index) or candidate for index, candidate in enumerate(found)])
    good = sum(known[index] is not None for index in sample)
    return known if good >= SAMPLE_GOOD * len(sample) else None


def repaired(search: Search, found: Sequence[Candidate | None], round_number: int) -> Job[list[Candidate | None]]:
    """One round: look for what is not placed, around its guess first, between its neighbours later."""
    missing = [index for index, candidate in enumerate(found) if candidate is None]
    told = yield from _sought(search, found, missing, round_number)
    return without_strays([told.get(index) or candidate for index, candidate in enumerate(found)])


def _sought(
    search: Search, found: Sequence[Candidate | None], indexes: Sequence[int], round_number: int
) -> Job[dict[int, Candidate]]:
    """Ask where entries begin; those that may begin in the same part share its calls."""
    ranges = {index: _range(search, found, index, round_number) for index in indexes}
    tokens = search.options.context_tokens
    parts = [
        part
        for low, high in _stretches(ranges.values())
        for part in parts_of(
            search.layout.pages, max((low, 0), search.start), (high + 1, 0), tokens - tokens // _ENTRIES_SHARE
        )
    ]
    wanted: dict[int, list[int]] = defaultdict(list)
    for index, within in ranges.items():
        for position in _nearest(parts, within):
            wanted[position].append(index)
    jobs = []
    for position, group in sorted(wanted.items()):
        rows = [_row(search, index) for index in group]
        for batch in pack(rows, tokens // _ENTRIES_SHARE):
            jobs.append(
                _sought_in(search, {index: ranges[index] for index in group[batch.start : batch.stop]}, parts[position])
            )
    results: list[dict[int, Candidate]] = yield Together(jobs)
    told: dict[int, Candidate] = {}
    for result in results:
        for index, candidate in result.items():
            told.setdefault(index, candidate)
    return told


def _range(search: Search, found: Sequence[Candidate | None], index: int, round_number: int) -> _Range:
    low, high, middle = neighbours(found, index, search.start[0], len(search.layout.pages))
    guess = search.expected[index]
    if guess is None or not low <= guess <= high:
        return _Range(low, high, middle)
    reach = _REACHES[round_number] if round_number < len(_REACHES) else high - low
    return _Range(max(low, guess - reach), min(high, guess + reach), guess)


def _stretches(ranges: Iterable[_Range]) -> list[tuple[int, int]]:
    """The pages of all ranges, as first and last page of each run."""
    stretches: list[tuple[int, int]] = []
    for low, high in sorted((one.low, one.high) for one in ranges):
        if stretches and low <= stretches[-1][1] + 1:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], high))
        else:
            stretches.append((low, high))
    return stretches


def _nearest(parts: Sequence[Part], within: _Range) -> list[int]:
    """Positions of at most ``_WINDOWS`` parts with pages of a range, those nearest to its guess."""
    meeting = [
        (max(part.first_page - within.guess, within.guess - part.last_page, 0), position)
        for position, part in enumerate(parts)
        if part.first_page <= within.high and part.last_page >= within.low
    ]
    return [position for _, position in sorted(meeting)[:_WINDOWS]]


def _row(search: Search, index: int) -> str:
    return f"e{index}: {search.listed[index].title}"


def _sought_in(search: Search, wanted: Mapping[int, _Range], part: Part) -> Job[dict[int, Candidate]]:
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
    texts = {"entries": "\n".join(_row(search, index) for index in wanted), "text": part.text}
    about = f"the search for contents entries on pages {part.first_page}-{part.last_page}"
    value = yield from reply_value("find_entries", texts, schema, search.asking, about, part.first_page)
    items = value.get("found") if isinstance(value, Mapping) else None
    told: dict[int, Candidate] = {}
    for item in items if isinstance(items, list) else ():
        index = names.get(str(item.get("entry"))) if isinstance(item, Mapping) else None
        page, line = (whole(item.get("page")), item.get("line")) if isinstance(item, Mapping) else (None, None)
        if index is None or page is None or not isinstance(line, str):
            continue
        within = wanted[index]
        if not max(part.first_page, within.low) <= page <= min(part.last_page, within.high):
            continue
        candidate = place_told(search.layout, search.listed[index], page, line, search.start)
        if candidate is not None:
            told.setdefault(index, candidate)
    return told
