"""Lines that would make one heading: titles over several lines joined, run-in titles cut off, cells left out."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from pageindex_core.outline.candidates import Style, in_capitals, style_of, style_size
from pageindex_core.outline.layout import FULL_WIDTH, Layout
from pageindex_core.outline.numbering import WORDED_KINDS, Number, parse_number
from pageindex_core.outline.refuse import MAX_HEADING_CHARS, is_bullet, is_table_row, may_be_title
from pageindex_core.outline.run_in import CLAUSE, clause_of, end_of_lead, lead_of
from pageindex_core.records import Line

LARGER = 1.12
"""A line counts as larger than the body from this ratio on: one point on a nine-point body."""

_MOST_LINES = 4
"""Longest heading, in lines."""

BODY = 0.93
"""Share of the text's size from which a line is set as large as the text."""

_SMALL = 0.75
"""Share of the text's size from which bold lines over text as small as they are may be headings."""

_SMALLER = 0.85
_OFF = 0.6
"""Share of the text's size from which other titles may be headings that stand off it, and how far, in their size."""

_SMALL_GAP = 0.35
_SAME_SIZE = 0.3
_PARAGRAPH_LINES = 2
_PARAGRAPH_CHARS = 25
_PARAGRAPH_WIDTH = 0.7
"""White space above such a heading, in its size; how far the sizes below it may differ, in points; of how many lines at
least, each of so many characters, the text below it is, and what share of a column the first of them fills. Labels of
figures and heads of tables have no such text."""

OVER_TITLES = WORDED_KINDS - {"item", "note"}
"""Kinds of number that stand on a line of their own over their title."""

_CENTRED_PT = 3.0
_INDENTED_PT = 20.0
_NEAR_TITLE = 0.6
"""How far the middles of a number and of the title below it may be apart, how far it starts from the edge of the text,
and the white space between them at most, in its size."""

_FLUSH_GAP, _FLUSH_WIDTH = 0.35, 0.6
"""White space up to which large lines at one edge are one title, in their size, and the width of those further apart,
in columns: where everything is set with double space, a heading and the one below it stand so close too."""

_NEAR_NUMBER = 4.0
"""Most white space between such a number and its title, in the title's size."""

JOINING_WORDS = "and|or|of|the|for|in|to|with|on|by|from|a|an|und|der|die|des|von|et|de"
"""Words that no title ends with, as a pattern."""

_JOINING_END = re.compile(rf"(?:\b(?:{JOINING_WORDS})|[-–—,&:/])$", re.I)
_JOINING_CHARS = 5
"""The longest of these words, and the character before it."""

_TYPEWRITER = re.compile(r"mono|courier|typewriter|consol|cmtt|menlo|inconsolata", re.IGNORECASE)
"""Fonts of commands and program text."""

_SIGNATURES = ("____", "/s/", "/S/")
_SIGNED_LINES = 3
_SIGNED_GAP = 1.0
"""Lines below a signature that may say who signed, and the most white space between them, in their own size."""

_TALL = 2.2
"""A line so many times as tall as its letters is set upwards, or has larger ones among them."""

_NUMBER_BEHIND = re.compile(r"(?P<title>[^\W\d].{2,}?)\s+(?P<number>\d{1,2}|[A-Z])")
"""A title and, at the outer edge of the page, the number of its chapter."""

AT_EDGE = "edge"
"""Form of such a number."""

RUN_IN = re.compile(r"(제\s*\d+조(?:의\s*\d+)?\s*\([^)]{1,80}\))|(第[〇零一二三四五六七八九十百\d]{1,6}[条條])")
"""Articles of statutes, whose text runs on in the same line."""

_LEAD_IN = re.compile(r"(?P<value>\d{1,2})\)\s+(?P<title>[A-Z][^:.]{2,70}):(?:\s|$)")
"""Headings of papers that the text runs on from, in the same line: "1) Query Expansion: …"."""


class Block(NamedTuple):
    """One or more lines that would make one heading."""

    page_index: int
    line_index: int
    line_count: int
    text: str
    style: Style
    number: Number | None
    gap_above: float
    gap_below: float
    is_clause: bool = False
    """Whether it is the title of a clause, with the text of which it shares its line."""


def blocks_of(layout: Layout, page_index: int, skip: Container[tuple[int, int]]) -> list[Block]:
    """Give what may be a heading on a page, in reading order; lines in ``skip`` and cells of tables are none."""
    page = layout.pages[page_index]
    crowded = layout.crowded[page_index]
    found: list[Block] = []
    index = 0
    while index < len(page.lines):
        if (
            index in crowded
            or not _may_open(layout, page.lines[index])
            or (spot := (page_index, index)) in layout.furniture
            or spot in skip
        ):
            index += 1
            continue
        count = 1
        while (
            count < _MOST_LINES
            and index + count < len(page.lines)
            and (page_index, index + count) not in layout.furniture
            and _wraps(layout, page.lines[index + count - 1], page.lines[index + count])
        ):
            count += 1
        block = _block(layout, page_index, index, count)
        if block is not None:
            block = _with_title_below(layout, block)
            count = max(count, block.line_count)
            found.append(block)
        index += count
    return _with_numbers_above(found)


def _with_title_below(layout: Layout, block: Block) -> Block:
    """Join a number on a line of its own, in the middle, with the title below it, which may be set as the text is."""
    number, after = block.number, block.line_index + block.line_count
    lines = layout.pages[block.page_index].lines
    if number is None or number.title or number.kind not in OVER_TITLES or after >= len(lines):
        return block
    above, line = lines[block.line_index].box, lines[after]
    if above is None or line.box is None or (block.page_index, after) in layout.furniture:
        return block
    centred = abs(above.x0 + above.x1 - line.box.x0 - line.box.x1) < 2 * _CENTRED_PT
    edge = max((edge for edge in layout.edges if edge <= line.box.x0 + _CENTRED_PT), default=0.0)
    is_short = line.box.x1 - line.box.x0 < FULL_WIDTH * layout.column_width
    indented = is_short and line.box.x0 - edge > _INDENTED_PT
    near = layout.gap_above(block.page_index, after) < _NEAR_TITLE <= layout.gap_below(block.page_index, after) + 0.3
    if not (centred and indented and near and may_be_title(line.text.strip("()"))) or parse_number(line.text):
        return block
    text = f"{block.text} {line.text}"
    return block._replace(
        line_count=block.line_count + 1,
        text=text,
        number=parse_number(text),
        gap_below=layout.gap_below(block.page_index, after),
    )


def _with_numbers_above(blocks: list[Block]) -> list[Block]:
    """Join "Chapter 3" with the title on the next line, which may be set in a style of its own."""
    joined: list[Block] = []
    for block in blocks:
        above = joined[-1] if joined else None
        if above is not None and _is_number_of(above, block):
            text = f"{above.text} {block.text}"
            joined[-1] = block._replace(
                line_index=above.line_index,
                line_count=above.line_count + block.line_count,
                text=text,
                number=parse_number(text),
                gap_above=above.gap_above,
            )
        else:
            joined.append(block)
    return joined


def _is_number_of(above: Block, block: Block) -> bool:
    number = above.number
    if number is None or number.title or number.kind not in OVER_TITLES or block.number is not None:
        return False
    follows = block.line_index == above.line_index + above.line_count
    return follows and block.gap_above < _NEAR_NUMBER and block.style.size >= 0.8 * above.style.size


def _may_open(layout: Layout, line: Line) -> bool:
    """The cheap test that most lines fail: could this line be a heading at all?"""
    text, box, size, bold, italic, font, *_ = line
    if len(text) > MAX_HEADING_CHARS or box is None:
        return False  # too long or nowhere
    if box[3] - box[1] > _TALL * size and _large_number(line) is None:
        return False  # set upwards
    body_size = layout.body_size
    if size >= body_size * LARGER:
        return True
    if size < body_size * BODY:
        set_apart = (bold and not layout.body_bold) or (italic and parse_number(text) is not None)
        return set_apart and size >= body_size * _SMALL
    if italic or (bold and not layout.body_bold) or (font != layout.body_font and len(text) < 90):
        return True
    if text.isupper() and len(text) > 3:
        return True
    return parse_number(text) is not None


def _large_number(line: Line) -> re.Match[str] | None:
    """A title with the number of its chapter behind it in letters far larger; None where the line is none."""
    box = line.box
    if box is None or box.y1 - box.y0 <= _TALL * line.font_size or box.x1 - box.x0 < 2 * (box.y1 - box.y0):
        return None
    return _NUMBER_BEHIND.fullmatch(line.text)


def _wraps(layout: Layout, line: Line, following: Line) -> bool:
    """Whether a line goes on in the next one: set alike, close, and full or visibly unfinished."""
    box, below, size = line.box, following.box, line.font_size
    if box is None or below is None:
        return False
    if line.bold != following.bold or not (
        abs(size - following.font_size) <= 0.6 or _in_small_capitals(line, following)
    ):
        return False
    gap = below.y0 - box.y1
    if not -0.6 * size < gap < layout.wrap_gap * size or below.y0 < box.y0 + 1:
        return False
    if is_bullet(following.text) or (following.lead and following.font == line.font != layout.body_font):
        return False
    if _JOINING_END.search(line.text[-_JOINING_CHARS:]) or following.text[:1].islower():
        return True
    if parse_number(following.text) is not None:
        return False
    if line.italic != following.italic or line.font != following.font:
        return False
    if size >= layout.body_size * LARGER and gap < (layout.wrap_gap - 0.2) * size:
        centred = abs((box.x0 + box.x1) / 2 - (below.x0 + below.x1) / 2) < 3
        flush = abs(box.x0 - below.x0) < 2
        if centred or (flush and (gap < _FLUSH_GAP * size or box.x1 - box.x0 > _FLUSH_WIDTH * layout.column_width)):
            return True
    return box.x1 - box.x0 > FULL_WIDTH * layout.column_width


def _in_small_capitals(line: Line, following: Line) -> bool:
    """Whether a hyphenated title in capitals goes on in small ones: sizes are those of the largest letters."""
    return (
        line.text.endswith("-")
        and line.text.isupper()
        and following.text.isupper()
        and following.font_size > 0.75 * line.font_size
    )


def _block(layout: Layout, page_index: int, line_index: int, line_count: int) -> Block | None:
    lines = layout.pages[page_index].lines[line_index : line_index + line_count]
    first = lines[0]
    led = _led_in(layout, page_index, line_index)
    if led is not None:
        return led
    clause = clause_of(layout, page_index, line_index)
    lead = None if clause is not None else lead_of(layout, page_index, line_index)
    if clause is not None or lead is not None:
        lines, line_count = lines[:1], 1
    text = clause or lead or _join(lines)
    if (
        clause is lead
        and text[-1:] not in ".:"
        and (end := end_of_lead(layout, page_index, line_index + line_count - 1))
    ):
        text = f"{text} {end}"
    behind = _large_number(first)
    if behind is not None:
        lines, line_count = lines[:1], 1
        text = f"{behind['number']} {behind['title']}"
    is_larger = style_size(first) >= layout.body_size * LARGER
    run_in = RUN_IN.match(text) if text[:1] in ("제", "第") else None
    if run_in is not None and not (first.bold or is_larger):
        text = run_in[0].strip()
    is_whole = clause is lead and behind is None
    if not may_be_title(text) or (is_whole and any(is_table_row(line) for line in lines)):
        return None
    number = parse_number(text)
    if behind is not None and number is not None:
        number = number._replace(form=AT_EDGE)
    if number is None and _is_signed(layout, page_index, line_index):
        return None
    if clause is not None and number is not None and number.kind == "decimal" and number.depth == 1:
        number = number._replace(form=CLAUSE)
    if number is None and _is_typewriter(first.font) and not _is_typewriter(layout.body_font):
        return None
    if style_size(first) < layout.body_size * BODY and not (
        _heads_small_print(layout, page_index, lines, line_index)
        or _stands_off(layout, page_index, lines, line_index, number)
    ):
        return None
    if not is_larger:
        if number is None and _opens_sentence(layout, page_index, line_index + line_count - 1):
            return None
        if (number is None or not number.is_supplement) and (
            not layout.stands_in_column(page_index, line_index) or layout.has_neighbour(page_index, line_index)
        ):
            return None
    style = style_of(layout, page_index, line_index)
    return Block(
        page_index,
        line_index,
        line_count,
        text,
        style if lead is None else style._replace(bold=True),
        number,
        layout.gap_above(page_index, line_index),
        layout.gap_below(page_index, line_index + line_count - 1),
        clause is not None,
    )


@lru_cache
def _is_typewriter(font: str) -> bool:
    return _TYPEWRITER.search(font) is not None


def _led_in(layout: Layout, page_index: int, line_index: int) -> Block | None:
    """The numbered title that opens a line of text in a font of its own; None where there is none."""
    line = layout.pages[page_index].lines[line_index]
    if line.font == layout.body_font or not layout.body_size * BODY <= line.font_size < layout.body_size * LARGER:
        return None
    match = _LEAD_IN.match(line.text)
    if match is None:
        return None
    title = match["title"]
    number = Number("paren", 1, (int(match["value"]),), title, match["value"], "run-in")
    style = Style(style_size(line), bold=False, italic=True, caps=False, font=line.font)
    gap = layout.gap_above(page_index, line_index)
    return Block(page_index, line_index, 1, f"{match['value']}) {title}", style, number, gap, 0.0)


def _heads_small_print(layout: Layout, page_index: int, title: tuple[Line, ...], line_index: int) -> bool:
    """Whether lines that are smaller than the text stand over a paragraph as small: rules, notices, annexes."""
    following = layout.pages[page_index].lines[line_index + len(title) :][:_PARAGRAPH_LINES]
    box = following[0].box if len(following) == _PARAGRAPH_LINES else None
    return (
        box is not None
        and box.x1 - box.x0 > _PARAGRAPH_WIDTH * layout.column_width
        and layout.gap_above(page_index, line_index) > _SMALL_GAP
        and all(not line.bold and abs(line.font_size - title[0].font_size) < _SAME_SIZE for line in following)
        and all(len(line.text) >= _PARAGRAPH_CHARS and not is_table_row(line) for line in following)
    )


def _stands_off(
    layout: Layout, page_index: int, title: tuple[Line, ...], line_index: int, number: Number | None
) -> bool:
    """Whether a title that is smaller than the text stands off it as headings of physics journals do.

    They are numbered, or in bold capitals, with white space on both sides, over text or over another one.
    """
    first = title[0]
    if style_size(first) < layout.body_size * _SMALLER:
        return False
    if number is None and not (first.bold and in_capitals(first.text)):
        return False
    after = line_index + len(title)
    lines = layout.pages[page_index].lines
    below = lines[after] if after < len(lines) else None
    if (
        below is None
        or layout.gap_above(page_index, line_index) < _OFF
        or layout.gap_below(page_index, after - 1) < _OFF
    ):
        return False
    is_text = style_size(below) >= layout.body_size * BODY and len(below.text) >= _PARAGRAPH_CHARS
    return (is_text and not is_table_row(below)) or parse_number(below.text) is not None


def _is_signed(layout: Layout, page_index: int, line_index: int) -> bool:
    """Whether a signature stands right above a line: it is the name of who signed, or an office."""
    above = layout.pages[page_index].lines[max(line_index - _SIGNED_LINES, 0) : line_index]
    for distance, line in enumerate(reversed(above)):
        if any(map(line.text.__contains__, _SIGNATURES)):
            return all(layout.gap_above(page_index, line_index - at) <= _SIGNED_GAP for at in range(distance + 1))
    return False


def _join(lines: tuple[Line, ...]) -> str:
    text = lines[0].text
    for line in lines[1:]:
        text = text + line.text if text.endswith(("-", "—")) and text[-2:-1].isalpha() else f"{text} {line.text}"
    return " ".join(text.split())


def _opens_sentence(layout: Layout, page_index: int, last_line: int) -> bool:
    """Whether the text goes on in small letters right below a line: the line is the set-off start of a sentence."""
    lines = layout.pages[page_index].lines
    if last_line + 1 >= len(lines):
        return False
    line, following = lines[last_line], lines[last_line + 1]
    if line.box is None or following.box is None or not following.text[:1].islower():
        return False
    return (
        -0.5 < (following.box.y0 - line.box.y1) / (line.font_size or 10.0) < 0.4
        and following.box.x0 < line.box.x1
        and following.box.x1 > line.box.x0
    )
