"""Of pages too long for one answer of a tool, what the model was given: the rest counts as not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pageindex_core.records import Line, Page

Spans = tuple[tuple[int, int], ...]
"""First character and the one after the last, counted in the page's text from 0; ascending and apart."""

NO_PARTS: Mapping[int, tuple[int, int]] = MappingProxyType({})

UNSEEN = "\ufffd"
"""Stands for text that was not given, so that no quote reaches across it."""


def parts_given(pages: Iterable[Mapping[str, Any]]) -> dict[int, tuple[int, int]]:
    """Give the characters of each page that ``get_page_content`` gave in part, by page number."""
    return {page["page"]: (page["from_character"], page["to_character"]) for page in pages if "from_character" in page}


def joined(spans: Iterable[tuple[int, int]]) -> Spans:
    """Give spans in order, those that touch or overlap as one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return tuple(out)


def shown_page(page: Page, spans: Spans) -> Page:
    """Give a page that holds no more than spans of its text: as many lines, each with what was given of it."""
    lines: list[Line] = []
    at = 0
    for line in page.lines:
        at += 1 if lines and not line.continues else 0
        lines.append(line._replace(text=_seen(line.text, at, spans)))
        at += len(line.text)
    return replace(page, lines=tuple(lines))


def _seen(text: str, at: int, spans: Sequence[tuple[int, int]]) -> str:
    """Give what spans hold of a line that begins at a position; what they do not is one ``UNSEEN`` each time."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        first, last = max(start - at, done), min(end - at, len(text))
        if first < last:
            pieces += [UNSEEN] * (first > done) + [text[first:last]]
            done = last
    return "".join([*pieces, UNSEEN] if done < len(text) else pieces)
