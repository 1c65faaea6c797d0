"""Tells which physical page each loaded document is, from metadata that counts from 0, from 1, or by labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.read.batches import COUNTED_FROM_ONE, Earlier
from pageindex_core.read.paging import MOST_EMPTY_PAGES
from pageindex_core.records import Note, Page

PAGE_KEYS = frozenset({"page", "page_label", "page_number", "total_pages"})
"""Metadata that speaks of one page, or of paging, and not of the document."""

_LEAST_PRINTED_GAP = 20
"""Labels that skip at least this many pages before the first one, and more pages than there are, are printed numbers
(a chapter that starts at 103) and not positions in the file."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The pages of the documents of one source."""

    numbers: tuple[int, ...]
    """Physical page of each document, from 1, in the order given."""
    labels: Mapping[int, str]
    """Label of each page that has one."""
    notes: tuple[Note, ...] = ()
    total: int | None = None
    """How many pages the document has, where the metadata says so."""


def number_pages(metadata: Sequence[Mapping[str, Any]], earlier: Earlier | None = None) -> Numbering | None:
    """Give the physical page of each document of one source; None where no document names a page.

    ``page_number`` counts from 1. ``page`` counts from 0, as LangChain's loaders do, unless the group as a whole shows
    otherwise: see ``_base_of_page``. Labels alone count as numbers where all are numbers, else in order of arrival.
    Numbers so far apart that filling the gap would take more than ``MOST_EMPTY_PAGES`` pages are replaced by a count,
    and the given numbers kept as labels. Pages that were given ``earlier`` fill gaps, and tell how pages are counted.
    """
    labels = [_label(entry) for entry in metadata]
    numbers, by_label, base = _claimed_numbers(metadata, labels, earlier)
    if not any(number is not None for number in numbers):
        return None
    notes: list[Note] = []
    if base == 1:
        message = "The page numbers in the metadata of the loaded documents count from 1."
        notes.append(Note(COUNTED_FROM_ONE, message))
    complete = _fill_unnumbered(numbers, notes)
    held = earlier.held if earlier else frozenset[int]()
    distinct = sorted({*complete, *held})
    leading_gap = distinct[0] - 1
    printed = by_label and leading_gap >= _LEAST_PRINTED_GAP and leading_gap > len(distinct)
    named: dict[int, str] = {}
    for number, label in zip(complete, labels, strict=True):
        if label:
            named.setdefault(number, label)
    total = max((total for entry in metadata if (total := _count(entry.get("total_pages")))), default=None)
    if printed or distinct[-1] - len(distinct) > MOST_EMPTY_PAGES:
        # Behind the pages there are; alone, from 1.
        new = [number for number in distinct if number not in held]
        rank = {number: max(held, default=0) + position for position, number in enumerate(new, start=1)}
        rank |= {number: number for number in held}
        shift = 1 if base is None else base
        named = {rank[number]: named.get(number, str(number - 1 + shift)) for number in set(complete)}
        run = f"The given page numbers run from {min(complete) - 1 + shift} to {max(complete) - 1 + shift}"
        complete = [rank[number] for number in complete]
        message = f"{run} for {len(set(complete)):,} pages; pages are counted on and those numbers kept as labels."
        notes.append(Note("pages_renumbered", message))
        total = None
    return Numbering(tuple(complete), named, tuple(notes), total)


def missing_note(pages: Sequence[Page], given: Collection[int]) -> tuple[Note, ...]:
    """Give a note on the pages that are empty since they were not given; none where all were."""
    missing = sum(not page.lines and page.page_number not in given for page in pages)
    if not missing:
        return ()
    message = f"{missing:,} of {len(pages):,} pages were not given and are left empty."
    return (Note("pages_missing", message),)


def source_is_page(metadata: Mapping[str, Any]) -> bool:
    """Whether ``source`` holds a page number, as LlamaIndex's PyMuPDF reader sets it beside ``file_path``."""
    return bool(metadata.get("file_path")) and _count(metadata.get("source")) is not None


def _claimed_numbers(
    metadata: Sequence[Mapping[str, Any]], labels: Sequence[str | None], earlier: Earlier | None
) -> tuple[list[int | None], bool, int | None]:
    # The page of each document, from 1, None where it names none; whether labels had to serve as numbers; and whether
    # ``page`` counts from 0 or 1, None where it is not what counts.
    explicit = [_count(entry.get("page_number")) for entry in metadata]
    pages = [_count(entry.get("page")) for entry in metadata]
    in_source = [_count(entry["source"]) if source_is_page(entry) else None for entry in metadata]
    candidates = (
        (explicit, 0 if 0 in explicit else 1),
        (pages, _base_of_page(pages, labels, [_count(entry.get("total_pages")) for entry in metadata], earlier)),
        (in_source, 0 if 0 in in_source else 1),
    )
    values, base = max(candidates, key=lambda candidate: sum(value is not None for value in candidate[0]))
    if any(value is not None for value in values):
        numbers = [None if value is None else value - base + 1 for value in values]
        return numbers, False, base if values is pages else None
    given = [_count(label) if label else None for label in labels]
    if all(number is not None for number, label in zip(given, labels, strict=True) if label):
        first = 0 if 0 in given else 1
        return [None if number is None else number - first + 1 for number in given], True, None
    order = {label: position for position, label in enumerate(dict.fromkeys(filter(None, labels)), start=1)}
    return [order.get(label) if label else None for label in labels], True, None


def _base_of_page(
    pages: Sequence[int | None],
    labels: Sequence[str | None],
    totals: Sequence[int | None],
    earlier: Earlier | None,
) -> int:
    # Whether ``page`` counts from 0 or from 1, the surest sign first; 0, as in LangChain, where there is none.
    given = {page for page in pages if page is not None}
    if not given or 0 in given:
        return 0
    total = max((total for total in totals if total is not None), default=0)
    if max(given) == total:
        return 1  # counted from 0, the last page of n is n - 1
    pairs = [(page, _count(label)) for page, label in zip(pages, labels, strict=True) if page is not None and label]
    from_one = sum(page == label for page, label in pairs)
    from_zero = sum(page + 1 == label for page, label in pairs)
    if from_one != from_zero:
        return 1 if from_one > from_zero else 0
    if earlier and earlier.held:
        return 1 if earlier.counts_from_one else 0
    whole = len(given) > 1 and given == set(range(1, len(given) + 1))
    return 1 if whole and not total else 0


def _fill_unnumbered(numbers: Sequence[int | None], notes: list[Note]) -> list[int]:
    # A document without a page belongs to the page of the one before it, or to the first that has one.
    missing = sum(number is None for number in numbers)
    if missing:
        message = f"{missing:,} loaded documents name no page and were added to the page before them."
        notes.append(Note("page_unknown", message))
    current = next(number for number in numbers if number is not None)
    complete = []
    for number in numbers:
        current = current if number is None else number
        complete.append(current)
    return complete


def _label(metadata: Mapping[str, Any]) -> str | None:
    label = metadata.get("page_label")
    return (str(label).strip() or None) if isinstance(label, (str, int)) and not isinstance(label, bool) else None


def _count(value: Any) -> int | None:
    # A whole number from 0 up, however it is written; None for anything else.
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value >= 0 and value.is_integer() else None
    if isinstance(value, str):
        value = value.strip()
        return int(value) if value.isdecimal() and len(value) <= 18 else None
    return value if isinstance(value, int) and value >= 0 else None
