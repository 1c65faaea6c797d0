"""Headings by how they are set: size, weight, capitals, isolation and numbering, judged against the document.

Lines are proposed one by one (``blocks``), then accepted or refused as style classes, so that one style gets one
decision.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container
from itertools import islice, pairwise
from statistics import median

from pageindex_core.folding import width_of
from pageindex_core.outline.blocks import AT_EDGE, BODY, LARGER, Block, blocks_of
from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.levels import style_key
from pageindex_core.outline.numbering import runs_on
from pageindex_core.outline.refuse import is_table_row
from pageindex_core.outline.series import settle

MANY_REPEATS = 4
"""An unnumbered title that comes back so often labels parts of sections ("Exceptions", "Quarterly results")."""

_TABLE_LINES = 8
"""So many lines below a title tell whether it stands on a table: heads of columns may take half of them."""

_PARTED = 0.6
"""White space below a line, in its own size, beyond which it stands off the text: lines of text are closer."""

_LEAST_WORDS_CHARS = 8
"""Characters of lines in italics, in the middle of all, from which they are titles and no signs of formulas."""

_LEAST_SIGNS = 3
_SIGN_CHARS = 6
"""So many lines of a kind, mostly shorter than this, are syllables or signs of figures."""

_ISOLATED = 0.35
"""White space above a heading, in its own size, beyond which it stands alone."""

_RUN_IN = 0.65
_LEAST_RUN_IN = 3
"""How much titles that text runs on from behave like headings, where there are so many of one kind."""

_TOUCHING = 0.2
_APART = 1.5
_SAME_SIZE = 0.5
"""White space between lines of one paragraph, and between paragraphs or rows of a list, at most, in their size; and by
how many points the sizes of one kind of line may differ."""

_ROW_GAP = 0.9
"""White space above the label of a group of rows at most, in its size; what stands further off begins another table."""

_LEAST_SMALL = 3
"""Headings smaller than the text have to come so often; fewer are the heads of tables and notices."""

_ACRONYM = re.compile(r"[A-Z]{3,5}(?:-\d{1,3})?")
"""A title that is written in capitals whatever its style is."""

_CONTINUED = re.compile(r"\s*[(\[]?\s*(continued|cont[’']?d\.?|fortsetzung|续)\s*[)\]]?\s*$", re.IGNORECASE)
_TITLED = frozenset(("chapter", "part", "item", "article", "appendix", "note"))
"""Kinds of number that only headings open with, where they run on."""
_CAPTION_ABOVE = re.compile(r"[（(][^（()）]{1,40}[)）]")
"""Japanese laws print the subject of an article in brackets on the line above its number."""


def find_typographic(layout: Layout, skip: Container[tuple[int, int]]) -> list[Candidate]:
    """Give the headings that layout and numbering show, in reading order; lines in ``skip`` (of contents) are none."""
    blocks = [block for page in range(len(layout.pages)) for block in blocks_of(layout, page, skip)]
    blocks = _with_acronyms_as_words(blocks)
    numbers = settle([block.number for block in blocks])
    settled = [
        block if number is block.number else block._replace(number=number)
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


def _with_acronyms_as_words(blocks: list[Block]) -> list[Block]:
    """Take titles that are an acronym ("LIBOR") for words where those around them in their style have small letters."""
    mended = list(blocks)
    before: dict[Style, bool] = {}
    waiting: dict[Style, int] = {}
    for at, block in enumerate(blocks):
        caps = block.style.caps
        style = block.style._replace(caps=False)
        if style in waiting and not caps:
            mended[waiting[style]] = blocks[waiting[style]]._replace(style=style)
        waiting.pop(style, None)
        if caps and block.number is None and before.get(style) is False and _ACRONYM.fullmatch(block.text) is not None:
            waiting[style] = at
        before[style] = caps
    return mended


def _with_caption(layout: Layout, block: Block) -> Block:
    """An article with the white space above its caption, which belongs to it."""
    if block.number is None or block.number.kind != "article" or not block.line_index:
        return block
    if not _CAPTION_ABOVE.fullmatch(layout.pages[block.page_index].lines[block.line_index - 1].text):
        return block
    return block._replace(gap_above=layout.gap_above(block.page_index, block.line_index - 1))


def _class_of(block: Block) -> tuple[object, ...]:
    style = block.style
    kind = (block.number.kind, block.number.depth, block.number.form) if block.number else None
    font = style.font if kind is None else ""
    return style.size, style.bold, style.italic, style.caps, font, kind, block.is_clause


def _accept(layout: Layout, blocks: list[Block]) -> list[tuple[Block, float]]:
    blocks = [_with_caption(layout, block) for block in blocks]
    kinds = [_class_of(block) for block in blocks]
    keys = [fold(block.text) for block in blocks]
    classes: dict[tuple[object, ...], list[Block]] = defaultdict(list)
    for kind, block in zip(kinds, blocks, strict=True):
        classes[kind].append(block)
    total_lines = sum(len(page.lines) for page in layout.pages) or 1
    sizes = Counter((block.style.size, block.style.bold) for block in blocks)
    confident: dict[tuple[object, ...], float] = {
        kind: _class_confidence(layout, members, total_lines)
        for kind, members in classes.items()
        if members[0].style.size >= BODY * layout.body_size or sizes[members[0].style[:2]] >= _LEAST_SMALL
    }
    repeated = Counter((key, style_key(block.style)) for key, block in zip(keys, blocks, strict=True))
    accepted = []
    for kind, key, block in zip(kinds, keys, blocks, strict=True):
        confidence = confident.get(kind, 0.0)
        if (
            repeated[key, style_key(block.style)] >= MANY_REPEATS
            and block.number is None
            and block.style.size < 1.4 * layout.body_size
        ):
            continue  # a label that comes back in every part, not a heading
        if confidence < 0.5 or _is_in_paragraph(layout, block) or _is_in_table(layout, block):
            continue
        if block.gap_above < 0.1 and block.style.size < layout.body_size * LARGER:
            confidence -= 0.3
        if confidence >= 0.5 and _heads_a_table(layout, block):
            confidence -= 0.3
        if confidence >= 0.5:
            accepted.append((block, min(confidence, 0.9)))
    return accepted


def _is_in_paragraph(layout: Layout, block: Block) -> bool:
    """Whether lines that nothing but their size tells from text touch one of their kind, or stand beside two.

    Exhibits and lists set larger than the text are full of them; below a heading the text is set as all text is.
    """
    style = block.style
    if block.number is not None or style.bold or style.caps or style.size < layout.body_size * LARGER:
        return False
    if min(block.gap_above, block.gap_below) > _APART:
        return False
    lines = layout.pages[block.page_index].lines
    line = lines[block.line_index]
    first, after = block.line_index, block.line_index + block.line_count

    def is_alike(at: int) -> bool:
        return (
            0 <= at < len(lines)
            and lines[at].font == line.font
            and abs(lines[at].font_size - line.font_size) < _SAME_SIZE
        )

    above = block.gap_above <= _APART and is_alike(first - 1)
    below = block.gap_below <= _APART and is_alike(after)
    if (above and block.gap_above < _TOUCHING) or (below and block.gap_below < _TOUCHING):
        return True
    return above + below + (above and is_alike(first - 2)) + (below and is_alike(after + 1)) >= 2


def _is_in_table(layout: Layout, block: Block) -> bool:
    """Whether a line in body size stands between rows of a table, no further from them than they from each other."""
    if block.style.size >= layout.body_size * LARGER or block.number is not None or block.gap_above > _ROW_GAP:
        return False
    lines = layout.pages[block.page_index].lines
    first, after = block.line_index, block.line_index + block.line_count
    return first > 0 and is_table_row(lines[first - 1]) and any(map(is_table_row, lines[after : after + 2]))


def _stand_alone(members: list[Block]) -> bool:
    """Whether lines in italics are titles: words, with white space below them as above."""
    wordy = median(len(member.text) for member in members) >= _LEAST_WORDS_CHARS
    return wordy and median(member.gap_below for member in members) > _PARTED


def _count_up(members: list[Block]) -> bool:
    """Whether the numbers of lines rise one by one, as those of chapters do."""
    values = [member.number.value[-1] for member in members if member.number is not None]
    return len(values) > 1 and all(later - earlier == 1 for earlier, later in pairwise(values))


def _are_signs(members: list[Block]) -> bool:
    """Whether lines of a kind are too short for titles; one of two Chinese characters ("前言") is not."""
    if len(members) < _LEAST_SIGNS:
        return False
    texts = [member.text for member in members]
    return median(len(text) if width_of(text) == len(text) else _SIGN_CHARS for text in texts) < _SIGN_CHARS


def _heads_a_table(layout: Layout, block: Block) -> bool:
    """Whether a line in body size is the title of a table: what follows are rows of cells, not text."""
    if block.style.size >= layout.body_size * LARGER or block.number is not None:
        return False
    if all((block.page_index, index) in layout.furniture for index in range(block.line_index)):
        return False  # a statement that fills its page
    after = block.line_index + block.line_count
    lines = layout.pages[block.page_index].lines[after : after + _TABLE_LINES]
    crowded = layout.crowded[block.page_index]
    cells = (at in crowded or is_table_row(line) for at, line in enumerate(lines, start=after))
    nearest = sum(islice(cells, 3))
    if nearest >= 2:
        return True
    return all(line.font_size < 0.9 * layout.body_size for line in lines[:3]) and nearest + sum(cells) >= 2


def _class_confidence(layout: Layout, members: list[Block], total_lines: int) -> float:
    """How much a style class behaves like headings: set apart, above text, short, rare."""
    style = members[0].style
    count = len(members)
    apart = sum(member.gap_above > _ISOLATED for member in members) / count
    short = sum(len(member.text) < 90 for member in members) / count
    share = sum(member.line_count for member in members) / total_lines
    confidence = 0.1 + 0.3 * apart + 0.1 * short
    ratio = style.size / layout.body_size
    if ratio >= LARGER and (style.size, style.bold, style.font) in layout.texts:
        ratio = 1.0
    confidence += 0.4 if ratio >= 1.3 else 0.3 if ratio >= LARGER else 0.0
    confidence += 0.25 if style.bold and not layout.body_bold else 0.0
    confidence += 0.15 if style.caps else 0.0
    number = members[0].number
    slanted = style.italic and style.font != layout.body_font and _stand_alone(members)
    if number is None and not style.bold and _are_signs(members):
        confidence -= 0.4
    if number is not None:
        confidence += 0.3 if number.kind in _TITLED else 0.15
        plain = not style.bold and ratio < LARGER and not slanted
        if number.kind == "decimal" and number.depth == 1 and plain:
            confidence -= 0.3  # a numbered list or paragraph
        if number.form == AT_EDGE and not _count_up(members):
            confidence = 0.0
        if number.form == "run-in":
            confidence = _RUN_IN if count >= _LEAST_RUN_IN else 0.0
        elif members[0].is_clause and count >= _LEAST_RUN_IN:
            confidence, share = _RUN_IN, 0.0  # a contract of short clauses
        elif number.kind == "paren":
            confidence -= 0.1 if style.bold and not layout.body_bold else 0.35
        if not runs_on([member.number.value for member in members if member.number]):
            confidence -= 0.2
        elif number.kind in _TITLED:
            share = 0.0  # a statute of short articles
    elif ratio < LARGER and not style.bold and not style.caps:
        confidence += -0.3 if count < 3 else 0.05 if slanted else -0.1
    if share > 0.12 and ratio < 1.3:
        confidence -= 0.3
    return confidence
