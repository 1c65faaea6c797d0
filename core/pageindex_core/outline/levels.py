"""Which level a heading stands on: learned from a frame that states levels, or from styles and numbers alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.numbering import Number

_SIZE_STEP = 0.6
"""Sizes closer than this, in points, are one size: rounding and optical variants."""


def weight_of(style: Style) -> tuple[float, int, int, int]:
    """Sort key of a style: larger, then capitals in bold, bold, capitals, upright, italic."""
    return (-style.size, -(2 * style.bold + style.caps), style.italic, 0)


@dataclass(frozen=True, slots=True)
class StyleLevels:
    """What a frame teaches: the level of each style and of each kind of number."""

    by_style: dict[tuple[float, bool, bool, bool], int]
    by_number: dict[tuple[str, int], int]
    deepest: int

    @classmethod
    def learn(cls, layout: Layout, frame: list[Candidate]) -> StyleLevels:
        """Count on which level the printed entries of each style and number kind stand."""
        styles: dict[tuple[float, bool, bool, bool], Counter[int]] = defaultdict(Counter)
        numbers: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        for candidate in frame:
            level = candidate.level or 1
            if candidate.style is not None:
                styles[_key(candidate.style)][level] += 1
            if candidate.number is not None:
                numbers[(candidate.number.kind, candidate.number.depth)][level] += 1
        return cls(
            {key: _usual(levels) for key, levels in styles.items()},
            {key: _usual(levels) for key, levels in numbers.items()},
            max((candidate.level or 1 for candidate in frame), default=1),
        )

    def place(self, candidates: list[Candidate]) -> list[Candidate]:
        """Give every candidate a level: the frame's own stay, the others fit in by number, by style, or below."""
        placed: list[Candidate] = []
        below: list[tuple[Candidate, int]] = []
        open_level = 1
        for candidate in candidates:
            if candidate.level is not None:
                open_level = candidate.level
                below = []
                placed.append(candidate)
                continue
            level = self._known(candidate)
            if level is None:
                while below and not _under(candidate, below[-1][0]):
                    below.pop()
                level = (below[-1][1] if below else open_level) + 1
                below.append((candidate, level))
            else:
                below = []
                open_level = level
            placed.append(replace(candidate, level=level))
        return placed

    def _known(self, candidate: Candidate) -> int | None:
        if candidate.number is not None:
            key = (candidate.number.kind, candidate.number.depth)
            if key in self.by_number and candidate.number.kind != "paren":
                return self.by_number[key]
            shallower = (key[0], key[1] - 1)
            if shallower in self.by_number:
                return self.by_number[shallower] + 1
        if candidate.style is not None:
            return self.by_style.get(_key(candidate.style))
        return None


def rank_styles(layout: Layout, candidates: list[Candidate]) -> list[Candidate]:
    """Give levels by nesting: a heading closes every open one that it does not stand under."""
    stack: list[Candidate] = []
    placed: list[Candidate] = []
    for candidate in candidates:
        while stack and not _under(candidate, stack[-1]):
            stack.pop()
        stack.append(candidate)
        placed.append(replace(candidate, level=len(stack)))
    return placed


def _under(candidate: Candidate, above: Candidate) -> bool:
    """Whether a heading belongs below another that is open: by number where both have comparable ones, else by style."""
    ours, theirs = candidate.number, above.number
    if ours is not None and theirs is not None:
        if ours.kind == theirs.kind:
            if ours.kind == "decimal" and ours.depth != theirs.depth:
                return ours.depth > theirs.depth
            return False if ours.depth == theirs.depth else ours.depth > theirs.depth
        if _comparable(ours, theirs):
            return ours.rank > theirs.rank
    if candidate.style is None or above.style is None:
        return False
    if abs(candidate.style.size - above.style.size) >= _SIZE_STEP:
        return candidate.style.size < above.style.size
    return weight_of(candidate.style)[1:] > weight_of(above.style)[1:]


def _comparable(ours: Number, theirs: Number) -> bool:
    worded = {"part", "chapter", "item", "article", "note", "section"}
    return (ours.kind in worded and theirs.kind in worded) or "paren" in (ours.kind, theirs.kind)


def _key(style: Style) -> tuple[float, bool, bool, bool]:
    return style.size, style.bold, style.italic, style.caps


def _usual(levels: Counter[int]) -> int:
    return max(levels.items(), key=lambda item: (item[1], -item[0]))[0]
