"""Headings that the tags of a PDF mark."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Page
from pdf_builder import Run, build_pdf, lines


def read(pdf: bytes) -> tuple[Page, ...]:
    return read_pages(open_source(pdf)).pages


def marked(page: Page) -> list[tuple[str, int]]:
    return [(page.lines[line_index].text, level) for line_index, level in page.heading_tags]


def with_roles(pdf: bytes, **roles: str) -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        opened.Root.StructTreeRoot.RoleMap = Dictionary({f"/{own}": Name(f"/{known}") for own, known in roles.items()})
        opened.save(out, deterministic_id=True)
    return out.getvalue()


def test_tagged_headings_are_lines_with_levels_and_paragraphs_are_not() -> None:
    """H1 to H6 mark their lines; a bold sub-section that is tagged P is left to the other signals."""
    pages = read(
        build_pdf(
            [
                [
                    Run("Pumps", y=80, size=18, tag="H1"),
                    Run("Each pump moves water.", y=110, tag="P"),
                    Run("1.1 Seals", y=140, bold=True, tag="P"),
                    Run("Bearings", y=170, size=14, tag="H3"),
                ],
                [Run("More about bearings.", y=80, tag="P"), Run("Valves", y=120, size=18, tag="H1")],
            ]
        )
    )

    assert [marked(page) for page in pages] == [[("Pumps", 1), ("Bearings", 3)], [("Valves", 1)]]


def test_every_paragraph_tagged_as_heading_is_told_as_it_is() -> None:
    """Absurd tags are read as they stand; to distrust them is for the next stage."""
    pages = read(build_pdf([[Run(f"Sentence number {row}.", y=80 + 15 * row, tag="H1") for row in range(20)]]))

    assert pages[0].heading_tags == tuple((row, 1) for row in range(20))


@pytest.mark.parametrize(("tag", "level"), [("H", 1), ("Chapter", 2)])
def test_plain_and_role_mapped_headings_have_a_level(tag: str, level: int) -> None:
    """H alone is as deep as it is nested, and a name of the file's own is what its role map says."""
    pdf = with_roles(build_pdf([[Run("Pumps", y=80, tag=tag), Run("Text.", y=110, tag="P")]]), Chapter="H2")

    assert marked(read(pdf)[0]) == [("Pumps", level)]


def test_tags_are_read_on_all_pages_when_one_of_the_first_looked_at_has_a_heading() -> None:
    """A heading on the first page alone of thirty opens the tags of all; without any, none are read."""
    rest = [[Run(f"Text {number}.", y=80, tag="P"), Run(f"Part {number}", y=120, tag="H2")] for number in range(29)]
    few = read(build_pdf([[Run("Pumps", y=80, tag="H1")], *rest]))

    assert [marked(page) for page in few] == [[("Pumps", 1)], *[[(f"Part {number}", 2)] for number in range(29)]]


def test_a_file_without_tags_has_no_tagged_headings() -> None:
    """Nothing is made up where a file marks nothing."""
    assert read(build_pdf([lines("Pumps", "Valves")]))[0].heading_tags == ()


def test_tags_keep_their_line_when_a_split_word_takes_the_line_before_away() -> None:
    """A line that held only the rest of a split word goes, and the marks of those below move up."""
    page = read(build_pdf([[*lines("A hydraulic main-", "tenance", y=80), Run("Valves", y=140, size=18, tag="H1")]]))[0]

    assert [line.text for line in page.lines] == ["A hydraulic maintenance", "Valves"]
    assert marked(page) == [("Valves", 1)]


def test_a_heading_on_none_of_the_pages_looked_at_first_leaves_the_tags_unread() -> None:
    """Of thirty pages eight are looked at; where none has a tagged heading the cost of the others is saved."""
    pages = [[Run(f"Page {number}", y=80, tag="H1" if number == 3 else "P")] for number in range(1, 31)]

    assert [page.heading_tags for page in read(build_pdf(pages))] == [()] * 30
