"""Numbering schemes as grammars: what number opens a line, of which kind, how deep, with which value.

Latin, Korean, Chinese and Japanese forms are read into one record, so that every rule above this module speaks of
kinds, depths and values and never of a script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, cast

from pageindex_core.outline.number_words import BEHIND, BEHIND_ORDINAL, BEHIND_STOP, INSERTED, ORDINALS, WORDS

Kind = Literal[
    "part", "chapter", "item", "section", "subsection", "article", "note", "appendix", "decimal", "roman", "letter",
    "paren", "han",
]  # fmt: skip

WORDED_KINDS: frozenset[Kind] = frozenset(
    ("part", "chapter", "item", "section", "subsection", "article", "note", "appendix")
)
"""Kinds with a word of their own."""

_RANK: dict[Kind, int] = {
    "part": 0,
    "appendix": 1,
    "chapter": 1,
    "item": 2,
    "section": 2,
    "subsection": 3,
    "article": 5,
    "note": 5,
    "roman": 2,
    "han": 2,
    "letter": 3,
    "decimal": 2,
    "paren": 6,
}

_HAN_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "百": 100,
    "十": 10,
}
_EAST_KINDS: dict[str, Kind] = {
    "编": "part", "編": "part", "部": "part", "篇": "part", "卷": "part", "편": "part",
    "章": "chapter", "장": "chapter",
    "节": "section", "節": "section", "절": "section",
    "관": "subsection", "款": "subsection", "목": "subsection", "目": "subsection",
    "条": "article", "條": "article", "조": "article",
}  # fmt: skip

_INSERTED = rf"(?:[ -]?(?:{'|'.join(INSERTED)})\b)?"
_ADDED = r"-?[A-Z]\b|[a-z]\b|\s[a-z](?=\s*$|\s*[.:–—]|\s+[^\W\d_a-zß-ÿ])"
"""The letter of an article that was inserted later: 12a, 103-A, "12 a Title"."""
_WORDED = re.compile(
    r"(?P<word>[^\W\d_]+(?:-[^\W\d_]+)?\.?)\s+"
    rf"(?P<value>\d{{1,4}}(?:\.\d{{1,3}})*(?:\.?[ºª°]|er\b|[A-Za-z]\b)?{_INSERTED}|[IVXLC]{{1,6}}|[A-Z]|[^\W\d_]{{3,12}})"
    r"(?P<end>[.:)\s–—-]+|$)(?P<title>.*)",
    re.DOTALL,
)
_ARTICLE = re.compile(
    r"(?P<word>[^\W\d_]+\.?)\s+"
    rf"(?P<value>(?:[LRDA]\*?\.?\s?)?\d{{1,4}}(?:[.-]\d{{1,3}})*(?:\.?[ºª°o]\b|\.?[ºª°]|er\b|{_ADDED})?{_INSERTED})"
    r"(?P<end>[.:)\s–—-]+|(?=\()|$)(?P<title>.*)",
    re.DOTALL,
)
"""Articles count on through a code, to thousands, or by book, title and chapter: "Article L. 111-1"."""
_PARAGRAPH = re.compile(
    rf"§\s*(?P<value>\d{{1,4}}(?:[.-]\d{{1,4}})*(?:{_ADDED})?{_INSERTED})(?P<end>[.:)\s–—-]+|(?=\()|$)(?P<title>.*)",
    re.DOTALL,
)
"""Sections of statutes by their sign; two signs refer to several."""
_BEHIND = re.compile(
    rf"(?:(?P<value>\d{{1,3}})(?:\.\s+(?:{'|'.join(BEHIND_STOP)})|\.?\s+(?:{'|'.join(BEHIND)}))"
    rf"|(?P<ordinal>[^\W\d_]{{4,12}})\s+(?:{'|'.join(BEHIND_ORDINAL)}))"
    r"(?P<end>\s*[:–—-]\s*|\s+(?=[^\W\d_])|$)(?P<title>(?![a-zß-ÿ]).*)",
    re.DOTALL,
)
"""Behind such a word a sentence goes on in small letters ("5. Teil der Studie")."""
_LETTERS_BEHIND = frozenset({word[0] for word in (*BEHIND, *BEHIND_STOP)} | set("§abcdefgh"))
"""What follows their number: the first letters of the words, the sign, or the letter of an inserted section."""
_NORDIC = re.compile(r"(?P<value>\d{1,3}(?:\s?[a-z])?)\s?§(?P<end>[.:)\s–—-]+|$)(?P<title>.*)", re.DOTALL)
_DECIMAL = re.compile(
    r"(?P<value>\d{1,3}(?:\.\d{1,3}){1,5}-\d{1,3}|(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z]\.\d{1,3}(?:\.\d{1,3}){0,4}|[A-Z](?:-\d{1,3}){1,3})"
    r"(?P<end>\.?\)?(?:\s+|(?=[^\W\d_]{2})|$)|\.\s*)(?P<title>.*)",
    re.DOTALL,
)
_ROMAN = re.compile(r"(?P<value>[IVXLC]{1,7})(?P<end>[.)]\s+|\s+[–—-]\s+)(?P<title>\S.*)", re.DOTALL)
_LETTER = re.compile(r"(?P<value>[A-Z])(?P<end>[.)]\s+)(?P<title>\S.*)", re.DOTALL)
_PAREN = re.compile(
    r"[(（](?P<value>\d{1,3}|[a-z]{1,5}|[A-Z]|[一二三四五六七八九十]{1,3}|[가-하])[)）]\s*(?P<title>.*)", re.DOTALL
)
_EAST = re.compile(
    r"(?:第\s*(?P<han>[〇零一二三四五六七八九十百两\d０-９]{1,6}|[IVX]{1,5}|[Ⅰ-Ⅻ])\s*(?P<unit>[编編部篇卷章节節款目条條])"
    r"|제\s*(?P<ko>\d{1,4}|[IVX]{1,5}|[Ⅰ-Ⅻ])\s*(?P<kounit>[편장절관목조])(?:의\s*(?P<sub>\d{1,3}))?)"
    r"(?P<title>.*)",
    re.DOTALL,
)
_SUPPLEMENT = re.compile(r"(?P<word>부\s*칙|附\s*[則则])\s*(?P<title>[<〈(（].{1,80}[>〉)）]|抄)?\s*$")
"""What stands at the end of East Asian statutes, unnumbered; the act that brought it follows in brackets."""
_APPENDED = "부附付별別[【"
"""What these and the next begin with."""
_EAST_APPENDIX = re.compile(
    r"[\[【]?(?:附录|附錄|附件|附表|付録|부록|별표|별지|別表)\s*第?"
    r"(?P<value>\d{1,3}|[A-Z]|[一二三四五六七八九十]{1,3})(?:[\]】\s.:：]+|(?=[（(])|$)(?P<title>.*)",
    re.DOTALL,
)
_MOST = 999
"""Sections of acts and articles of codes alone have longer numbers; others that long are years."""
_FIRST_IDEOGRAPH = "\u2e80"
"""What comes before is written in letters."""
_REMEMBERED = 2048
"""Lines whose number is remembered: several rules ask for that of a line while its page is looked at."""

_KOREAN_LETTERS = "가나다라마바사아자차카타파하"
_KOREAN_LETTER = re.compile(rf"(?P<value>[{_KOREAN_LETTERS}])[.)]\s+(?P<title>\S.*)", re.DOTALL)
_HAN_LIST = re.compile(r"(?P<value>[一二三四五六七八九十]{1,3})[、．.]\s*(?P<title>\S.*)", re.DOTALL)
_SUPPLEMENTARY = "supplement"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


class Number(NamedTuple):
    """The number that opens a heading. A tuple, since tables hold thousands."""

    kind: Kind
    depth: int
    """1 for "3", 2 for "3.1"; always 1 for kinds that do not nest within themselves."""
    value: tuple[int, ...]
    """The number in digits: (3, 1) for "3.1", (4, 2) for 제4조의2; letters count from 1."""
    title: str
    """What follows the number."""
    label: str
    """The number as printed, with its word: "Item 7A", "3.1"."""
    form: str = ""
    """``digit``, ``letter``, ``roman`` or ``han`` of letters and bracketed numbers: each form is its own series. For
    ``supplement`` see ``is_supplement``."""

    @property
    def is_supplement(self) -> bool:
        """Whether it is what stands at the end of a statute, which has no number."""
        return self.form == _SUPPLEMENTARY

    @property
    def letters(self) -> str:
        """The Latin letters of a Roman number or letter; empty for every other number."""
        bare = self.label.strip("()（）")
        return bare if self.kind in ("paren", "roman", "letter") and bare.isascii() and bare.isalpha() else ""

    @property
    def letter(self) -> str:
        """The letter of a number of one letter, which may be a Roman number too; empty for every other number."""
        return self.letters if len(self.letters) == 1 else ""

    @property
    def rank(self) -> int:
        """Usual height of the kind: 0 for parts, growing downwards."""
        return _RANK[self.kind] + self.depth - 1


@lru_cache(maxsize=_REMEMBERED)
def parse_number(text: str) -> Number | None:
    """Read the number that opens a line; None when none does."""
    first = text[:1]
    if first.isascii() and first.isalpha():  # as most lines do
        if text[1:2] in (".", "-") and text[2:3].isdigit() and first.isupper():
            return _parse_decimal(text)
        return _parse_worded(text) or _parse_roman_or_letter(text)
    if not first:
        return None
    if first in "第제":
        return _parse_east(text)
    if first in "(（":
        return _parse_paren(text)
    if first.isdigit():
        return _parse_decimal(text)
    if first == "§":
        match = _PARAGRAPH.match(text)
        return _article(match, f"§ {match['value']}") if match else None
    if first in _APPENDED:
        return _parse_appended(text)
    if first in _KOREAN_LETTERS:
        match = _KOREAN_LETTER.match(text)
        value = (_KOREAN_LETTERS.index(first) + 1,)
        return Number("letter", 1, value, match["title"].strip(), first) if match else None
    match = _HAN_LIST.match(text) if first in _HAN_DIGITS else None
    if match:
        return Number("han", 1, (han_number(match["value"]),), match["title"].strip(), match["value"])
    return _parse_worded(text) if first.isalpha() and first < _FIRST_IDEOGRAPH else None


def runs_on(values: Sequence[tuple[int, ...]]) -> bool:
    """Whether numbers follow each other as in a sequence, restarts and single gaps allowed."""
    if len(values) < 2:
        return len(values) == 1
    steps = sum(
        later[:-1] != earlier[:-1] or 0 < later[-1] - earlier[-1] <= 2 or later[-1] == 1
        for earlier, later in pairwise(values)
    )
    return steps >= 0.6 * (len(values) - 1)


def roman_number(text: str) -> int | None:
    """The value of a roman numeral in capitals or small letters; None when it is none."""
    total = 0
    previous = 0
    for char in reversed(text.upper()):
        value = _ROMAN_VALUES.get(char)
        if value is None:
            return None
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total if total > 0 and to_roman(total) == text.upper() else None


def to_roman(value: int) -> str:
    """A number below 400 as roman numeral, capitals."""
    out = []
    for size, sign in (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        count, value = divmod(value, size)
        out.append(sign * count)
    return "".join(out)


def han_number(text: str) -> int:
    """The value of a number in Han characters or digits: 十二 is 12, 二十 is 20, 一百零三 is 103."""
    if text.isdigit() and text.translate(str.maketrans("０１２３４５６７８９", "0123456789")).isascii():
        return int(text)
    total = current = 0
    for char in text:
        value = _HAN_DIGITS.get(char, 0)
        if value >= 10:
            total += max(current, 1) * value
            current = 0
        else:
            current = current * 10 + value if current else value
    return total + current


def _parse_east(text: str) -> Number | None:
    match = _EAST.match(text)
    if match is None:
        return None
    title = match["title"].strip()
    if match["han"]:
        value: tuple[int, ...] = (_east_value(match["han"]),)
        kind = _EAST_KINDS[match["unit"]]
    else:
        value = (_east_value(match["ko"]), *((int(match["sub"]),) if match["sub"] else ()))
        kind = _EAST_KINDS[match["kounit"]]
    depth = 2 if (match["unit"] or match["kounit"]) in "목目" else 1
    return Number(kind, depth, value, title, text[: match.start("title")].strip())


def _east_value(text: str) -> int:
    """The value of digits, Han characters or a Roman numeral, be that one character."""
    roman = roman_number(unicodedata.normalize("NFKC", text)) if text[0] in "IVX" or "Ⅰ" <= text[0] <= "Ⅻ" else None
    return han_number(text) if roman is None else roman


def _parse_appended(text: str) -> Number | None:
    match = _SUPPLEMENT.match(text)
    if match is not None:
        return Number("part", 1, (1,), (match["title"] or "").strip(), match["word"], _SUPPLEMENTARY)
    match = _EAST_APPENDIX.match(text)
    if match is None:
        return None
    value = match["value"]
    number = ord(value) - 64 if value.isascii() and value.isalpha() else han_number(value)
    return Number("appendix", 1, (number,), match["title"].strip(), text[: match.start("title")].strip())


def _parse_paren(text: str) -> Number | None:
    match = _PAREN.match(text)
    if match is None:
        return None
    value = match["value"]
    number, form = _bracketed(value)
    return Number("paren", 1, (number,), match["title"].strip(), f"({value})", form)


def _bracketed(value: str) -> tuple[int, str]:
    """Value and form of a number in brackets; a single letter is read as one, its neighbours may know better."""
    if value.isdigit():
        return int(value), "digit"
    if value in _KOREAN_LETTERS:
        return _KOREAN_LETTERS.index(value) + 1, "letter"
    if not value.isascii():
        return han_number(value), "han"
    roman = roman_number(value) if len(value) > 1 else None
    return (roman, "roman") if roman is not None else (ord(value[0]) % 32, "letter")


def _parse_decimal(text: str) -> Number | None:
    match = _DECIMAL.match(text)
    if match is None:
        return None
    title = match["title"].strip()
    if title[:1] in _LETTERS_BEHIND and (behind := _parse_behind(text)) is not None:
        return behind
    parts = re.split(r"[.-]", match["value"])
    value = tuple(int(part) if part.isdigit() else ord(part) - 64 for part in parts if part)
    return Number("decimal", len(value), value, title, match["value"])


def _parse_worded(text: str) -> Number | None:
    word = text.split(None, 1)[0].lower() if text[0].isupper() else ""
    kind = _kind_of(word)
    if kind is None:
        return _parse_behind(text) if word in ORDINALS else None
    match = _ARTICLE.match(text) if kind == "article" else None
    if match is not None:
        return _article(match, f"{match['word']} {match['value']}")
    match = _WORDED.match(text)
    value = _worded_value(match["value"]) if match is not None else None
    if match is None or value is None or (value[0] > _MOST and kind != "section"):
        return None
    return Number(kind, len(value) if kind in ("section", "appendix") else 1, value, match["title"].strip(),
                  f"{match['word']} {match['value']}")  # fmt: skip


def _parse_behind(text: str) -> Number | None:
    """Read a number that stands before its word ("2. Abschnitt", "Erster Teil"), or before the sign of a section."""
    match = _NORDIC.match(text) if "§" in text[:8] else None
    if match is not None:
        return _article(match, f"{match['value']} §")
    match = _BEHIND.match(text)
    if match is None:
        return None
    label = text[: match.start("end")]
    kind, value = _kind_of(label.split()[-1].lower()), _worded_value(match["value"] or match["ordinal"])
    return Number(kind, 1, value, match["title"].strip(), label) if kind is not None and value is not None else None


def _article(match: re.Match[str], label: str) -> Number:
    value = match["value"].rstrip("ºª°")
    value = value[:-1] if value[-2:-1].isdecimal() and value[-1:] == "o" else value  # "Art. 5o" of Brazil
    numbers = tuple(map(int, re.findall(r"\d+", value)))
    tail = re.search(r"[a-z]*$", value.lower())
    added = tail[0] if tail is not None else ""
    inserted: tuple[int, ...] = ()
    if added in INSERTED:
        inserted = (INSERTED.index(added) + 1,)
    elif len(added) == 1:
        inserted = (ord(added) - 96,)
    return Number("article", 1, (*numbers, *inserted), match["title"].strip(), label)


def _kind_of(word: str) -> Kind | None:
    return cast("Kind | None", WORDS.get(word))


def _worded_value(text: str) -> tuple[int, ...] | None:
    if text[0].isdecimal():
        numbers = tuple(map(int, re.findall(r"\d+", text)))
        tail = re.search(r"\d([A-Za-z])$", text)
        return (*numbers, *((ord(tail[1].upper()) - 64,) if tail else ()))
    if text.lower() in ORDINALS:
        return (ORDINALS[text.lower()],)
    roman = roman_number(text) if text.isupper() and text.isascii() else None
    if roman is not None:
        return (roman,)
    return (ord(text) - 64,) if len(text) == 1 and text.isupper() and text.isascii() else None


def _parse_roman_or_letter(text: str) -> Number | None:
    match = _ROMAN.match(text) if text[0] in _ROMAN_VALUES else None
    if match is not None:
        value = roman_number(match["value"])
        if value is not None and (len(match["value"]) > 1 or match["value"] in "IVX"):
            return Number("roman", 1, (value,), match["title"].strip(), match["value"], "roman")
    match = _LETTER.match(text) if text[1:2] in (".", ")") else None
    if match is not None:
        return Number("letter", 1, (ord(match["value"]) - 64,), match["title"].strip(), match["value"], "letter")
    return None
