"""What looks like headings and is counted or listed: items, contents without page numbers, entries of references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pageindex_core.outline.layout import fold
from pageindex_core.outline.plain.titles import Title

_SINGLE = ("decimal", 1, "")
"""Class of "3 Results", and of the third item of any list."""

_LEAST_LISTED = 4
"""Numbered headings that follow line by line on each other from which they are a list."""

_MANY_ARTICLES = 5
"""Articles of a statute from which single numbers count what is in them."""

_REFERENCES = frozenset(
    ("references", "bibliography", "literatur", "literaturverzeichnis", "bibliographie", "参考文献", "참고문헌")
)


def items(titles: Sequence[Title]) -> set[int]:
    """Which lines with a single number are items of lists, and no chapters."""
    singles = [title for title in titles if title.kind == _SINGLE and not title.is_annex]
    if sum(title.is_article for title in titles) >= _MANY_ARTICLES:
        return {title.order for title in singles}
    close = {
        title.order
        for one, other in pairwise(singles)
        if _are_close(one, other) and abs(_value(other) - _value(one)) == 1
        for title in (one, other)
    }
    opened: dict[int, int] = {}
    for title in titles:
        number = title.number
        if number is not None and number.kind == "decimal" and number.depth > 1 and not title.is_annex:
            opened.setdefault(number.value[0], title.order)
    if not opened:
        return close
    end = titles[-1].order + 1
    fitting: dict[int, list[int]] = defaultdict(list)
    for title in sorted(singles, key=_is_glued):
        value = _value(title)
        if value in fitting and _is_glued(title):
            continue  # "1Institute of Physics" where "1 Introduction" is
        after = max((start for other, start in opened.items() if other < value), default=-1)
        if after < title.order < opened.get(value, end):
            fitting[value].append(title.order)
    # The last before "3.1" is the chapter; where a chapter has no sections, the first that is no item.
    chapters = {
        orders[-1] if value in opened else next((order for order in orders if order not in close), -1)
        for value, orders in fitting.items()
    }
    return {title.order for title in singles} - chapters


def _are_close(one: Title, other: Title) -> bool:
    return other.order - one.order == 1 and other.line.page_index == one.line.page_index


def _is_glued(title: Title) -> bool:
    """Whether no space stands between a number and the text."""
    return title.number is not None and title.text[len(title.number.label) :][:1].isalpha()


def _value(title: Title) -> int:
    return title.number.value[0] if title.number is not None else 0


def listed(titles: Sequence[Title]) -> set[int]:
    """Which headings stand line by line in a list, such as contents without page numbers, and come again below it."""
    last = {title.key: title.order for title in titles}
    runs: list[list[Title]] = []
    for title in titles:
        if title.number is None:
            continue
        if runs and _are_close(runs[-1][-1], title):
            runs[-1].append(title)
        else:
            runs.append([title])
    return {
        title.order for run in runs if len(run) >= _LEAST_LISTED for title in run if last[title.key] > run[-1].order
    }


def outside_references(titles: Iterable[Title]) -> list[Title]:
    """Drop what has neither number nor capitals in lists of references: parts of their titles and names."""
    kept = []
    in_references = False
    for title in titles:
        if in_references and title.number is not None and title.number.kind == "letter" and "," in title.text:
            continue  # "A. Smith, B. Jones": initials
        if title.is_strong:
            in_references = fold(title.number.title if title.number is not None else title.text) in _REFERENCES
        elif in_references:
            continue
        kept.append(title)
    return kept
