"""Which level a heading stands on: learned from a frame that states levels, or from styles and numbers alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pageindex_core.outline.candidates import Candidate, Style
from pageindex_core.outline.numbering import WORDED_KINDS, Number
from pageindex_core.outline.series import SERIES_KINDS, goes_on, held_within

_SIZE_STEP = 0.6
"""Sizes closer than this, in points, are one size: rounding and optical variants."""

_AGREEING = 0.7
"""Share of a style's or number kind's frame entries that have to stand on one level for it to teach that level."""

_LISTED = 0.3
"""Share of the headings of a style or number kind that the frame has to list for it to speak for that style."""

_DIVISIONS = frozenset(("part", "chapter", "article", "section"))
"""Kinds whose number the numbers of what they hold may begin with."""

_Key = TypeVar("_Key", bound=Hashable)
StyleKey = tuple[float, bool, bool, bool]


@dataclass(frozen=True, slots=True)
class FrameLevels:
    """What a frame teaches: the level of each style and of each kind of number."""

    by_style: dict[tuple[StyleKey, str], int]
    by_number: dict[tuple[str, int], int]
    listed: frozenset[tuple[str, tuple[int, ...]]] = frozenset()
    """Numbers of its entries, where none comes twice."""

    @classmethod
    def learn(cls, frame: Sequence[Candidate], detected: Sequence[Candidate]) -> FrameLevels:
        """Count on which level the printed entries of each style and number kind stand.

        A style or number kind whose headings are mostly missing from the frame teaches nothing: the frame stops above.
        """
        styles: dict[tuple[StyleKey, str], Counter[int]] = defaultdict(Counter)
        numbers: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        for candidate in frame:
            level = candidate.level or 1
            if candidate.style is not None:
                styles[(style_key(candidate.style), _kind(candidate))][level] += 1
            if candidate.number is not None:
                numbers[(candidate.number.kind, candidate.number.depth)][level] += 1
        unlisted_styles = Counter((style_key(c.style), _kind(c)) for c in detected if c.style is not None)
        unlisted_numbers: Counter[tuple[str, int]] = Counter(
            (c.number.kind, c.number.depth) for c in detected if c.number is not None
        )
        values = [(c.number.kind, c.number.value) for c in frame if c.number is not None]
        listed = frozenset(values) if len(set(values)) == len(values) else frozenset()
        return cls(_agreed(styles, unlisted_styles, 2), _agreed(numbers, unlisted_numbers, 1), listed)

    def level_of(self, candidate: Candidate) -> int | None:
        """The level that a detected heading shares with entries of the frame; None when nothing tells."""
        number = candidate.number
        if number is not None and number.is_supplement:
            levels = [self.by_number[key] for key in (("part", 1), ("chapter", 1)) if key in self.by_number]
            return min(levels, default=1)
        if number is not None and number.kind != "paren":
            key = (number.kind, number.depth)
            if key in self.by_number:
                return self.by_number[key]
            if number.depth > 1 and (number.kind, number.depth - 1) in self.by_number:
                return self.by_number[(number.kind, number.depth - 1)] + 1
        if candidate.style is not None and (number is None or number.kind != "paren"):
            return self.by_style.get((style_key(candidate.style), _kind(candidate)))
        return None


@dataclass(frozen=True, slots=True)
class StyleOrder:
    """Which of two styles of one size stands above the other, learned from which opens the sections."""

    first: dict[tuple[StyleKey, StyleKey], int]
    """How often the first style appeared before the second within a section."""

    @classmethod
    def learn(cls, candidates: Sequence[Candidate]) -> StyleOrder:
        """Count, between headings that stand above both, which style comes first."""
        first: Counter[tuple[StyleKey, StyleKey]] = Counter()
        seen: dict[float, list[StyleKey]] = defaultdict(list)
        for candidate in candidates:
            if candidate.style is None or candidate.level is not None:
                seen.clear()
            if candidate.style is None:
                continue
            size = candidate.style.size
            for smaller in [other for other in seen if other < size]:
                del seen[smaller]
            key = style_key(candidate.style)
            if candidate.number is None and key not in seen[size]:
                first.update((earlier, key) for earlier in seen[size])
                seen[size].append(key)
        return cls(dict(first))

    def is_under(self, candidate: Candidate, above: Candidate) -> bool:
        """Whether a heading belongs below another that is open: by number where both compare, else by style."""
        ours, theirs = candidate.number, above.number
        if ours is not None and theirs is not None:
            if ours.is_supplement:
                return False
            if ours.kind == theirs.kind:
                return ours.depth > theirs.depth or (ours.form != theirs.form and ours.value[-1] == 1)
            if (ours.kind, theirs.kind) == ("section", "article") and ours.label.isascii():
                return ours.depth > 1 or ours.value[-1] == 1  # of contracts and constitutions, not of codes
            if _is_numbered_within(ours, theirs):
                return True
            if theirs.kind == "decimal" and theirs.depth > 1 and ours.kind in _DIVISIONS:
                return False
            if _comparable(ours, theirs):
                return ours.rank > theirs.rank
        if candidate.style is None or above.style is None:
            return False
        if ours is None and theirs is not None and theirs.kind == "item":
            return candidate.style.size < above.style.size + _SIZE_STEP  # only PART and the next Item end an Item
        if abs(candidate.style.size - above.style.size) >= _SIZE_STEP:
            return candidate.style.size < above.style.size
        key, other = style_key(candidate.style), style_key(above.style)
        if _is_part_of_note(candidate, [above]):
            return True
        after, before = self.first.get((other, key), 0), self.first.get((key, other), 0)
        if after + before >= 2 and max(after, before) >= _AGREEING * (after + before):
            return after > before
        return prominence(candidate.style) < prominence(above.style)


def level_within(frame: FrameLevels, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Give every candidate a level, in reading order.

    The frame's entries keep theirs. A detected heading that shares style or numbering with a level of the frame
    stands on that level; any other stands below the entry that is open, ordered by style among its like.
    """
    order = StyleOrder.learn(candidates)
    within = held_within(candidates)
    placed: list[Candidate] = []
    stack: list[Candidate] = []
    for candidate in candidates:
        level = candidate.level
        holder = _holder(within, candidate, stack) if level is None else None
        if holder is not None:
            del stack[holder + 1 :]
            level = (stack[holder].level or 0) + 1
        if level is None and not _is_part_of_note(candidate, stack) and not _is_other_series(frame, candidate, stack):
            level = frame.level_of(candidate)
        series = _open_series(candidate, stack) if level is None else None
        if series is not None:
            level = stack[series].level
            del stack[series:]
        elif level is None:
            closed: Candidate | None = None
            while stack and stack[-1].evidence == "detected" and not order.is_under(candidate, stack[-1]):
                if frame.level_of(stack[-1]) is not None and not order.is_under(stack[-1], candidate):
                    break
                closed = stack.pop()
            if closed is None and stack and _is_beside(candidate, stack[-1]):
                closed = stack.pop()
            if closed is not None and _is_beside(candidate, closed):
                level = closed.level
            else:
                level = (stack[-1].level or 0) + 1 if stack else 1
        else:
            while stack and (stack[-1].level or 1) >= level:
                stack.pop()
        placed.append(candidate._replace(level=level))
        stack.append(placed[-1])
    return placed


def level_by_style(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Give levels by nesting alone: a heading closes every open one that it does not stand under."""
    order = StyleOrder.learn(candidates)
    within = held_within(candidates)
    stack: list[Candidate] = []
    placed: list[Candidate] = []
    for candidate in candidates:
        series = _open_series(candidate, stack)
        holder = _holder(within, candidate, stack)
        if holder is not None:
            del stack[holder + 1 :]
        elif series is not None:
            del stack[series:]
        while series is None and holder is None and stack and not order.is_under(candidate, stack[-1]):
            stack.pop()
        stack.append(candidate)
        placed.append(candidate._replace(level=len(stack)))
    return placed


def _is_part_of_note(candidate: Candidate, stack: Sequence[Candidate]) -> bool:
    """Whether a heading is set like the title of a note that is open: filings set the parts of notes so."""
    if candidate.number is not None or candidate.style is None:
        return False
    notes = (above.style for above in stack if above.number is not None and above.number.kind == "note")
    return any(style is not None and style_key(style) == style_key(candidate.style) for style in notes)


def _is_other_series(frame: FrameLevels, candidate: Candidate, stack: Sequence[Candidate]) -> bool:
    """Whether a number of the frame's kind belongs to a series of its own: the notes 1, 2, 3 within chapter 8."""
    number = candidate.number
    if number is None or number.kind not in SERIES_KINDS or not frame.listed:
        return False
    if number.depth == 1:
        return (number.kind, number.value) in frame.listed
    above = (number.kind, number.value[:-1])
    return above in frame.listed and not any(
        opened.number is not None and (opened.number.kind, opened.number.value) == above for opened in stack
    )


def _is_beside(candidate: Candidate, opened: Candidate) -> bool:
    """Whether a detected heading is set like the open one of the frame, so that it stands beside it, not below."""
    if candidate.number is not None or candidate.style is None or opened.style is None or opened.number is not None:
        return False
    return style_key(candidate.style) == style_key(opened.style)


def _open_series(candidate: Candidate, stack: Sequence[Candidate]) -> int | None:
    """Where the innermost open heading stands whose numbers this one goes on with; None when it opens a series."""
    return next((index for index in reversed(range(len(stack))) if goes_on(candidate, stack[index])), None)


def _holder(
    within: Mapping[tuple[int, int], tuple[int, int]], candidate: Candidate, stack: Sequence[Candidate]
) -> int | None:
    """Where the open heading stands within whose series this one opens its own; None where it opens none so."""
    place = within.get(candidate.place)
    return next((at for at, above in enumerate(stack) if above.place == place), None) if place is not None else None


def prominence(style: Style) -> tuple[int, int]:
    """How much a style stands out at its size: bold capitals, bold, capitals, plain; upright before italic."""
    return 2 * style.bold + style.caps, 0 if style.italic else 1


def style_key(style: Style) -> StyleKey:
    """The part of a style that tells levels apart."""
    return style.size, style.bold, style.italic, style.caps


def _kind(candidate: Candidate) -> str:
    return candidate.number.kind if candidate.number is not None else ""


def _is_numbered_within(ours: Number, theirs: Number) -> bool:
    """Whether a number begins with that of a division: "4.6" is a clause of article 4, however it is set."""
    return ours.kind == "decimal" and ours.depth > 1 and theirs.kind in _DIVISIONS and ours.value[0] == theirs.value[-1]


def _comparable(ours: Number, theirs: Number) -> bool:
    kinds = {ours.kind, theirs.kind}
    worded = WORDED_KINDS - {"appendix"}
    return kinds <= worded or "paren" in kinds or ("decimal" in kinds and bool(kinds & {"part", "chapter"}))


def _agreed(counts: Mapping[_Key, Counter[int]], unlisted: Mapping[_Key, int], least: int) -> dict[_Key, int]:
    """The level on which most entries of each key stand, where they agree and are listed well enough."""
    agreed = {}
    for key, levels in counts.items():
        listed = sum(levels.values())
        level, count = max(levels.items(), key=lambda item: (item[1], -item[0]))
        if listed >= least and count >= _AGREEING * listed and listed >= _LISTED * (listed + unlisted.get(key, 0)):
            agreed[key] = level
    return agreed
