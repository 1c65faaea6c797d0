"""Pages as a tool gives them: as many as fit, and of a page that alone is too long, a part that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pageindex_core.records import Page
from pageindex_core.search.tools.document_entry import fitting_text, json_size

PAGE_FRAME_CHARACTERS = 150
"""Room for a page's number, label and span beside its text, as JSON."""

NO_TEXT = "(no text on this page)"


@dataclass(frozen=True, slots=True)
class PagePortion:
    """Pages of one answer, and where the next one goes on."""

    pages: list[dict[str, Any]]
    """Number, label and text of each. One that is given in part has ``from_character``, ``to_character`` and
    ``characters``, which count the page's text from 0."""
    rest: list[int]
    """Pages asked for that are not given, or not to their end."""
    next_offset: int
    """Where in the first page of ``rest`` to go on."""


def page_portion(pages: Sequence[Page], offset: int, most_characters: int) -> PagePortion:
    """Give what fits of pages, at least a part of the first.

    Args:
        pages: Those asked for, in order.
        offset: Characters of the first page's text to skip.
        most_characters: Most characters of the pages as JSON.
    """
    given: list[dict[str, Any]] = []
    room = most_characters
    for place, page in enumerate(pages):
        start = 0 if given else offset
        text = page.text
        wanted = text[start:] or NO_TEXT
        room -= PAGE_FRAME_CHARACTERS
        shown = fitting_text(wanted, room) if not given or json_size(wanted) <= room else ""
        if not shown and given:
            return PagePortion(given, [later.page_number for later in pages[place:]], 0)
        room -= json_size(shown)
        one: dict[str, Any] = {"page": page.page_number, "page_label": page.page_label, "text": shown}
        end = start + len(shown)
        is_cut = len(shown) < len(wanted)
        if is_cut or start:
            one |= {"from_character": start, "to_character": end, "characters": len(text)}
        given.append(one)
        if is_cut:
            return PagePortion(given, [later.page_number for later in pages[place:]], end)
    return PagePortion(given, [], 0)
