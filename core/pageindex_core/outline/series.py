"""Numbers in series: neighbours decide what an ambiguous one is, and a series that goes on closes what it held.

"(i)" is the ninth letter after "(h)" and the first Roman number before "(ii)"; "C." follows "B." or opens "CI.".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise

from pageindex_core.outline.candidates import Candidate
from pageindex_core.outline.numbering import WORDED_KINDS, Number, roman_number

_LOOK = 6
"""How many numbers before and after an ambiguous one are looked at: a clause may hold a few numbers of its own."""

_MOST_WITHIN = 20
"""So many numbered headings may stand between two members of a series that holds others."""

_MOST_BETWEEN = 60
"""So many headings may stand between two members of a series: the first note of a filing has fifty."""

SERIES_KINDS = frozenset(("decimal", "letter", "roman"))
"""Kinds of number that the series of chapters, notes and clauses have alike."""


def settle(numbers: Sequence[Number | None]) -> list[Number | None]:
    """Give the numbers of a document in reading order, each single letter read as its neighbours read it."""
    settled: list[Number | None] = []
    for index, number in enumerate(numbers):
        letter = number.letter if number is not None else ""
        roman = roman_number(letter) if letter else None
        if number is None or roman is None:
            settled.append(number)
            continue
        alphabetic = ord(letter.upper()) - 64
        before = [other for other in numbers[max(0, index - _LOOK) : index] if _alike(number, other)]
        after = [other for other in numbers[index + 1 : index + 1 + _LOOK] if _alike(number, other)]
        as_letter = _fits(alphabetic, before, after, roman=False)
        as_roman = _fits(roman, before, after, roman=True)
        is_roman = as_roman > as_letter or (as_roman == as_letter and letter.upper() in "IVX")
        kind = number.kind if number.kind == "paren" else "roman" if is_roman else "letter"
        value = roman if is_roman else alphabetic
        form = "roman" if is_roman else "letter"
        settled.append(number._replace(kind=kind, value=(value,), form=form))
    return settled


def held_within(candidates: Sequence[Candidate]) -> dict[tuple[int, int], tuple[int, int]]:
    """Which headings stand within a member of a series, by their places: it opens their own, or they are its parts."""
    return _series_within(candidates) | _set_alike_within(candidates)


def _series_within(candidates: Sequence[Candidate]) -> dict[tuple[int, int], tuple[int, int]]:
    """Where a series opens right below a member of another that goes on after it: 1, 2, 3 between (d) and (e).

    Gives the place of the first heading of the inner series and that of the member that holds it.
    """
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for index, (opened, candidate) in enumerate(pairwise(candidates), start=2):
        ours, theirs = candidate.number, opened.number
        if ours is None or theirs is None or ours.value != (1,) or opened.level is not None:
            continue
        if (ours.kind, ours.form) == (theirs.kind, theirs.form) or WORDED_KINDS & {ours.kind, theirs.kind}:
            continue
        numbered = (later for later in islice(candidates, index, None) if later.number is not None)
        if any(_is_next(later, opened) for later in islice(numbered, _MOST_WITHIN)):
            found[candidate.place] = opened.place
    return found


def _set_alike_within(candidates: Sequence[Candidate]) -> dict[tuple[int, int], tuple[int, int]]:
    """Which headings without a number, set like those of a series, stand between two of it; and the first of the two.

    They are its parts. What follows the last of a series stands beside it: "References" after "5 Conclusion".
    """
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for index, opened in enumerate(candidates):
        number = opened.number
        if number is None or number.kind not in SERIES_KINDS or opened.level is not None or opened.style is None:
            continue
        between: list[Candidate] = []
        for later in islice(candidates, index + 1, index + 1 + _MOST_BETWEEN):
            if _is_next(later, opened):
                found.update((other.place, opened.place) for other in between)
                break
            if later.level is not None or (later.style is not None and later.style.size > opened.style.size + 1):
                break
            if later.number is None and later.style == opened.style:
                between.append(later)
    return found


def _is_next(later: Candidate, opened: Candidate) -> bool:
    ours, theirs = later.number, opened.number
    return goes_on(later, opened) and ours is not None and theirs is not None and ours.value[-1] - theirs.value[-1] == 1


def goes_on(candidate: Candidate, opened: Candidate) -> bool:
    """Whether a heading's number is the next of an open one's series: same form, same style, next value."""
    ours, theirs = candidate.number, opened.number
    if ours is None or theirs is None or candidate.style != opened.style:
        return False
    series = (ours.kind, ours.form, ours.depth, ours.value[:-1])
    if series != (theirs.kind, theirs.form, theirs.depth, theirs.value[:-1]):
        return False
    return 0 < ours.value[-1] - theirs.value[-1] <= 2


def _alike(number: Number, other: Number | None) -> bool:
    """Whether two numbers may belong to one series: both in brackets, or both letters or Roman numbers."""
    if other is None:
        return False
    bracketed = number.kind == "paren"
    return (other.kind == "paren") == bracketed and (bracketed or other.kind in ("roman", "letter"))


def _fits(value: int, before: Sequence[Number | None], after: Sequence[Number | None], *, roman: bool) -> int:
    """How many neighbours a value has in a series: one before it, near or far, and one right after it."""
    earlier = any(_read(other, roman) == value - 1 for other in before)
    return earlier + any(_read(other, roman) == value + 1 for other in after[:1])


def _read(number: Number | None, roman: bool) -> int | None:
    """A neighbour's value in the reading that is tried."""
    if number is None:
        return None
    if roman:
        return roman_number(number.letters)
    return ord(number.letter.upper()) - 64 if number.letter else None
