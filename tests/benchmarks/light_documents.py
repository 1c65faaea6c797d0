"""Documents of four kinds and questions on them, for floors that need no evaluation data.

They are written in ``light_documents.txt`` as their sections are: level, title, and what the section says. Made-up
words fill the pages, so that a question has to be found among text, and no two pages are alike. Where each heading
ends up is known exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from generated import Writer

from pdf_builder import build_pdf, contents_entry, page
from pdf_builder.items import Item

SECTIONS = Path(__file__).with_name("light_documents.txt")

FILLER_LINES = 14
"""Lines of made-up words under each section: about a third of a page."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One document, with what is true of it."""

    name: str
    pdf: bytes
    headings: tuple[tuple[str, int, str | None], ...]
    """Title, page number and title of the parent."""
    questions: tuple[tuple[str, int], ...]
    """A question, and the page that answers it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section as written: a telling sentence, and the question that it answers."""

    level: int
    title: str
    tells: str
    asked: str
    starts_page: bool


def samples() -> list[Sample]:
    """Give all documents of the text file, set as PDFs."""
    writer = Writer(seed=7)
    found = []
    _, *documents = re.split(r"^== ", SECTIONS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for document in documents:
        opening, _, rest = document.partition("\n")
        name, *options = opening.split(" | ")
        given = dict(option.split(": ", 1) for option in options)
        parts = [_part(block.splitlines()) for block in rest.strip().split("\n\n")]
        found.append(_laid_out(name, parts, writer, given.get("contents", ""), given.get("running head", "")))
    return found


def _part(rows: Sequence[str]) -> Part:
    """Give a section as written; a malformed one fails here, with its lines."""
    if len(rows) != 3 or not rows[0].startswith("#") or not rows[2].startswith("? "):
        raise ValueError(f"a section is a heading, a sentence and a question, not {rows!r}")
    marks, _, title = rows[0].partition(" ")
    return Part(marks.count("#"), title, rows[1], rows[2].removeprefix("? "), marks.endswith("/"))


def _laid_out(name: str, parts: Sequence[Part], writer: Writer, contents: str, running_head: str) -> Sample:
    """Set three sections a page, after a page of contents where one is asked for."""
    pages: list[list[Part]] = []
    for part in parts:
        if not pages or part.starts_page or len(pages[-1]) == 3:
            pages.append([])
        pages[-1].append(part)
    first = 2 if contents else 1
    page_of = {part.title: number for number, own in enumerate(pages, start=first) for part in own}
    set_pages = [
        page(*_blocks(own, writer), running_head=running_head, footer=str(number))
        for number, own in enumerate(pages, start=first)
    ]
    if contents:
        set_pages.insert(0, _contents_page(contents, parts, page_of))
    open_at: list[str] = []
    headings = []
    for part in parts:
        del open_at[part.level - 1 :]
        headings.append((part.title, page_of[part.title], open_at[-1] if open_at else None))
        open_at.append(part.title)
    questions = tuple((part.asked, page_of[part.title]) for part in parts)
    return Sample(name, build_pdf(set_pages), tuple(headings), questions)


def _blocks(parts: Sequence[Part], writer: Writer) -> list[str]:
    blocks = []
    for part in parts:
        blocks += [f"{'#' * part.level} {part.title}", part.tells, writer.text(FILLER_LINES)]
    return blocks


def _contents_page(headline: str, parts: Sequence[Part], page_of: dict[str, int]) -> list[Item]:
    items = page(f"# {headline}")
    for row, part in enumerate(parts):
        items += contents_entry(part.title, str(page_of[part.title]), 110 + 18 * row, indent=14 * (part.level - 1))
    return items
