"""Tells which physical page each loaded document is, from metadata that counts from 0, from 1, or by labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.read.paging import MOST_EMPTY_PAGES
from pageindex_core.records import Note

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


def number_pages(metadata: Sequence[Mapping[str, Any]]) -> Numbering | None:
    """Give the physical page of each document of one source; None where no document names a page.

    ``page_number`` counts from 1. ``page`` counts from 0, as LangChain's loaders do, unless the group as a whole shows
    otherwise: see ``_base_of_page``. Labels alone count as numbers where all are numbers, else in order of arrival.
    Numbers so far apart that filling the gap would take more than ``MOST_EMPTY_PAGES`` pages are replaced by a count.
    """
    labels = [_label(entry) for entry in metadata]
    numbers, by_label = _claimed_numbers(metadata, labels)
    if not any(number is not None for number in numbers):
        return None
    notes: list[Note] = []
    complete = _fill_unnumbered(numbers, notes)
    distinct = sorted(set(complete))
    leading_gap = distinct[0] - 1
    printed = by_label and leading_gap >= _LEAST_PRINTED_GAP and leading_gap > len(distinct)
    named: dict[int, str] = {}
    for number, label in zip(complete, labels, strict=True):
        if label:
            named.setdefault(number, label)
    if printed or distinct[-1] - len(distinct) > MOST_EMPTY_PAGES:
        rank = {number: position for position, number in enumerate(distinct, start=1)}
        named = {rank[number]: named.get(number, str(number)) for number in distinct}
        complete = [rank[number] for number in complete]
        given = f"The given page numbers run from {distinct[0]} to {distinct[-1]} for {len(distinct):,} pages"
        notes.append(Note("pages_renumbered", f"{given}; pages are counted from 1 and those numbers kept as labels."))
    elif distinct[-1] > len(distinct):
        message = f"{distinct[-1] - len(distinct):,} of {distinct[-1]:,} pages were not given and are left empty."
        notes.append(Note("pages_missing", message))
    return Numbering(tuple(complete), named, tuple(notes))


def source_is_page(metadata: Mapping[str, Any]) -> bool:
    """Whether ``source`` holds a page number, as LlamaIndex's PyMuPDF reader sets it beside ``file_path``."""
    return bool(metadata.get("file_path")) and _count(metadata.get("source")) is not None


def _claimed_numbers(
    metadata: Sequence[Mapping[str, Any]], labels: Sequence[str | None]
) -> tuple[list[int | None], bool]:
    # The page of each document, from 1, None where it names none; and whether labels had to serve as numbers.
    explicit = [_count(entry.get("page_number")) for entry in metadata]
    pages = [_count(entry.get("page")) for entry in metadata]
    in_source = [_count(entry["source"]) if source_is_page(entry) else None for entry in metadata]
    candidates = (
        (explicit, 0 if 0 in explicit else 1),
        (pages, _base_of_page(pages, labels, [_count(entry.get("total_pages")) for entry in metadata])),
        (in_source, 0 if 0 in in_source else 1),
    )
    values, base = max(candidates, key=lambda candidate: sum(value is not None for value in candidate[0]))
    if any(value is not None for value in values):
        return [None if value is None else value - base + 1 for value in values], False
    given = [_count(label) if label else None for label in labels]
    if all(number is not None for number, label in zip(given, labels, strict=True) if label):
        first = 0 if 0 in given else 1
        return [None if number is None else number - first + 1 for number in given], True
    order = {label: position for position, label in enumerate(dict.fromkeys(filter(None, labels)), start=1)}
    return [order.get(label) if label else None for label in labels], True


def _base_of_page(pages: Sequence[int | None], labels: Sequence[str | None], totals: Sequence[int | None]) -> int:
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
