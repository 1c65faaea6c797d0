"""Takes plain text, gives pages: at its form feeds where it has some, by size where it has none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.options import ReadOptions
from pageindex_core.read.breaking import break_lines
from pageindex_core.read.decode import clean_line, read_source_lines
from pageindex_core.read.paging import MOST_EMPTY_PAGES, Body, cut_pages, keep_first_pages
from pageindex_core.read.source import Source
from pageindex_core.records import Line, Page, Pages

_LONGEST_FED_PAGE = 4
"""A page that ends at a form feed is cut by size only when it is longer than this many pages. Form feeds mark printed
pages, whose numbers people cite; a dense one is longer than ``page_tokens``, none is four times as long."""

_PIECES = re.compile(r"(\f+)([^\f]+)")
"""Form feeds inside a line, and what stands behind them."""


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
    fed = _fed_pages(lines)
    longest = options.page_tokens * (_LONGEST_FED_PAGE if len(fed) > 1 else 1)
    pages: list[Page] = []
    number = 1  # of the line that comes next in the source
    for inside in fed:
        start = number - 1 if inside and inside[0].continues else number
        if inside:
            pages += cut_pages(inside, longest, first_page=len(pages) + 1, first_line_number=start)
        else:
            pages.append(Page(page_number=len(pages) + 1, lines=(), first_line_number=number))
        number += sum(not line.continues for line in inside)
    return keep_first_pages(Body(tuple(pages)), options.max_pages)


def _fed_pages(lines: Sequence[str]) -> list[list[Line]]:
    # The lines between form feeds, in order; two form feeds in a row make a page without lines. After the last text
    # they make none. Behind a form feed inside a line the rest of it is a piece of its own, on the page that opens.
    last = max((index for index, line in enumerate(lines) if line.strip()), default=0)
    pages: list[list[Line]] = [[]]
    for index, line in enumerate(lines):
        if "\f" not in line or index > last:
            pages[-1] += break_lines([clean_line(line)])
            continue
        words = line.strip()
        before, after = line.split(words, 1) if words else (line, "")
        pages += ([] for _ in range(before.count("\f")))
        pages[-1] += break_lines([clean_line(before + words.partition("\f")[0])])
        for feeds, piece in _PIECES.findall(words):
            pages[-1][-1] = pages[-1][-1]._replace(text=f"{pages[-1][-1].text}{' ' * len(feeds)}")
            pages += ([] for _ in feeds)
            pages[-1] += [rest._replace(continues=True) for rest in break_lines([clean_line(piece)])]
        pages += ([] for _ in range(after.count("\f") if index < last else 0))
    empty = sum(not page for page in pages)
    return [page for page in pages if page] if empty > MOST_EMPTY_PAGES else pages
