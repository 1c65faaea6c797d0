"""Places that a text names: "page 5", "section 2.1", "Item 7", "table 3", "chapter three", "제3조", "第三章".

Numbers are kept in one spelling: Arabic digits, lower case letters. "VII", "seven", "七" and "7" are the same place,
but a single letter that could be either ("C", "I") keeps both readings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = {
    "page": "page pages p pp pg slide slides",
    "section": "section sections sec subsection subsections paragraph paragraphs clause clauses § §§",
    "item": "item items",
    "part": "part parts",
    "chapter": "chapter chapters ch",
    "article": "article articles art",
    "appendix": "appendix appendices annex annexes exhibit exhibits schedule schedules attachment attachments",
    "note": "note notes footnote footnotes",
    "table": "table tables tab",
    "figure": "figure figures fig figs chart charts diagram diagrams illustration illustrations",
    "step": "step steps",
    "equation": "equation equations eq eqs",
}
_KIND_OF_WORD = {word: kind for kind, words in _WORDS.items() for word in words.split()}

_CARDINAL_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_CARDINAL_WORDS.split())}
_ORDINALS = {word: str(number) for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_ROMAN = re.compile(r"(?=[ivxlc])(?:c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_HAN_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "両": 2, "两": 2}

_NUMBER = r"(?:\d{1,4}(?:[.\-]\d{1,3})*(?:\([a-z0-9]{1,3}\)|[a-z])?|[ivxlc]{1,7}|[a-z](?:[.\-]?\d{1,3}(?:\.\d{1,3})*)?)"
_LATIN = re.compile(
    r"(?<![\w§])(?P<kind>"
    + "|".join(sorted((re.escape(word) for word in _KIND_OF_WORD), key=len, reverse=True))
    + r")(?:\.|\s?no\.?|\s?number)?(?:\s{1,2}|(?=[\d(]))\(?(?P<first>"
    + _NUMBER
    + "|"
    + "|".join(_NUMBER_WORDS)
    + r")\)?(?P<more>(?:\s?(?:,|and|&|or|to|-|–|through)\s?(?:"
    + _NUMBER
    + r"))*)(?![\w])"
)
_LETTERED_WORDS = {"appendix", "annex"}
"""Words that are no verbs and whose parts have letters: an "a" after them is one, whatever its case."""
_ENDS_NAME = re.compile(r"\s*(?:[^\w\s'’]|$)|\s+(?:of|in|and|or|is|on)\b", re.IGNORECASE)
"""What follows the name of a part, and neither an article nor a pronoun."""
_PAGE_RANGE = re.compile(r"(\d+)\s?(?:-|–|to|through)\s?(\d+)")
_LONGEST_RANGE = 20
"""A longer range of pages names a part of the document, not pages to look at."""
_ORDINAL = re.compile(
    r"\b(?P<first>" + "|".join(_ORDINALS) + r")\s(?P<kind>page|section|chapter|table|figure|slide|part|article)\b"
)
_CJK_UNITS = {
    "章": "chapter", "장": "chapter",
    "節": "section", "节": "section", "절": "section", "項": "section", "项": "section",
    "条": "article", "條": "article", "조": "article", "編": "part", "编": "part", "部": "part", "편": "part",
    "頁": "page", "页": "page", "ページ": "page", "쪽": "page", "페이지": "page",
}  # fmt: skip
_CJK = re.compile(
    r"[第제]?\s?(?P<first>[0-9]{1,4}|[零〇一二三四五六七八九十百]{1,6})\s?(?P<kind>" + "|".join(_CJK_UNITS) + ")"
)
_CJK_LABELS = {"表": "table", "표": "table", "図": "figure", "图": "figure", "圖": "figure", "그림": "figure"}
_CJK_LABELLED = re.compile(r"(?P<kind>" + "|".join(_CJK_LABELS) + r")\s?(?P<first>\d{1,3}(?:[.\-]\d{1,3})*)")
_BARE_LABEL = re.compile(
    "(?:"
    + "|".join(sorted((word for word in _KIND_OF_WORD if word.isalpha()), key=len, reverse=True))
    + r")?(?:no|number)?(?:\d{1,8}[a-z]?|[ivxlc]{1,7}|[a-z]\d{0,6}|"
    + "|".join(_NUMBER_WORDS)
    + r")|[第제]?(?:\d{1,4}|[零〇一二三四五六七八九十百]{1,6})(?:"
    + "|".join(_CJK_UNITS)
    + ")"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a document, as a text names it."""

    kind: str
    """``page``, ``section``, ``item``, ``part``, ``chapter``, ``article``, ``appendix``, ``note``, ``table``, …"""
    numbers: tuple[str, ...]
    """The readings of its number, likeliest first: "vii" may be 7 or the letters."""


def find_places(text: str) -> Iterator[Place]:
    """Give the places that a text names, each once, in order of form and then of appearance."""
    seen: set[Place] = set()
    for place in _all_places(unicodedata.normalize("NFKC", text)):
        if place not in seen:
            seen.add(place)
            yield place


def is_bare_label(text: str) -> bool:
    """Whether a text, spaces and punctuation aside, is the number of a part and nothing more: "Chapter 12", "IV"."""
    return _BARE_LABEL.fullmatch(re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())) is not None


def number_readings(written: str) -> tuple[str, ...]:
    """Give the readings of a number: Arabic first, then as written."""
    written = written.casefold().strip(".")
    if written in _NUMBER_WORDS:
        return (_NUMBER_WORDS[written],)
    if written and all(character in _HAN_DIGITS or character in "十百" for character in written):
        return (str(_han_number(written)),)
    value = roman_value(written)
    return (written,) if value is None else (str(value), written)


def roman_value(written: str) -> int | None:
    """Give the value of a Roman numeral below 400 in lower case; None for anything else."""
    if not written or not _ROMAN.fullmatch(written):
        return None
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[letter] for letter in written]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _all_places(written: str) -> Iterator[Place]:
    # Characters that fold to several stay as they are, so that both spellings have the same positions.
    text = "".join(folded if len(folded := character.casefold()) == 1 else character for character in written)
    for match in _LATIN.finditer(text):
        kind = _KIND_OF_WORD[match["kind"]]
        if match["first"] in {"a", "i"} and " " in match[0] and not _is_letter(match, kind, written):
            continue
        more = match["more"]
        span = _PAGE_RANGE.match(match["first"] + more) if kind == "page" else None
        if span is not None and int(span[1]) < int(span[2]) <= int(span[1]) + _LONGEST_RANGE:
            for number in range(int(span[1]), int(span[2]) + 1):
                yield Place(kind, (str(number),))
            continue
        yield Place(kind, number_readings(match["first"]))
        for number in re.findall(r"(?:,|and|&|or)\s?(" + _NUMBER + ")", more):
            yield Place(kind, number_readings(number))
    for match in _ORDINAL.finditer(text):
        yield Place("page" if match["kind"] == "slide" else match["kind"], (_ORDINALS[match["first"]],))
    for match in _CJK.finditer(text):
        yield Place(_CJK_UNITS[match["kind"]], number_readings(match["first"]))
    for match in _CJK_LABELLED.finditer(text):
        yield Place(_CJK_LABELS[match["kind"]], number_readings(match["first"]))


def _is_letter(match: re.Match[str], kind: str, written: str) -> bool:
    """Whether "a" or "i" after the name of a part is its letter, not an article or a pronoun.

    "annex a", "item A", "what is in part i?" and "part I of the act" name parts; "figure a way", "section I wrote" and
    "schedule a call" do not.
    """
    if match["more"] or _ENDS_NAME.match(written, match.end()):
        return True
    if match["first"] == "i":
        return written[match.start("kind")].isupper()
    return written[match.start("first")] == "A" or match["kind"] in _LETTERED_WORDS


def _han_number(written: str) -> int:
    total, digit = 0, 0
    for character in written:
        if character == "百":
            total, digit = total + (digit or 1) * 100, 0
        elif character == "十":
            total, digit = total + (digit or 1) * 10, 0
        else:
            digit = digit * 10 + _HAN_DIGITS[character] if digit else _HAN_DIGITS[character]
    return total + digit
