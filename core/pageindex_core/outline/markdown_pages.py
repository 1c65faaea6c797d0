"""Printed pages that came as Markdown are told as print: words alone, headings as tags, and bold lines as bold.

Loaders that read a PDF with a model or by rules of their own (LlamaParse, PyMuPDF4LLM, OCR services) give a page of
Markdown for each page. What they mark is one signal among others: some mark bold lines, some every heading alike, some
only those of the cover. Source: CommonMark 0.31, "ATX headings", "Setext headings" and "Fenced code blocks".
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from pageindex_core.outline.marked.rows import underlined
from pageindex_core.outline.marked.title import is_apart
from pageindex_core.records import Line, Page

_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_BOLD = re.compile(r"\s*_?(?:\*\*[^*]+\*\*[_\s]*)+")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_UNDERLINED: Mapping[Hashable, int] = {("=", False): 1, ("-", False): 2}
"""Levels of titles over a row, which some converters write for the two outermost levels beside hashes."""

_BLOCK = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s|\||!\[|>\s")
"""A list, table, image or quotation: no blank line has to stand between a title and these."""

_MARKUP = re.compile(r"[*_`\[<\\~]")

_LEAST_MARKED = 2
"""Marked lines from which pages count as Markdown."""

_LEAST_APART = 0.8
"""Share of the lines behind hashes that have nothing above and below them, and open like a title. Comments of programs
stand on their statements."""

_LONGEST_PARSED_CHARS = 300
"""Longer lines are text, whatever is marked in them, and the parser takes its time."""

_SPACED_SHARE = 0.9
_UNWRAPPED_CHARS = 160
"""Where a loader puts a blank line after this share of all lines, blank lines say nothing; lines as long as this then
tell paragraphs of Markdown from lines of print."""


def as_print(pages: Sequence[Page]) -> Sequence[Page]:
    """Give the pages with the same lines, told as print; the pages themselves where they are no Markdown."""
    if any(page.first_line_number is not None or page.width_pt is not None for page in pages):
        return pages  # text, which declares its headings where it is Markdown, and pages with a layout
    marked = [list(_marked(page.lines)) for page in pages]
    hashed = [(page, index) for page, found in zip(pages, marked, strict=True) for index, level, _ in found if level]
    bold = sum(not level for found in marked for _, level, _ in found)
    apart = sum(_stands_apart(page.lines, index) for page, index in hashed)
    if apart < _LEAST_APART * len(hashed) or (hashed and _is_spaced(pages)):
        return pages
    if len(hashed) + bold < _LEAST_MARKED:
        return pages
    if hashed:
        marked = [[*found, *_ruled(page.lines)] for page, found in zip(pages, marked, strict=True)]
    return [_as_print(page, found) for page, found in zip(pages, marked, strict=True)]


def _marked(lines: Sequence[Line]) -> Iterator[tuple[int, int, str]]:
    """Index, level and content of the lines behind hashes, and of those that are bold as a whole, on level 0."""
    for index, text in _outside_fences(lines):
        if text.lstrip(" ")[:1] == "#" and (hashes := _HASHES.fullmatch(text)):
            yield index, len(hashes[1]), hashes[2]
        elif "**" in text and _BOLD.fullmatch(text):
            yield index, 0, text


def _ruled(lines: Sequence[Line]) -> Iterator[tuple[int, int, str]]:
    """Index, level and content of the lines over a row."""
    titles = [title for title in underlined(0, lines) if title.kind in _UNDERLINED]
    outside = dict(_outside_fences(lines)) if titles else {}
    for title in titles:
        index = title.place.line_index
        if outside.get(index, "#").lstrip(" ")[:1] != "#":
            yield index, _UNDERLINED[title.kind], outside[index]


def _outside_fences(lines: Sequence[Line]) -> Iterator[tuple[int, str]]:
    """Index and text of the lines that are no code."""
    fence = ""
    for index, line in enumerate(lines):
        text = line.text
        mark = _FENCE.match(text) if "```" in text or "~~~" in text else None
        if mark is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            yield index, text


def _stands_apart(lines: Sequence[Line], index: int) -> bool:
    """Whether nothing stands right above and below a line but more of its kind, and it does not open like a remark."""
    below = lines[index + 1].text.strip() if index + 1 < len(lines) else ""
    text = lines[index].text.lstrip()
    ends = not below or below[0] == "#" or (text.startswith("##") and _BLOCK.match(below) is not None)
    return is_apart(lines, index) and ends and not text.lstrip(" #*_")[:1].islower()


def _is_spaced(pages: Sequence[Page]) -> bool:
    """Whether blank lines stand between all lines of print."""
    texts = [line.text.strip() for page in pages for line in page.lines]
    said = sum(map(bool, texts))
    return len(texts) - said >= _SPACED_SHARE * said and max(map(len, texts)) < _UNWRAPPED_CHARS


def _as_print(page: Page, marked: Sequence[tuple[int, int, str]]) -> Page:
    from pageindex_core.inline_markup import title_of  # the parser is loaded when Markdown is met

    marks = {index: (level, content) for index, level, content in marked}
    lines = []
    for index, line in enumerate(page.lines):
        if index in marks:
            level, content = marks[index]
            line = line._replace(text=title_of(content), bold=not level)
        elif _may_hide_a_title(line):
            line = line._replace(text=title_of(line.text))
        lines.append(line)
    tags = tuple((index, marks[index][0]) for index in sorted(marks) if marks[index][0] and lines[index].text)
    return replace(page, lines=tuple(lines), heading_tags=tags)


def _may_hide_a_title(line: Line) -> bool:
    """Whether a line is marked up, and short enough for a title or an entry of a list of contents."""
    return not line.continues and len(line.text) <= _LONGEST_PARSED_CHARS and _MARKUP.search(line.text) is not None
