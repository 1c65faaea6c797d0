"""Which level each entry of a table of contents stands on: by its number, its style and its indent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pageindex_core.outline.candidates import in_capitals
from pageindex_core.outline.entries import Entry
from pageindex_core.outline.numbering import WORDED_KINDS, Number, parse_number

_NUMBERED_SHARE = 0.4
"""Share of entries with numbers such as "1.2" from which numbers decide the levels of all."""

_INDENT_PT = 4.0
"""Left edges closer than this are one indent: numbers of one and of two digits are often set flush right."""

_MANY_BETWEEN = 1.5
"""Entries for each one with a number, between the first and the last of those, from which many have none."""

_NESTING = frozenset(("decimal", "chapter", "appendix", "part"))
"""Kinds of number whose depth is a level."""


def levels_of(entries: Sequence[Entry]) -> list[int]:
    """Give each entry's level, 1 for the outermost.

    Numbers decide where they nest ("1.2.3"). Elsewhere larger and bold entries stand above others, deeper indents
    below, and PART above Item where the layout sets both alike.
    """
    numbers = [parse_number(entry.title) for entry in entries]
    indents = _clusters([entry.row.x0 for entry in entries])
    depths = [number.depth for number in numbers if number is not None and number.kind == "decimal"]
    is_nested = len(depths) >= _NUMBERED_SHARE * len(entries) and max(depths, default=1) > 1
    if not any(entry.row.size for entry in entries):
        found = _by_words(numbers, is_nested=is_nested)
        if found is not None:
            return found
    if is_nested:
        found = _by_number(numbers, indents, [(entry.row.size, entry.row.bold) for entry in entries])
        return _parts_above(numbers, found)
    return _parts_above(numbers, _by_style(entries, indents))


def _by_words(numbers: Sequence[Number | None], *, is_nested: bool) -> list[int] | None:
    """The levels of entries without style and indent, of which a number tells all that can be told.

    Where many have none, they stand below the one before that has; where few have none, beside it. None where no number
    has a word of its own or a depth, or where what lacks a number stands only before and behind.
    """
    kinds = _NESTING if is_nested else WORDED_KINDS
    ranked = [number if number is not None and number.kind in kinds else None for number in numbers]
    places = [index for index, number in enumerate(ranked) if number is not None]
    many = bool(places) and places[-1] - places[0] + 1 >= _MANY_BETWEEN * len(places)
    if not places or not (many or is_nested):
        return None
    ranks = sorted({number.rank for number in ranked if number is not None})
    levels: list[int] = []
    above = 0
    for index, number in enumerate(ranked):
        if number is not None:
            above = number.depth if is_nested else ranks.index(number.rank) + 1
            levels.append(above)
        elif is_nested and index > places[-1]:
            levels.append(1)
        else:
            levels.append(above + many if above else 1)
    return levels


def _by_number(
    numbers: Sequence[Number | None], indents: Sequence[int], styles: Sequence[tuple[float, bool]]
) -> list[int]:
    """The depth of each number; an entry without one stands like the numbered ones set like it at its indent.

    Where none are, it stands like all of its indent, else below those further out. Where all depths are set flush left,
    indents say nothing, and what is set like chapters before and behind all numbers ("References") is one.
    """
    below_chapters = _count_within_chapters(numbers, indents)
    depths = [
        None if number is None or number.kind not in _NESTING
        else number.depth + (below_chapters and number.kind == "decimal")
        for number in numbers
    ]  # fmt: skip
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    set_alike: dict[tuple[int, tuple[float, bool]], Counter[int]] = defaultdict(Counter)
    for depth, indent, style in zip(depths, indents, styles, strict=True):
        if depth is not None:
            counts[indent][depth] += 1
            set_alike[indent, style][depth] += 1
    usual = {indent: count.most_common(1)[0][0] for indent, count in counts.items()}
    flush = any(count[1] > 1 and count[2] > 1 for count in counts.values())
    chapters = Counter(style for depth, style in zip(depths, styles, strict=True) if depth == 1).most_common(1)
    places = [at for at, depth in enumerate(depths) if depth is not None]
    levels = []
    for at, (depth, indent, style) in enumerate(zip(depths, indents, styles, strict=True)):
        if depth is None and flush and style == chapters[0][0] and not places[0] < at < places[-1]:
            depth = 1
        if depth is None and (indent, style) in set_alike:
            depth = set_alike[indent, style].most_common(1)[0][0]
        below = 1 + max((usual[outer] for outer in usual if outer < indent), default=0)
        levels.append(usual.get(indent, below) if depth is None else depth)
    return levels


def _count_within_chapters(numbers: Sequence[Number | None], indents: Sequence[int]) -> bool:
    """Whether sections count anew below "Chapter 2": "1", "1.1", further in than the chapters or more than once."""
    chapters = [
        indent
        for number, indent in zip(numbers, indents, strict=True)
        if number is not None and number.kind == "chapter"
    ]
    plain = [
        (number.value, indent)
        for number, indent in zip(numbers, indents, strict=True)
        if number is not None and number.kind == "decimal" and number.depth == 1
    ]
    if not chapters or not plain:
        return False
    return min(indent for _, indent in plain) > max(chapters) or sum(value == (1,) for value, _ in plain) > 1


def _by_style(entries: Sequence[Entry], indents: list[int]) -> list[int]:
    """Larger above smaller, bold above plain, then by indent; capitals decide where nothing else does."""
    if len(set(indents)) > max(5, len(entries) // 2):
        indents = [0] * len(entries)  # centred or ragged contents: nearly as many indents as entries
    styles = [(round(entry.row.size), entry.row.bold) for entry in entries]
    counts = Counter(styles)
    usual = counts.most_common(1)[0][0]
    styles = [style if counts[style] > 1 else usual for style in styles]  # one odd entry is no level
    keys = [(-size, not bold, indent) for (size, bold), indent in zip(styles, indents, strict=True)]
    if len(set(keys)) == 1:
        keys = [(0, not in_capitals(entry.title), 0) for entry in entries]
    order = {key: rank for rank, key in enumerate(sorted(set(keys)), start=1)}
    return [order[key] for key in keys]


def _parts_above(numbers: Sequence[Number | None], levels: list[int]) -> list[int]:
    """Put parts above what follows them where the layout sets both alike."""
    kinds = [number.kind if number is not None and not number.is_supplement else None for number in numbers]
    parts = [level for level, kind in zip(levels, kinds, strict=True) if kind == "part"]
    others = [level for level, kind in zip(levels, kinds, strict=True) if kind not in ("part", None)]
    if not parts or not others or max(parts) < min(others):
        return levels
    return [1 if kind == "part" else level + 1 for level, kind in zip(levels, kinds, strict=True)]


def _clusters(values: Sequence[float]) -> list[int]:
    """Number each value by its cluster, smallest first."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _INDENT_PT:
            edges.append(value)
    return [max(index for index, edge in enumerate(edges) if value >= edge - 0.01) for value in values]
