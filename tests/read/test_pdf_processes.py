"""Pages spread over processes give what one process gives."""

from __future__ import annotations

import sys

import pytest

from pageindex_core.errors import OptionError
from pageindex_core.options import ReadOptions
from pageindex_core.read import open_source, read_pages
from pageindex_core.read.pdf.processes import SPREAD_FROM_PAGES, process_count
from pdf_builder import Link, Picture, Run, build_pdf

PAGES = 120
LONG = build_pdf(
    [
        [Picture(60, 60, 200, 200)]
        if number == 100
        else [
            Run(f"Chapter {number}", y=80, size=18, tag="H1"),
            Run("Each pump moves water.", y=110, tag="P"),
            Run("never seen", y=140, render_mode=3, tag="P"),
        ]
        for number in range(1, PAGES + 1)
    ],
    bookmarks=[(1, f"Chapter {number}", number, 70) for number in (1, 60, 119)],
    labels={1: "i", 11: "1"},
    links=[
        Link(page=2, box=(72, 60, 200, 90), to_page=115, to_y=200),
        Link(page=118, box=(72, 60, 200, 90), to_page=3),
    ],
    rotate={115: 90},
)


def test_two_processes_read_what_one_reads() -> None:
    """Lines, labels, links over the border, tags, bookmarks and notes are the same."""
    source = open_source(LONG)
    alone = read_pages(source, ReadOptions(processes=1))

    assert read_pages(source, ReadOptions(processes=2)) == alone
    assert len(alone.pages) == PAGES
    assert {note.code for note in alone.notes} == {"hidden_text", "pages_without_text"}


def test_pages_of_a_process_that_cannot_start_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no interpreter can be started, or it breaks, nothing is lost and nothing fails."""
    source = open_source(LONG)
    alone = read_pages(source, ReadOptions(processes=1))
    for broken in ("/no/such/python", "", "/bin/true"):
        monkeypatch.setattr(sys, "executable", broken)

        assert read_pages(source, ReadOptions(processes=2)) == alone


@pytest.mark.parametrize(
    ("asked", "page_count", "least", "most"),
    [
        (None, SPREAD_FROM_PAGES - 1, 1, 1),
        (None, SPREAD_FROM_PAGES, 1, 4),
        (8, 99, 1, 1),
        (8, 200, 4, 4),
        (1, 9_999, 1, 1),
    ],
)
def test_processes_are_started_where_they_gain(asked: int | None, page_count: int, least: int, most: int) -> None:
    """Short documents are read in this process, unasked at most four are used, and each has fifty pages at least."""
    assert least <= process_count(asked, page_count) <= most


def test_a_number_of_processes_below_one_is_refused() -> None:
    """Zero processes read nothing."""
    with pytest.raises(OptionError, match="processes=0"):
        ReadOptions(processes=0)
