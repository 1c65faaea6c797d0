"""Titles that text runs on from in the same line: "4.6 Change in Control. If the Company is acquired, …".

A full stop ends them, and the capitals of their words tell them from sentences; or the style that they are set in does.
"""

from __future__ import annotations

from pageindex_core.outline.layout import FULL_WIDTH, Layout
from pageindex_core.outline.numbering import Number, parse_number

_CLAUSE_KINDS = ("decimal", "section", "article", "paren")
"""What the clauses of contracts, plans and by-laws are numbered with."""

_MOST_CHARS = 70
"""Longest title of a clause."""

_SMALL_WORDS = frozenset(
    ("a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "nor", "of", "off", "on", "or", "over",
     "per", "the", "through", "to", "under", "upon", "with")
)  # fmt: skip
"""Words that titles do not set in capitals."""

_BESIDE_WORDS = "\"'“‘(&§0123456789–—-"
"""What else words of titles begin with."""

CLAUSE = "clause"
"""Form of the number of a clause, where it is a series of its own: "2." below section 4 is no section 2."""

_LAST_LETTERS = 3
"""Letters of the last word at least: names in lists of references end in initials."""


def clause_title(text: str, number: Number | None) -> str | None:
    """The title of a clause, which a full stop ends and a sentence follows in its line; None where there is none.

    Every longer word of it has a capital, as sentences have not. Behind a number of one part ("4.", "(b)") nothing has
    to follow, since contracts break the line behind some titles. A number without a stop ("4") counts steps.
    """
    if number is None or number.kind not in _CLAUSE_KINDS or "." not in number.title:
        return None
    title, _, rest = number.title.partition(".")
    words = title.split()
    if not words or len(title) > _MOST_CHARS or (rest and not rest[0].isspace()):
        return None
    plain = number.kind == "decimal" and number.depth == 1
    if plain and text[len(number.label) : len(number.label) + 1] != ".":
        return None
    following = rest.split()
    if following:
        if following[0][0].islower() or following[0][0].isdigit() or not any(word[0].islower() for word in following):
            return None
    elif not plain and number.kind != "paren":
        return None
    if not words[0][0].isupper() or sum(map(str.isalpha, words[-1])) < _LAST_LETTERS:
        return None
    return (
        title if all(word in _SMALL_WORDS or word[0].isupper() or word[0] in _BESIDE_WORDS for word in words) else None
    )


def clause_of(layout: Layout, page_index: int, line_index: int) -> str | None:
    """The number and title of the clause that a line opens; None where it opens none."""
    line = layout.pages[page_index].lines[line_index]
    if line.bold or "." not in line.text:
        return None
    title = clause_title(line.text, parse_number(line.text))
    if title is None:
        return None
    return " ".join(line.text[: line.text.index(title) + len(title)].split())


def lead_of(layout: Layout, page_index: int, line_index: int) -> str | None:
    """The title with a number of several parts that opens a line in a style of its own; None where none does."""
    line = layout.pages[page_index].lines[line_index]
    text = line.text[: line.lead].rstrip(" .:")
    number = parse_number(text) if text else None
    return text if number is not None and number.title and number.kind == "decimal" and number.depth > 1 else None


def end_of_lead(layout: Layout, page_index: int, line_index: int) -> str:
    """The end of a title that fills its line, where text runs on from it in the next one; empty where none does."""
    lines = layout.pages[page_index].lines
    if line_index + 1 >= len(lines) or not lines[line_index + 1].lead:
        return ""
    line, following = lines[line_index], lines[line_index + 1]
    end = following.text[: following.lead].rstrip(" .:")
    if line.box is None or parse_number(line.text) is None or parse_number(end) is not None:
        return ""
    is_full = line.box.x1 - line.box.x0 > FULL_WIDTH * layout.column_width
    alike = (following.font, following.font_size) == (line.font, line.font_size)
    return end if is_full and alike and layout.gap_below(page_index, line_index) < layout.wrap_gap else ""
