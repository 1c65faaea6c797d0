"""Documents for tests of search, written down as pages of lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from pageindex_core.records import Box, Heading, Line, Page, Pages

LINE_HEIGHT_PT = 14.0


def write_pages(
    name: str,
    page_texts: Sequence[str],
    *,
    labels: Sequence[str | None] = (),
    metadata: Mapping[str, Any] | None = None,
) -> Pages:
    """Give a document as read. A line that begins with #, ##, … is a heading of that level; blank lines stay lines."""
    pages: list[Page] = []
    headings: list[Heading] = []
    for number, text in enumerate(page_texts, start=1):
        lines: list[Line] = []
        for line in text.strip("\n").split("\n") if text else ():
            words = line.lstrip("#").strip() if line.startswith("#") else line
            y = 50.0 + LINE_HEIGHT_PT * len(lines)
            if line.startswith("#"):
                level = len(line) - len(line.lstrip("#"))
                headings.append(Heading(words, level, number, len(lines), y, "markup"))
            lines.append(
                Line(words, Box(50.0, y, 50.0 + 5.0 * len(words), y + 12.0), 12.0 if line.startswith("#") else 10.0)
            )
        label = labels[number - 1] if labels else None
        pages.append(Page(number, tuple(lines), label, 595.0, 842.0))
    fingerprint = hashlib.sha256(repr((name, list(page_texts))).encode()).hexdigest()
    return Pages(
        f"/data/{name}", name, "application/pdf", fingerprint, tuple(pages), metadata or {}, headings=tuple(headings)
    )
