"""Writes the sample document: the manual of an invented hydroelectric station, about 40 pages.

    python examples/sample/write_manual.py OUT.pdf [--no-bookmarks] [--no-links]

The same options give the same bytes on every run, so the committed ``manual.pdf`` can be checked against the script.
Needs reportlab (extra ``dev``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from xml.sax.saxutils import escape

import manual_layout as layout
from manual_layout import ContentsLine, ManualTemplate, Places, SectionDrawing, SetChapter, Target
from manual_markup import REFERENCE, Block, Figure, Heading, Listing, Paragraph, Table, labels_of, read_chapters
from reportlab import platypus
from reportlab.lib.colors import white
from reportlab.platypus import Flowable, KeepTogether, NextPageTemplate, PageBreak, Spacer, TableStyle

_NOTICE = (
    "This manual belongs to the station. It is issued to the duty operators, the maintenance technicians and the "
    "station engineer, and is returned when a holder leaves the service of the cooperative.",
    "It describes the plant as it stood on 1 March 2025, after the renewal of the voltage regulators and the "
    "conversion of both governors to biodegradable oil. Where a plate on the plant differs from the manual, the "
    "plate is right and the station engineer wishes to know.",
    "The station, the river and the people are invented. Nothing in this document may be used to operate real plant.",
)
_REVISIONS = (
    ("Issue", "Date", "Change"),
    ("1", "May 2016", "First issue, at the end of the acceptance tests"),
    ("2", "October 2018", "Manual start rewritten after the damage to Unit 2; overspeed check added"),
    ("3", "June 2021", "Flood levels revised after the flood of 2019; ester oil in the transformer"),
    ("4", "March 2025", "Regulators and governor oil changed; fish passage limits as amended in 2024"),
)


def write_manual(path: str | PathLike[str], *, bookmarks: bool = True, links: bool = True) -> None:
    """Write the manual as a PDF.

    Args:
        path: Where to.
        bookmarks: Whether to write an outline of three levels.
        links: Whether contents, list of tables and cross references are links; they are printed in any case.
    """
    blocks = read_chapters()
    places = Places()
    for _ in range(2):  # The second pass prints the page numbers that the first has found.
        doc = ManualTemplate(fspath(path), places, bookmarks=bookmarks, links=links)
        doc.build([*_front_matter(doc, blocks), *_body(doc, blocks)])


def _front_matter(doc: ManualTemplate, blocks: list[Block]) -> Iterator[Flowable]:
    yield NextPageTemplate("front")
    yield PageBreak()
    yield SetChapter("Notice")
    yield Target("Notice", layout.FRONT_TITLE, doc, "front-notice", "Notice")
    for text in _NOTICE:
        yield platypus.Paragraph(text, layout.BODY)
    yield platypus.Paragraph("Record of issues", layout.CAPTION)
    yield _grid(_REVISIONS, (12, 22, 66), {})
    yield PageBreak()
    yield SetChapter("Contents")
    yield Target("Contents", layout.FRONT_TITLE, doc, "front-contents", "Contents")
    for block in blocks:
        if isinstance(block, Heading):
            yield ContentsLine(doc, block.key, block.number, block.title, block.level)
    yield PageBreak()
    yield SetChapter("Tables")
    yield Target("Tables", layout.FRONT_TITLE, doc, "front-tables", "Tables")
    for block in blocks:
        if isinstance(block, Table):
            yield ContentsLine(doc, block.key, block.label, block.caption, 2)


def _body(doc: ManualTemplate, blocks: list[Block]) -> Iterator[Flowable]:
    references = _references(labels_of(blocks), links=doc.links)
    yield NextPageTemplate("body")
    for block in blocks:
        match block:
            case Heading(level=1):
                yield PageBreak()
                yield SetChapter(block.text)
                yield _heading(doc, block)
            case Heading():
                yield _heading(doc, block)
            case Paragraph(kind="text"):
                yield platypus.Paragraph(_rich(block.text, references), layout.BODY)
            case Paragraph():
                yield _box(block, references)
            case Listing():
                for count, item in enumerate(block.items, start=1):
                    bullet = f"{count}." if block.ordered else "\u2022"
                    yield platypus.Paragraph(_rich(item, references), layout.ITEM, bulletText=bullet)
                yield Spacer(1, 5)
            case Table():
                yield from _table(doc, block, references)
            case Figure():
                caption = Target(f"{block.label}  {block.caption}", layout.CAPTION, doc, block.key)
                yield KeepTogether([SectionDrawing(), caption, Spacer(1, 8)])


def _references(labels: Mapping[str, str], *, links: bool) -> Mapping[str, str]:
    """Give the markup that stands for each reference in running text."""
    if not links:
        return labels
    return {key: f'<a href="#{key}" color="#17365D">{label}</a>' for key, label in labels.items()}


def _rich(text: str, references: Mapping[str, str]) -> str:
    return REFERENCE.sub(lambda found: references[found[1]], escape(text))


def _heading(doc: ManualTemplate, block: Heading) -> Flowable:
    style = layout.HEADINGS[block.level]
    printed = f"{block.number}&nbsp;&nbsp;{escape(block.title)}"
    return Target(printed, style, doc, block.key, block.text, block.level - 1)


def _box(block: Paragraph, references: Mapping[str, str]) -> Flowable:
    color = layout.BOX_COLORS[block.kind]
    text = f'<font name="Helvetica-Bold" color="#{color.hexval()[2:]}">{block.kind.upper()}</font>  '
    table = platypus.Table(
        [[platypus.Paragraph(text + _rich(block.text, references), layout.BOX)]], [layout.TEXT_WIDTH_PT]
    )
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, -1), layout.TINT),
                ("LINEBEFORE", (0, 0), (0, -1), 4, color),
                ("LEFTPADDING", (0, 0), (-1, -1), 12),
                ("TOPPADDING", (0, 0), (-1, -1), 7),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
            ]
        )
    )
    return KeepTogether([Spacer(1, 3), table, Spacer(1, 11)])


def _table(doc: ManualTemplate, block: Table, references: Mapping[str, str]) -> Iterator[Flowable]:
    caption = Target(f"{block.label}  {escape(block.caption)}", layout.CAPTION, doc, block.key)
    yield KeepTogether([caption, _grid(block.rows, block.widths_percent, references), Spacer(1, 12)])


def _grid(
    rows: tuple[tuple[str, ...], ...], widths_percent: tuple[int, ...], references: Mapping[str, str]
) -> platypus.Table:
    cells = [
        [platypus.Paragraph(_rich(cell, references), layout.CELL if row else layout.HEAD_CELL) for cell in texts]
        for row, texts in enumerate(rows)
    ]
    widths = [layout.TEXT_WIDTH_PT * share / sum(widths_percent) for share in widths_percent]
    table = platypus.Table(cells, widths, repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                ("BACKGROUND", (0, 0), (-1, 0), layout.BLUE),
                ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, layout.TINT]),
                ("LINEBELOW", (0, 1), (-1, -1), 0.3, layout.GREY),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("TOPPADDING", (0, 0), (-1, -1), 3),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ]
        )
    )
    return table


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Write the sample manual as a PDF.")
    parser.add_argument("out", metavar="OUT.pdf")
    parser.add_argument("--no-bookmarks", action="store_true", help="leave out the PDF outline")
    parser.add_argument("--no-links", action="store_true", help="leave out all link annotations")
    options = parser.parse_args()
    write_manual(options.out, bookmarks=not options.no_bookmarks, links=not options.no_links)


if __name__ == "__main__":
    main()
