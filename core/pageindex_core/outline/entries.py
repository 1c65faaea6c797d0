"""Entries of contents pages, whatever they were found by: rows, their levels, and where they lead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pageindex_core.headlines import CONTENTS
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import WORDED_KINDS, parse_number, roman_number
from pageindex_core.outline.rows import Row

_PAGE = r"(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}[-–]\d{1,3}(?:[-–.]\d{1,3})?|\d{1,2}[-–]\d{1,3})"
_LONGEST_PAGE = 10
"""Characters of the longest page number: "AB-123-123"."""
_LEADER_CHARS = " .·•…_‥･・⋅․"
_LEADER_ONLY = re.compile(r"[.·•…_‥･・⋅․]\s?(?:[.·•…_‥･・⋅․]\s?){2,}")
_ENDING = re.compile(
    r"(?P<leader>\s*(?:[.·•…_‥･・⋅․]\s?){3,}\s*|\s+|(?<=[^\W\d])\s*(?=\d))"
    rf"(?P<page>{_PAGE})\Z"
)
"""What follows the title of an entry: a leader or white space, and the page number."""
_BETWEEN = _LEADER_CHARS + "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What may stand between a title and its page number."""
_PAGE_AT_END = re.compile(rf"(?:^|[\s{_LEADER_CHARS}]|[^\W\d](?=\d)){_PAGE}$")

_COLUMN_HEAD = re.compile(r"\s\s*(?:page|pages|page no\.?|seite|页码|頁)$", re.IGNORECASE)
"""What stands over the page numbers, at the end of the first row: "PART I … Page"."""

MIN_LEADING = 4
"""So many entries have to start with the number of their page for it not to be chance."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table of contents."""

    title: str
    row: Row
    printed_page: str | None = None
    leader: bool = False
    target_index: int | None = None
    """0-based page of a link; None without one."""
    target_y: float | None = None


def split_entry(text: str) -> tuple[str, str | None, bool]:
    """Give the title, the printed page (None when there is none) and whether a leader stands between them."""
    entry = text.strip()
    match = _ENDING.search(entry, len(entry[:-_LONGEST_PAGE].rstrip(_BETWEEN))) if may_end_in_page(entry) else None
    title = entry[: match.start()] if match is not None else ""
    if match is None or not title.strip(_LEADER_CHARS):
        return _COLUMN_HEAD.sub("", _LEADER_ONLY.sub(" ", text).strip(_LEADER_CHARS)), None, False
    leader = bool(_LEADER_ONLY.search(match["leader"])) or bool(_LEADER_ONLY.search(title[-4:]))
    page = match["page"]
    if not page[0].isdigit() and "-" not in page and "–" not in page and roman_number(page) is None:
        return entry, None, False
    return _LEADER_ONLY.sub(" ", title).strip(_LEADER_CHARS), page, leader


def may_end_in_page(text: str) -> bool:
    """The cheap test that most rows fail: could a page number stand at the end?"""
    end = text.rstrip()[-_LONGEST_PAGE - 1 :]
    last = end[-1:]
    return (last.isdigit() or last in "ivxlc") and _PAGE_AT_END.search(end) is not None


def is_contents_headline(key: str) -> bool:
    """Whether a folded line is the headline of a table of contents."""
    return key in CONTENTS


def without_leading_pages(layout: Layout, entries: Sequence[Entry]) -> list[Entry]:
    """Take page numbers off titles where contents print them in front: "8 Welcome"."""
    shifts: Counter[int] = Counter()
    numbers = [parse_number(entry.title) for entry in entries]
    for entry, number in zip(entries, numbers, strict=True):
        if entry.printed_page is not None or entry.target_index is None:
            continue
        if number is not None and number.kind == "decimal" and number.depth == 1:
            shifts[entry.target_index - number.value[0]] += 1
    shift, count = shifts.most_common(1)[0] if shifts else (0, 0)
    if count < max(MIN_LEADING, 0.7 * sum(shifts.values())):
        return list(entries)
    return [
        replace(entry, title=number.title, printed_page=number.label, row=entry.row._replace(x0=0.0))
        if number is not None
        and number.title
        and number.kind == "decimal"
        and entry.printed_page is None
        and entry.target_index is not None
        and entry.target_index - number.value[0] == shift
        else entry
        for entry, number in zip(entries, numbers, strict=True)
    ]


def entry_titles(entries: Sequence[Entry], index: int) -> Iterator[tuple[str, int]]:
    """The ways to read an entry: alone, or as the end of one or two wrapped rows above it, longest last.

    Gives each title with the number of earlier entries that it swallows. One that begins with "Item 5" goes on with
    nothing, be it below "PART II".
    """
    title = entries[index].title
    yield title, 0
    for back in (1, 2):
        earlier = index - back
        if earlier < 0 or _opens_with_name(entries[earlier + 1].title):
            return
        if entries[earlier].printed_page is not None or entries[earlier].target_index is not None:
            return
        title = f"{entries[earlier].title} {title}"
        yield title, back


def _opens_with_name(title: str) -> bool:
    """Whether a row begins with a number that has a word of its own, and so with a title."""
    number = parse_number(title)
    return number is not None and number.kind in WORDED_KINDS
