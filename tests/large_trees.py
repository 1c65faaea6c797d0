"""Large documents, written by rule: chapters of parts of sections, whose titles share no word with the answer."""

from __future__ import annotations

import hashlib

from pageindex_core.records import Box, Heading, Line, Page, Pages

_NAMES = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jetty")
"""Words for numbers, so that titles differ and hold nothing that is asked for."""


def large_document(branches: tuple[int, ...], sections_a_page: int, answers: dict[int, str]) -> Pages:
    """Give a document whose sections branch so, level by level, with some lines put on some pages.

    Args:
        branches: Sections below each section, from the outermost level on.
        sections_a_page: Headings that stand on one page, each with a line of text.
        answers: A line for each of these page numbers.
    """
    titles: list[tuple[int, str]] = []

    def write(level: int, path: tuple[int, ...]) -> None:
        if level > len(branches):
            return
        for number in range(branches[level - 1]):
            here = (*path, number)
            titles.append((level, " ".join(_spelled(part) for part in here)))
            write(level + 1, here)

    write(1, ())
    pages: list[Page] = []
    headings: list[Heading] = []
    for start in range(0, len(titles), sections_a_page):
        lines: list[Line] = []
        page_number = len(pages) + 1
        for level, title in titles[start : start + sections_a_page]:
            headings.append(Heading(title, level, page_number, len(lines), 20.0 * len(lines), "markup"))
            lines += [_line(title, len(lines)), _line("Nothing is said of it.", len(lines) + 1)]
        if page_number in answers:
            lines.append(_line(answers[page_number], len(lines)))
        pages.append(Page(page_number, tuple(lines), None, 595.0, 842.0))
    fingerprint = hashlib.sha256(repr((branches, sections_a_page, answers)).encode()).hexdigest()
    return Pages("/data/large.pdf", "large.pdf", "application/pdf", fingerprint, tuple(pages), headings=tuple(headings))


def _spelled(number: int) -> str:
    return "".join(_NAMES[int(digit)] for digit in str(number))


def _line(text: str, at: int) -> Line:
    return Line(text, Box(50.0, 20.0 * at, 50.0 + 5 * len(text), 20.0 * at + 12), 10.0)
