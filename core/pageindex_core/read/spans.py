"""Where in its source each loaded document went, so that what is found there can name the document it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pageindex_core.read.decode import split_lines
from pageindex_core.read.loaded import LoadedDocument
from pageindex_core.read.page_numbers import number_pages
from pageindex_core.records import Span


def spans_of_loaded(documents: Sequence[LoadedDocument]) -> list[Span]:
    """Give the pages or lines that each document of one source holds, as ``read_loaded`` puts them together."""
    numbering = number_pages([document.metadata for document in documents])
    if numbering is None:
        return list(_lines(document.text for document in documents))
    return [Span(number, number) for number in numbering.numbers]


def _lines(texts: Iterable[str]) -> Iterator[Span]:
    line = 1
    for text in texts:
        count = len(split_lines(f"{text}|"))
        yield Span(line, line + count - 1, by_line=True)
        line += count + 1  # documents are joined by a blank line
