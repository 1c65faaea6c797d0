"""Places found in a document as a tool gives them: where each is, and the lines that match, however long lines are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pageindex_core.records import Hit
from pageindex_core.search.tools.document_entry import json_size

MOST_LINE_CHARACTERS = 500
"""Of a line that matches; of a longer one, what stands around the first word of the query."""

_BEFORE_CHARACTERS = 150
"""Of these, before that word."""

MOST_PATH_TITLE_CHARACTERS = 200
"""Of a title in a path, which the place's ``node_id`` stands beside."""


def found_places(hits: Sequence[Hit], query: str, most_characters: int) -> list[dict[str, Any]]:
    """Give as many of the hits as fit, best first; at least one.

    Args:
        hits: What a search of one document gave.
        query: What was looked for.
        most_characters: Most characters of the places as JSON.
    """
    places: list[dict[str, Any]] = []
    room = most_characters
    for hit in hits:
        place = {
            "node_id": hit.node_id,
            "section_path": [_start(title) for title in hit.section_path],
            "page_start": hit.page_start,
            "page_end": hit.page_end,
            "best_pages": list(hit.evidence_pages),
            "score": round(hit.score, 3),
            "lines": [_around(line, query) for line in hit.quotes],
        }
        room -= json_size(place) + len(", ")
        if places and room < 0:
            break
        places.append(place)
    return places


def _start(title: str) -> str:
    return title if len(title) <= MOST_PATH_TITLE_CHARACTERS else f"{title[:MOST_PATH_TITLE_CHARACTERS]}…"


def _around(line: str, query: str) -> str:
    """Give a line, or of a long one what stands around the phrase or its first word; … stands for the rest."""
    if len(line) <= MOST_LINE_CHARACTERS:
        return line
    folded = line.casefold()
    found = [at for part in (query.casefold(), *query.casefold().split()) if (at := folded.find(part)) >= 0]
    start = max(0, (found[0] if found else 0) - _BEFORE_CHARACTERS)
    end = start + MOST_LINE_CHARACTERS
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
