"""Lines that may be headings: numbered, in capitals, or short between two texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pageindex_core.folding import width_of
from pageindex_core.outline.blocks import JOINING_WORDS, OVER_TITLES, RUN_IN
from pageindex_core.outline.candidates import in_capitals
from pageindex_core.outline.layout import fold
from pageindex_core.outline.numbering import WORDED_KINDS, Number, parse_number
from pageindex_core.outline.plain.lines import MAX_CHARS, TextLine
from pageindex_core.outline.refuse import is_bullet, may_be_title
from pageindex_core.outline.series import settle

_PROSE_SHARE = 0.6
"""Share of a full line from which on a line is text and no title, cell or item."""

_TITLE_SHARE = 0.9
"""Share of a full line from which on an unnumbered line is text, whatever its case."""

_MOST_WORDS = 14
"""Of a title without a number."""

_LEAST_WORDS = 4
"""Of a sentence on a line of its own."""

_HEADLINES = ("part", "chapter", "item", "section", "appendix")
"""Kinds of number under whose heading another may stand."""

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
_UNFINISHED = re.compile(rf"\b(?:{JOINING_WORDS}|is|are)$", re.IGNORECASE)
_NAME = re.compile(r"\w_\w|\w_$|[✓✔✗✘☐☑☒]")
"""Names of program texts, and marks of tables."""
_CAPTION = re.compile(r"(?:table|figure|fig\.|plate)\s+[IVXLC]+\b[.:]?", re.IGNORECASE)
"""A label with a Roman number, over the title of a table."""
_STATUTE_PUNCTUATION = re.compile(r"[。、，；<>《》]|다\.")
_DATE = re.compile(
    r"\d{1,2}\.?\s+(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zé]*\.?(?:,?\s+\d{4}\b|\s*$)"
    r"|\d{4}\b(?!\s*[A-ZÀ-Þ]{2})",
    re.IGNORECASE,
)
"""What looks numbered and opens with a day or a year."""

_MATTER = frozenset(
    (
        *("abstract", "acknowledgement", "acknowledgements", "acknowledgment", "acknowledgments", "appendices"),
        *("appendix", "bibliography", "foreword", "glossary", "index", "preface", "references"),
        *("anhang", "danksagung", "literatur", "literaturverzeichnis", "vorwort"),
        *("annexes", "bibliographie", "remerciements", "bibliografía", "referencias"),
        *("摘要", "附录", "参考文献", "致谢", "索引", "謝辞", "付録", "참고문헌", "부록"),
    )
)
"""What stands beside the numbered sections of a document without a number of its own, as ``fold`` gives it."""


class Title(NamedTuple):
    """A line, or two, that may be a heading."""

    line: TextLine
    text: str
    number: Number | None
    line_count: int
    """Lines of the page it takes, blank ones between included."""
    order: int
    """Position of the line among all that say something."""
    stacked: int = 0
    """How many headings of its kind stand right below, one below the other."""

    @property
    def kind(self) -> tuple[object, ...]:
        """The class that is accepted or refused as one."""
        if self.number is None:
            return ("capitals",) if in_capitals(self.text) else ("title",)
        return self.number.kind, self.number.depth, self.number.form

    @property
    def is_article(self) -> bool:
        """Whether it is an article of a statute."""
        return self.number is not None and self.number.kind == "article"

    @property
    def is_annex(self) -> bool:
        """Whether its number opens with a letter, as that of an annex or a section of one does: "A.1"."""
        return self.number is not None and self.number.kind == "decimal" and self.number.label[0].isalpha()

    @property
    def is_worded(self) -> bool:
        """Whether its number has a word of its own."""
        return self.number is not None and self.number.kind in WORDED_KINDS

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal where a heading comes again: kind and number, or the text."""
        return (*self.kind, self.number.value) if self.number and self.is_worded else (fold(self.text),)

    @property
    def is_named(self) -> bool:
        """Whether it is one of the sections that every document calls alike: "References", "Preface"."""
        return fold(self.text) in _MATTER

    @property
    def is_strong(self) -> bool:
        """Whether more than its place tells it from text: a number, capitals, or a usual name."""
        return self.number is not None or in_capitals(self.text) or self.is_named


def titles_of(lines: Sequence[TextLine], full: int) -> list[Title]:
    """The lines that may be headings, in reading order. They are found from the last: what follows tells most."""
    found: list[Title] = []
    below: Title | None = None
    for order in reversed(range(len(lines))):
        line = lines[order]
        under = lines[order + 1] if order + 1 < len(lines) and lines[order + 1].text == line.after else None
        wraps = under is not None and _wraps(line, under, full)
        title = _title_at(line._replace(after="") if wraps else line, order, full, below if under is not None else None)
        if title is not None and under is not None and (wraps or _is_number_of(title, under, full)):
            if found and found[-1].order == order + 1:
                found.pop()
            text = f"{title.text} {under.text}"
            count = under.line_index - line.line_index + 1
            title = title._replace(text=text, number=parse_number(text), line_count=count)
        if title is not None and below is not None and _is_annex_over(title, below):
            value, name = title.text.split(" ", 1)
            title = title._replace(number=Number("decimal", 1, (ord(value) - 64,), name, value))
        if title is not None:
            found.append(title)
        below = title
    found.reverse()
    numbers = settle([title.number for title in found])
    return [title._replace(number=number) for title, number in zip(found, numbers, strict=True)]


def _is_annex_over(title: Title, below: Title) -> bool:
    """Whether a line is the title of the annex whose first section stands below it: "B Tables" over "B.1 Prices"."""
    first = below.number
    return title.number is None and first is not None and first.label == f"{title.text[0]}.1" and title.text[1] == " "


def _wraps(line: TextLine, under: TextLine, full: int) -> bool:
    """Whether a title with a number goes on in the next line, which opens with a small letter and ends short."""
    number = parse_number(line.text)
    return (
        number is not None
        and (number.kind in WORDED_KINDS or number.depth > 1)
        and number.title[:1].isupper()
        and under.text[0].islower()
        and len(under.text) > 2
        and width_of(under.text) < _PROSE_SHARE * full
        and not _ends_with(under.text, _NOT_AT_END + ",")
        and bool(under.after)
        and not under.after[0].islower()
    )


def _is_number_of(title: Title, under: TextLine, full: int) -> bool:
    """Whether a line holds a number alone, such as "Chapter 3", and the next one its title."""
    number = title.number
    if number is None or number.title or number.kind not in OVER_TITLES:
        return False
    text = under.text
    return (
        parse_number(text) is None
        and width_of(text) <= _TITLE_SHARE * full
        and not _ends_with(text, _NOT_AT_END + ",")
        and may_be_title(text)
    )


def _title_at(line: TextLine, order: int, full: int, below: Title | None) -> Title | None:
    text = line.text
    run_in = RUN_IN.match(text) if text[:1] in ("제", "第") else None
    if run_in is not None:
        text = run_in[0].strip()
    if not 3 <= len(text) <= MAX_CHARS or not may_be_title(text) or _NAME.search(text):
        return None
    number = parse_number(text)
    if _CAPTION.match(text) or (number is None and _CAPTION.fullmatch(line.before)):
        return None
    if number is not None and (not _may_be_numbered(number, text) or _runs_over(text, full)):
        return None
    stands_alone = run_in is not None or fold(text) in _MATTER or _ends_before(line, number)
    if not stands_alone or not (number is not None or fold(text) in _MATTER or _leads(line, text, full, below)):
        return None
    stacked = 0
    if below is not None and number is None and below.number is None and in_capitals(below.text) == in_capitals(text):
        stacked = below.stacked + 1
        if stacked > 1:
            return None
    return Title(line, text, number, 1, order, stacked)


def _runs_over(text: str, full: int) -> bool:
    """Whether a full line stops in the middle of a sentence."""
    return width_of(text) > _TITLE_SHARE * full and _UNFINISHED.search(text) is not None


def _may_be_numbered(number: Number, text: str) -> bool:
    if number.kind in ("paren", "han"):
        return False
    title = number.title
    if number.kind in WORDED_KINDS:
        return not title or title[0].isupper() or title[0] in "([" or not title[0].isascii()
    if not title or text.endswith((".", ",", ";")) or (number.kind == "decimal" and _DATE.match(text)):
        return False
    if text[len(number.label) :][:1].isalpha() and any(map(str.isdigit, title.split()[0])):
        return False  # a tag: "0WL16"
    return not title[0].isdigit() and not title[0].islower()


def _ends_before(line: TextLine, number: Number | None) -> bool:
    """Whether a line neither goes on with the sentence before it nor runs on into the next."""
    if line.after[:1].islower():
        return False
    before = line.before
    if not before or line.is_apart or _has_ended(before):
        return True
    return number is not None and len(before) < 60


def _has_ended(text: str) -> bool:
    return _ends_with(text, _STOPS) or _FIGURES.search(text) is not None or _is_headline(text)


def _ends_with(text: str, signs: str) -> bool:
    return text.rstrip(_CLOSING).endswith(tuple(signs))


def _is_headline(text: str) -> bool:
    """Whether a line is a heading whatever stands around it: in capitals, or with a word for its number."""
    number = parse_number(text)
    return may_be_title(text) and (in_capitals(text) or (number is not None and number.kind in _HEADLINES))


def _leads(line: TextLine, text: str, full: int, below: Title | None) -> bool:
    """Whether an unnumbered line is short, set like a title, and stands over text or over another heading."""
    words = text.split()
    width = width_of(text)
    if len(words) > _MOST_WORDS or width > _TITLE_SHARE * full or _ends_with(text, _NOT_AT_END + ",-–"):
        return False
    if not (text[0].isupper() or text[0] in '"“«„' or not text[0].isascii()) or is_bullet(text):
        return False
    if _UNFINISHED.search(text) or text.count(",") >= 3 or (_figures(text) and not _YEAR.fullmatch(words[-1])):
        return False
    if _DAY.search(text) or _EXPLAINED.match(text):
        return False
    if not text[0].isascii() and (width > 0.5 * full or _STATUTE_PUNCTUATION.search(text)):
        return False
    return below is not None or _is_prose(line.after, full)


def _is_prose(text: str, full: int) -> bool:
    """Whether a line begins a text: nearly full, or a sentence; opening like one, and no row of figures."""
    if text[:1].islower() or _figures(text) >= _LEAST_FIGURES:
        return False
    return width_of(text) >= _PROSE_SHARE * full or (text.endswith((".", "。")) and len(text.split()) >= _LEAST_WORDS)


def _figures(text: str) -> int:
    """How many figures end a line."""
    count = 0
    for word in reversed(text.split()):
        if _ROW.fullmatch(word):
            count += 1
        elif word not in "$€£¥%":
            break
    return count
