"""Headings by how they are set: size, weight, capitals, isolation and numbering, judged against the document.

Lines are proposed one by one, then accepted or refused as style classes, so that one style gets one decision.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container
from dataclasses import dataclass, replace

from pageindex_core.outline.candidates import Candidate, Style, style_of
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import Number, parse_number, runs_on
from pageindex_core.outline.refuse import MAX_HEADING_CHARS, is_bullet, is_table_row, may_be_title
from pageindex_core.outline.series import settle
from pageindex_core.records import Line

LARGER = 1.12
"""A line counts as larger than the body from this ratio on: one point on a nine-point body."""

MANY_REPEATS = 4
"""An unnumbered title that comes back so often labels parts of sections ("Exceptions", "Quarterly results")."""

_WORDED = frozenset(("part", "chapter", "section", "article", "appendix"))
"""Kinds of number that stand on a line of their own over their title."""

_NEAR_NUMBER = 4.0
"""Most white space between such a number and its title, in the title's size."""

_TABLE_LINES = 8
"""So many lines below a title tell whether it stands on a table: heads of columns may take half of them."""

_ISOLATED = 0.35
"""White space above a heading, in its own size, beyond which it stands alone."""

_CONTINUED = re.compile(r"\s*[(\[]?\s*(continued|cont[’']?d\.?|fortsetzung|续)\s*[)\]]?\s*$", re.IGNORECASE)
_JOINING_END = re.compile(
    r"(?:\b(?:and|or|of|the|for|in|to|with|on|by|from|a|an|und|der|die|des|von|et|de)|[-–—,&:/])$", re.I
)
_TYPEWRITER = re.compile(r"mono|courier|typewriter|consol|cmtt|menlo|inconsolata", re.IGNORECASE)
"""Fonts of commands and program text."""
_RUN_IN = re.compile(r"(제\s*\d+조(?:의\s*\d+)?\s*\([^)]{1,80}\))|(第[〇零一二三四五六七八九十百\d]{1,6}[条條])")


_LEAD_IN = re.compile(r"(?P<value>\d{1,2})\)\s+(?P<title>[A-Z][^:.]{2,70}):(?:\s|$)")
"""Headings of papers that the text runs on from, in the same line: "1) Query Expansion: …"."""


@dataclass(frozen=True, slots=True)
class _Block:
    """One or more lines that would make one heading."""

    page_index: int
    line_index: int
    line_count: int
    text: str
    style: Style
    number: Number | None
    gap_above: float
    gap_below: float


def find_typographic(layout: Layout, skip: Container[tuple[int, int]]) -> list[Candidate]:
    """Give the headings that layout and numbering show, in reading order; lines in ``skip`` (of contents) are none."""
    blocks: list[_Block] = []
    for page_index in range(len(layout.pages)):
        blocks.extend(_with_numbers_above(_blocks(layout, page_index, skip)))
    numbers = settle([block.number for block in blocks])
    settled = [
        block if number is block.number else replace(block, number=number)
        for block, number in zip(blocks, numbers, strict=True)
    ]
    accepted = _accept(layout, settled)
    return [
        Candidate(
            title=_CONTINUED.sub("", block.text).strip() or block.text,
            page_index=block.page_index,
            line_index=block.line_index,
            line_count=block.line_count,
            evidence="detected",
            confidence=confidence,
            style=block.style,
            number=block.number,
            y=box.y0 if (box := layout.pages[block.page_index].lines[block.line_index].box) else None,
        )
        for block, confidence in accepted
    ]


def _blocks(layout: Layout, page_index: int, skip: Container[tuple[int, int]]) -> list[_Block]:
    page = layout.pages[page_index]
    crowded = _shared_baselines(page.lines)
    found: list[_Block] = []
    index = 0
    while index < len(page.lines):
        line = page.lines[index]
        spot = (page_index, index)
        if not _may_open(layout, line) or spot in layout.furniture or index in crowded or spot in skip:
            index += 1
            continue
        count = 1
        while (
            count < 4
            and index + count < len(page.lines)
            and (page_index, index + count) not in layout.furniture
            and _wraps(layout, page.lines[index + count - 1], page.lines[index + count])
        ):
            count += 1
        block = _block(layout, page_index, index, count)
        if block is not None:
            found.append(block)
        index += count
    return found


def _with_numbers_above(blocks: list[_Block]) -> list[_Block]:
    """Join "Chapter 3" with the title on the next line, which may be set in a style of its own."""
    joined: list[_Block] = []
    for block in blocks:
        above = joined[-1] if joined else None
        if above is not None and _is_number_of(above, block):
            text = f"{above.text} {block.text}"
            joined[-1] = replace(
                block,
                line_index=above.line_index,
                line_count=above.line_count + block.line_count,
                text=text,
                number=parse_number(text),
                gap_above=above.gap_above,
            )
        else:
            joined.append(block)
    return joined


def _is_number_of(above: _Block, block: _Block) -> bool:
    number = above.number
    if number is None or number.title or number.kind not in _WORDED or block.number is not None:
        return False
    follows = block.line_index == above.line_index + above.line_count
    return follows and block.gap_above < _NEAR_NUMBER and block.style.size >= 0.8 * above.style.size


def _may_open(layout: Layout, line: Line) -> bool:
    """The cheap test that most lines fail: could this line be a heading at all?"""
    text = line.text
    if len(text) > MAX_HEADING_CHARS or line.box is None or line.box.y1 - line.box.y0 > 2.2 * line.font_size:
        return False  # too long, nowhere, or set upwards
    if line.font_size >= layout.body_size * LARGER:
        return True
    if line.font_size < layout.body_size * 0.93:
        return False
    if line.bold and not layout.body_bold:
        return True
    if text.isupper() and len(text) > 3:
        return True
    if line.italic or (line.font != layout.body_font and len(text) < 90):
        return True
    return parse_number(text) is not None


def _wraps(layout: Layout, line: Line, following: Line) -> bool:
    """Whether a line goes on in the next one: set alike, close, and full or visibly unfinished."""
    if line.box is None or following.box is None:
        return False
    if line.bold != following.bold or not (
        abs(line.font_size - following.font_size) <= 0.6 or _in_small_capitals(line, following)
    ):
        return False
    gap = following.box.y0 - line.box.y1
    if not -0.6 * line.font_size < gap < 0.55 * line.font_size or following.box.y0 < line.box.y0 + 1:
        return False
    if is_bullet(following.text):
        return False
    if _JOINING_END.search(line.text) or following.text[:1].islower():
        return True
    if parse_number(following.text) is not None:
        return False
    if line.italic != following.italic or line.font != following.font:
        return False
    larger = line.font_size >= layout.body_size * LARGER
    centred = abs((line.box.x0 + line.box.x1) / 2 - (following.box.x0 + following.box.x1) / 2) < 3
    flush = abs(line.box.x0 - following.box.x0) < 2
    if larger and gap < 0.35 * line.font_size and (centred or flush):
        return True
    return line.box.x1 - line.box.x0 > 0.8 * layout.column_width


def _in_small_capitals(line: Line, following: Line) -> bool:
    """Whether a hyphenated title in capitals goes on in small ones: sizes are those of the largest letters."""
    return (
        line.text.endswith("-")
        and line.text.isupper()
        and following.text.isupper()
        and following.font_size > 0.75 * line.font_size
    )


def _shared_baselines(lines: tuple[Line, ...]) -> set[int]:
    """Lines that have a neighbour on the same baseline at some distance: table cells, forms, two-column headers.

    Cells set at different heights give lines that lie over one another.
    """
    crowded: set[int] = set()
    for index in range(1, len(lines)):
        here, before = lines[index].box, lines[index - 1].box
        if here is None or before is None:
            continue
        if here.x0 > before.x1 + 6 or before.x0 > here.x1 + 6:
            beside = abs(here.y1 - before.y1) < 2.0
        elif here.y0 >= before.y1 or before.y0 >= here.y1:
            continue
        else:
            down = min(here.y1, before.y1) - max(here.y0, before.y0)
            across = min(here.x1, before.x1) - max(here.x0, before.x0)
            beside = across > 6 and down > 0.5 * lines[index].font_size
        if beside:
            crowded.update((index, index - 1))
    return crowded


def _block(layout: Layout, page_index: int, line_index: int, line_count: int) -> _Block | None:
    lines = layout.pages[page_index].lines[line_index : line_index + line_count]
    text = _join(lines)
    style = style_of(layout, page_index, line_index)
    lead_in = _LEAD_IN.match(lines[0].text) if _is_set_off(layout, lines[0]) else None
    if lead_in is not None:
        number = Number("paren", 1, (int(lead_in["value"]),), lead_in["title"], lead_in["value"], "run-in")
        style = Style(round(lines[0].font_size * 2) / 2, False, True, False, lines[0].font)
        gap = layout.gap_above(page_index, line_index)
        title = f"{lead_in['value']}) {lead_in['title']}"
        return _Block(page_index, line_index, 1, title, style, number, gap, 0.0)
    run_in = _RUN_IN.match(text)
    if run_in is not None and not (style.bold or style.size >= layout.body_size * LARGER):
        text = run_in[0].strip()
    if not may_be_title(text) or any(is_table_row(line) for line in lines):
        return None
    if _TYPEWRITER.search(style.font) and not _TYPEWRITER.search(layout.body_font) and parse_number(text) is None:
        return None
    if style.size < layout.body_size * LARGER and (
        not layout.stands_in_column(page_index, line_index) or layout.has_neighbour(page_index, line_index)
    ):
        return None
    number = parse_number(text)
    plain_size = style.size < layout.body_size * LARGER
    if plain_size and number is None and _opens_sentence(layout, page_index, line_index + line_count - 1):
        return None
    return _Block(
        page_index,
        line_index,
        line_count,
        text,
        style,
        number,
        layout.gap_above(page_index, line_index),
        layout.gap_below(page_index, line_index + line_count - 1),
    )


def _join(lines: tuple[Line, ...]) -> str:
    text = lines[0].text
    for line in lines[1:]:
        text = text + line.text if text.endswith(("-", "—")) and text[-2:-1].isalpha() else f"{text} {line.text}"
    return " ".join(text.split())


def _class_of(layout: Layout, block: _Block) -> tuple[object, ...]:
    style = block.style
    kind = (block.number.kind, block.number.depth, block.number.form) if block.number else None
    return style.size, style.bold, style.italic, style.caps, style.font if kind is None else "", kind


def _accept(layout: Layout, blocks: list[_Block]) -> list[tuple[_Block, float]]:
    classes: dict[tuple[object, ...], list[_Block]] = defaultdict(list)
    for block in blocks:
        classes[_class_of(layout, block)].append(block)
    total_lines = sum(len(page.lines) for page in layout.pages) or 1
    confident: dict[tuple[object, ...], float] = {
        key: _class_confidence(layout, members, total_lines) for key, members in classes.items()
    }
    repeated = Counter(fold(block.text) for block in blocks)
    accepted = []
    for block in blocks:
        confidence = confident[_class_of(layout, block)]
        if (
            repeated[fold(block.text)] >= MANY_REPEATS
            and block.number is None
            and block.style.size < 1.4 * layout.body_size
        ):
            continue  # a label that comes back in every part, not a heading
        if confidence < 0.5:
            continue
        if _heads_a_table(layout, block):
            confidence -= 0.3
        if block.gap_above < 0.1 and block.style.size < layout.body_size * LARGER:
            confidence -= 0.3
        if confidence >= 0.5:
            accepted.append((block, min(confidence, 0.9)))
    return accepted


def _is_set_off(layout: Layout, line: Line) -> bool:
    """Whether a line begins in another font than the text."""
    return line.font != layout.body_font and layout.body_size * 0.93 <= line.font_size < layout.body_size * LARGER


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


def _heads_a_table(layout: Layout, block: _Block) -> bool:
    """Whether a line in body size is the title of a table: what follows are rows of cells, not text."""
    if block.style.size >= layout.body_size * LARGER or block.number is not None:
        return False
    page = layout.pages[block.page_index].lines
    after = block.line_index + block.line_count
    lines = page[after : after + _TABLE_LINES]
    # One line more on either side, since cells are told by their neighbours.
    crowded = _shared_baselines(page[after - 1 : after + _TABLE_LINES + 1])
    cells = [at + 1 in crowded or is_table_row(line) for at, line in enumerate(lines)]
    if sum(cells[:3]) >= 2:
        return True
    return sum(cells) >= 2 and all(line.font_size < 0.9 * layout.body_size for line in lines[:3])


def _class_confidence(layout: Layout, members: list[_Block], total_lines: int) -> float:
    """How much a style class behaves like headings: set apart, above text, short, rare."""
    style = members[0].style
    count = len(members)
    apart = sum(member.gap_above > _ISOLATED for member in members) / count
    short = sum(len(member.text) < 90 for member in members) / count
    share = sum(member.line_count for member in members) / total_lines
    confidence = 0.1 + 0.3 * apart + 0.1 * short
    ratio = style.size / layout.body_size
    confidence += 0.4 if ratio >= 1.3 else 0.3 if ratio >= LARGER else 0.0
    confidence += 0.25 if style.bold and not layout.body_bold else 0.0
    confidence += 0.15 if style.caps else 0.0
    number = members[0].number
    if number is not None:
        confidence += 0.3 if number.kind in ("chapter", "part", "item", "article", "appendix", "note") else 0.15
        if number.kind in ("decimal",) and number.depth == 1 and not style.bold and ratio < LARGER:
            confidence -= 0.3  # a numbered list or paragraph
        if number.form == "run-in":
            confidence = 0.65 if count >= 3 else 0.0
        elif number.kind == "paren":
            confidence -= 0.1 if style.bold and not layout.body_bold else 0.35
        if not runs_on([member.number.value for member in members if member.number]):
            confidence -= 0.2
    elif ratio < LARGER and not style.bold and not style.caps:
        confidence -= 0.1 if count >= 3 else 0.3
    if share > 0.12 and ratio < 1.3:
        confidence -= 0.3
    return confidence
