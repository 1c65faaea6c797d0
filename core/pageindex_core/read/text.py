"""Takes plain text, gives pages: at its form feeds where it has some, by size where it has none."""

from __future__ import annotations

from collections.abc import Sequence

from pageindex_core.options import ReadOptions
from pageindex_core.read.decode import clean_line, read_source_lines
from pageindex_core.read.paging import MOST_EMPTY_PAGES, Body, cut_pages, keep_first_pages
from pageindex_core.read.source import Source
from pageindex_core.records import Page, Pages

_LONGEST_FED_PAGE = 4
"""A page that ends at a form feed is cut by size only when it is longer than this many pages. Form feeds mark printed
pages, whose numbers people cite; a dense one is longer than ``page_tokens``, none is four times as long."""


def read_text(source: Source, options: ReadOptions) -> Pages:
    """Read plain text. Its headings, if any, have to be found, so ``headings`` is None.

    Raises:
        EmptySourceError: no visible character in it.
    """
    lines, notes = read_source_lines(source)
    body = text_body(lines, options)
    return Pages(
        source_id=source.source_id,
        name=source.name,
        media_type="text/plain",
        fingerprint=source.fingerprint,
        pages=body.pages,
        metadata=source.metadata,
        notes=(*notes, *body.notes),
    )


def text_body(lines: Sequence[str], options: ReadOptions) -> Body:
    """Give the pages of plain text, from its lines as they are in the source."""
    starts = _page_starts(lines)
    longest = options.page_tokens * (_LONGEST_FED_PAGE if len(starts) > 1 else 1)
    clean = [clean_line(line) for line in lines]
    pages: list[Page] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if start == end:
            pages.append(Page(page_number=len(pages) + 1, lines=(), first_line_number=start + 1))
        else:
            pages += cut_pages(clean[start:end], longest, first_page=len(pages) + 1, offset=start)
    return keep_first_pages(Body(tuple(pages)), options.max_pages)


def _page_starts(lines: Sequence[str]) -> list[int]:
    # Indexes of the lines that start a page, in order. An index given twice is a page without lines: two form feeds
    # in a row. A form feed inside a line ends the page after that line, so that lines stay whole.
    last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
    starts = [0]
    for index, line in enumerate(lines[: last + 1]):
        if "\f" not in line:
            continue
        words = line.strip()
        before, after = line.split(words, 1) if words else (line, "")
        starts += [index] * before.count("\f")
        starts += [index + 1] * max(after.count("\f"), "\f" in words)
    starts = [start for start in starts if start <= last]
    if len(starts) - len(set(starts)) > MOST_EMPTY_PAGES:
        return sorted(set(starts))
    return starts
