"""Headings of texts without positions or fonts: plain text, and pages that another loader has read.

Only words and line ends are left to judge by: numbers that run on, capitals, and short lines that stand between the end
of one text and the beginning of another. As in ``typography``, lines are proposed one by one and accepted as classes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from pageindex_core.outline.blocks import RUN_IN
from pageindex_core.outline.candidates import Candidate, Style, in_capitals
from pageindex_core.outline.complete import PRINTED_LEAF_PAGES
from pageindex_core.outline.layout import Layout, fold
from pageindex_core.outline.numbering import WORDED_KINDS, Number, parse_number, runs_on
from pageindex_core.outline.refuse import is_bullet, may_be_title
from pageindex_core.outline.series import settle
from pageindex_core.outline.typography import MANY_REPEATS

MAX_CHARS = 100
"""Longer lines are text: nothing but their wording could make them a heading."""

_MOST_PER_PAGE = 4
"""More lines of one kind a page than this are a numbered listing."""

_FULL_FROM_CHARS = 25
"""Shorter lines say nothing about how wide the text is set."""

_PROSE_SHARE = 0.6
"""Share of a full line from which on a line is text and no title, cell or item."""

_TITLE_SHARE = 0.9
"""Share of a full line from which on an unnumbered line is text, whatever its case."""

_MOST_WORDS = 14
"""Of a title without a number."""

_LEAST_WORDS = 4
"""Of a sentence on a line of its own."""

_SINGLE = ("decimal", 1, "")
"""Class of "3 Results", and of the third item of any list."""

_CLOSE = 2
"""Lines from one number to the next up to which they count a list."""

_LEAST_LISTED = 4
"""Numbered headings that follow so closely on each other from which they are a list."""

_MANY_ARTICLES = 5
"""Articles of a statute from which single numbers count what is in them."""

_LEAST_STRONG = 3
"""Headings with a number or in capitals from which the others only complete them."""

_SPACED_SHARE = 0.4
"""Share of lines with a blank one below from which on blank lines say nothing: some loaders put one after each line."""

_STOPS = ".:;!?。：；！？…"
_NOT_AT_END = _STOPS.replace("?", "")
"""A title may ask."""
_CLOSING = "\"'”’»)]」』）】"
_FIGURES = re.compile(r"\d[\d.,]*[)%]*$|[–—-]$")
_ROW = re.compile(r"[($€£¥]*-?\d[\d.,]*[)%]*|[–—-]|N/?[AM]")
"""A figure, or what stands for one, in a table."""
_LEAST_FIGURES = 2
"""Figures at the end of a line from which it is a row of a table."""
_DAY = re.compile(r"\b(?:19|20)\d\d\b.*\b(?:19|20)\d\d\b|\b\d{1,2}, (?:19|20)\d\d$")
"""Heads of columns: "Three months ended March 31, 2020", "2021 2020"."""
_EXPLAINED = re.compile(r"[A-Z&/.]{2,8}\d?: ")
"""An entry of a list of abbreviations."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_UNFINISHED = re.compile(
    r"\b(?:and|or|of|the|for|in|to|with|on|by|from|a|an|und|der|die|des|von|et|de|is|are)$", re.IGNORECASE
)
_WIDE = re.compile("[\u2e81-\U0010ffff]")
_STATUTE_PUNCTUATION = re.compile(r"[。、，；<>《》]|다\.")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})
_LETTERS_APART = re.compile(r"\w(?: \w){3,}")
_WORDS_APART = re.compile(r" {2,}")
_DATE = re.compile(
    r"\d{1,2}\.?\s+(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zé]*\.?(?:,?\s+\d{4}\b|\s*$)|\d{4}\b(?!\s*[A-ZÀ-Þ]{2})",
    re.IGNORECASE,
)
_BACK_MATTER = frozenset(
    (
        *(
            "abstract",
            "acknowledgements",
            "acknowledgments",
            "acknowledgement",
            "acknowledgment",
            "appendices",
            "appendix",
        ),
        *("bibliography", "foreword", "glossary", "index", "preface", "references"),
        *("anhang", "danksagung", "literatur", "literaturverzeichnis", "vorwort"),
        *("annexes", "bibliographie", "remerciements", "bibliografía", "referencias"),
        *("摘要", "附录", "参考文献", "致谢", "索引", "謝辞", "付録", "참고문헌", "부록"),
    )
)
"""What stands beside the numbered sections of a document without a number of its own, as ``fold`` gives it."""


class _Line(NamedTuple):
    """A line that says something, with its neighbours on the page."""

    page_index: int
    line_index: int
    text: str
    before: str
    """Empty at the top of a page."""
    after: str
    """Empty at the foot of a page."""
    is_apart: bool
    """Whether a blank line, or nothing, stands above; never where the loader has put one everywhere."""


class _Title(NamedTuple):
    """A line, or two, that may be a heading."""

    line: _Line
    text: str
    number: Number | None
    count: int
    """Lines of the page it takes, blank ones between included."""
    order: int
    """Position of the line among all that say something."""

    @property
    def kind(self) -> tuple[object, ...]:
        """The class that is accepted or refused as one."""
        if self.number is None:
            return ("capitals",) if in_capitals(self.text) else ("title",)
        return self.number.kind, self.number.depth, self.number.form


def find_plain(layout: Layout, skip: Container[tuple[int, int]]) -> list[Candidate]:
    """Give the lines that read like headings, in reading order; lines in ``skip`` (of contents) are none."""
    lines = _lines(layout, skip)
    titles = _settled(_titles(lines, _full_width(line.text for line in lines)))
    repeated = Counter(fold(title.text) for title in titles if title.number is None)
    items = _items(titles)
    listed = _listed(titles)
    classes: dict[tuple[object, ...], list[_Title]] = defaultdict(list)
    for title in titles:
        if repeated[fold(title.text)] < MANY_REPEATS and title.order not in items and title.order not in listed:
            classes[title.kind].append(title)
    most = _MOST_PER_PAGE * max(len(layout.pages), 4)
    kept = [
        title
        for members in classes.values()
        if (len(members) <= most or _is_worded(members[0])) and _convinces(members)
        for title in members
    ]
    kept.sort(key=lambda title: title.order)
    return [_candidate(title) for title in _in_long_leaves(kept, len(layout.pages))]


def _in_long_leaves(titles: Sequence[_Title], page_count: int) -> list[_Title]:
    """Drop what has neither number nor capitals where those that have divide the text well enough without it."""
    strong = [title for title in titles if _is_strong(title)]
    if len(strong) < _LEAST_STRONG:
        return list(titles)
    starts = [title.order for title in strong]
    pages = [title.line.page_index for title in strong]
    lengths = [later - earlier for earlier, later in pairwise([0, *pages, page_count])]
    return [
        title
        for title in titles
        if _is_strong(title) or lengths[bisect_right(starts, title.order)] > PRINTED_LEAF_PAGES
    ]


def _is_strong(title: _Title) -> bool:
    return title.number is not None or in_capitals(title.text) or fold(title.text) in _BACK_MATTER


def _lines(layout: Layout, skip: Container[tuple[int, int]]) -> list[_Line]:
    pages = []
    blanks = followed = 0
    for page_index, page in enumerate(layout.pages):
        said = [
            (line_index, " ".join(line.text.translate(_LIGATURES).split()), line.text.strip())
            for line_index, line in enumerate(page.lines)
            if not line.continues and line.text.strip() and (page_index, line_index) not in layout.furniture
        ]
        followed += max(len(said) - 1, 0)
        blanks += sum(later[0] - earlier[0] > 1 for earlier, later in pairwise(said))
        pages.append(said)
    tells = blanks < _SPACED_SHARE * followed
    lines = []
    for page_index, said in enumerate(pages):
        for at, (line_index, text, raw) in enumerate(said):
            if (page_index, line_index) in skip:
                continue
            lines.append(
                _Line(
                    page_index,
                    line_index,
                    _closed_up(raw) or text,
                    said[at - 1][1] if at else "",
                    said[at + 1][1] if at + 1 < len(said) else "",
                    not at or (tells and line_index - said[at - 1][0] > 1),
                )
            )
    return lines


def _closed_up(text: str) -> str | None:
    """A letter-spaced title as words; None where the text is none."""
    if not _LETTERS_APART.match(text):
        return None
    words = _WORDS_APART.split(text)
    if not all(len(part) == 1 for word in words for part in word.split(" ")):
        return None
    return " ".join(word.replace(" ", "") for word in words)


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def _full_width(texts: Iterable[str]) -> int:
    """The usual width of a full line of text, in narrow characters: three of four characters stand in lines so wide."""
    widths = sorted(width for width in map(_width, texts) if width >= _FULL_FROM_CHARS)
    left = sum(widths) / 2
    for width in widths:
        left -= width
        if left <= 0:
            return min(width, MAX_CHARS)
    return MAX_CHARS


def _titles(lines: Sequence[_Line], full: int) -> list[_Title]:
    """The lines that may be headings, in reading order. They are found from the last: what follows tells most."""
    found: list[_Title] = []
    below: _Title | None = None
    for order in reversed(range(len(lines))):
        line = lines[order]
        if below is not None and (below.line.page_index != line.page_index or below.line.text != line.after):
            below = None
        below = _title_at(line, order, full, below)
        if below is not None:
            found.append(below)
    found.reverse()
    return found


def _title_at(line: _Line, order: int, full: int, below: _Title | None) -> _Title | None:
    text, count = line.text, 1
    run_in = RUN_IN.match(text) if text[:1] in ("제", "第") else None
    if run_in is not None:
        text = run_in[0].strip()
    if not 3 <= len(text) <= MAX_CHARS or not may_be_title(text):
        return None
    number = parse_number(text)
    if number is not None and not _may_be_numbered(number, text):
        return None
    if run_in is None and not _ends_before(line, number):
        return None
    if number is None and not _leads(line, text, full, below):
        return None
    return _Title(line, text, number, count, order)


def _may_be_numbered(number: Number, text: str) -> bool:
    if number.kind in ("paren", "han"):
        return False
    title = number.title
    if number.kind in WORDED_KINDS:
        return not title or title[0].isupper() or title[0] in "([" or not title[0].isascii()
    if not title or text.endswith((".", ",", ";")) or (number.kind == "decimal" and _DATE.match(text)):
        return False
    return not title[0].isdigit() and not title[0].islower()


def _ends_before(line: _Line, number: Number | None) -> bool:
    """Whether a line neither goes on with the sentence before it nor runs on into the next."""
    if line.after[:1].islower():
        return False
    before = line.before
    if not before or line.is_apart or _has_ended(before):
        return True
    return number is not None and len(before) < 60


def _has_ended(text: str) -> bool:
    return text.rstrip(_CLOSING).endswith(tuple(_STOPS)) or _FIGURES.search(text) is not None


def _leads(line: _Line, text: str, full: int, below: _Title | None) -> bool:
    """Whether an unnumbered line is short, set like a title, and stands over text or over another heading."""
    words = text.split()
    width = _width(text)
    if len(words) > _MOST_WORDS or width > _TITLE_SHARE * full or text.endswith((*_NOT_AT_END, ",", "-", "–")):
        return False
    if not (text[0].isupper() or text[0] in '"“«„' or not text[0].isascii()) or is_bullet(text):
        return False
    if _UNFINISHED.search(text) or text.count(",") >= 3 or (_figures(text) and not _YEAR.fullmatch(words[-1])):
        return False
    if _DAY.search(text) or _EXPLAINED.match(text):
        return False
    if not text[0].isascii() and (width > 0.5 * full or _STATUTE_PUNCTUATION.search(text)):
        return False
    if below is not None:
        return below.number is not None or in_capitals(below.text) != in_capitals(text)
    return _is_prose(line.after, full)


def _is_prose(text: str, full: int) -> bool:
    """Whether a line begins a text: nearly full, or a sentence; opening like one, and no row of figures."""
    if text[:1].islower() or _figures(text) >= _LEAST_FIGURES:
        return False
    return _width(text) >= _PROSE_SHARE * full or (text.endswith((".", "。")) and len(text.split()) >= _LEAST_WORDS)


def _figures(text: str) -> int:
    """How many figures end a line."""
    count = 0
    for word in reversed(text.split()):
        if _ROW.fullmatch(word):
            count += 1
        elif word not in "$€£¥%":
            break
    return count


def _settled(titles: list[_Title]) -> list[_Title]:
    numbers = settle([title.number for title in titles])
    return [title._replace(number=number) for title, number in zip(titles, numbers, strict=True)]


def _items(titles: Sequence[_Title]) -> set[int]:
    """Which lines with a single number are items of lists, and no chapters."""
    singles = [title for title in titles if title.kind == _SINGLE]
    if sum(title.number is not None and title.number.kind == "article" for title in titles) >= _MANY_ARTICLES:
        return {title.order for title in singles}
    close = {
        title.order
        for one, other in pairwise(singles)
        if other.order - one.order <= _CLOSE and abs(_value(other) - _value(one)) == 1
        for title in (one, other)
    }
    opened: dict[int, int] = {}
    for title in titles:
        if title.number is not None and title.number.kind == "decimal" and title.number.depth > 1:
            opened.setdefault(title.number.value[0], title.order)
    if not opened:
        return close
    end = titles[-1].order + 1
    fitting: dict[int, list[int]] = defaultdict(list)
    for title in singles:
        value = _value(title)
        after = max((start for other, start in opened.items() if other < value), default=-1)
        if after < title.order < opened.get(value, end):
            fitting[value].append(title.order)
    # The last before "3.1" is the chapter; where a chapter has no sections, the first that is no item.
    chapters = {
        orders[-1] if value in opened else next((order for order in orders if order not in close), -1)
        for value, orders in fitting.items()
    }
    return {title.order for title in singles} - chapters


def _value(title: _Title) -> int:
    return title.number.value[0] if title.number is not None else 0


def _listed(titles: Sequence[_Title]) -> set[int]:
    """Which headings stand line by line in a list, such as contents without page numbers, and come again below it."""
    last = {_key(title): title.order for title in titles}
    runs: list[list[_Title]] = []
    for title in titles:
        if title.number is None:
            continue
        if runs and title.order - runs[-1][-1].order == 1:
            runs[-1].append(title)
        else:
            runs.append([title])
    return {
        title.order for run in runs if len(run) >= _LEAST_LISTED for title in run if last[_key(title)] > run[-1].order
    }


def _is_worded(title: _Title) -> bool:
    return title.number is not None and title.number.kind in WORDED_KINDS


def _key(title: _Title) -> tuple[object, ...]:
    number = title.number
    return (*title.kind, number.value) if number is not None and number.kind in WORDED_KINDS else (fold(title.text),)


def _convinces(members: Sequence[_Title]) -> bool:
    """Whether a class of lines behaves like headings: a sequence of numbers, or titles that do not repeat."""
    number = members[0].number
    if number is None:
        return len({member.text for member in members}) >= 0.7 * len(members)
    if number.kind in WORDED_KINDS:
        return True
    values = [member.number.value for member in members if member.number]
    return len(members) > 1 and runs_on(values)


def _candidate(title: _Title) -> Candidate:
    # No font tells ranks apart: what has neither number nor capitals counts as set smaller, so that it stands below.
    caps = in_capitals(title.text)
    is_beside = title.number is not None or fold(title.text) in _BACK_MATTER
    return Candidate(
        title=title.text,
        page_index=title.line.page_index,
        line_index=title.line.line_index,
        line_count=title.count,
        evidence="detected",
        confidence=0.6 if title.number is not None else 0.5,
        style=Style(0.0 if is_beside or caps else -1.0, bold=False, italic=False, caps=caps),
        number=title.number,
    )
