"""Mends what text extraction leaves behind: control characters, stray marks, words split at line ends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from pageindex_core.folding import LIGATURE_SIGNS, LIGATURES
from pageindex_core.records import Line, Page

SPLIT_MARK = "\ufffe"
"""PDFium writes this non-character, and no line end, where a line ends in a hyphen."""

_DIRTY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\uffff\ud800-\udfff]")
_NEEDS_REPAIR = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufb00-\ufb06\ufeff\ufffe\uffff\ud800-\udfff]"
)
_PAGE_NEEDS_REPAIR = re.compile(
    "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufb00-\ufb06\ufeff\uffff\ud800-\udfff]"
)
_OT1, _T1 = "\x0b\x0c\x0d\x0e\x0f", "\x1b\x1c\x1d\x1e\x1f"
_TEX_SIGNS = dict(zip(_OT1 + _T1, 2 * "\ufb00\ufb01\ufb02\ufb03\ufb04", strict=True))
"""The codes of ff, fi, fl, ffi and ffl in TeX's encodings. Source: the encodings OT1 and T1 of LaTeX's "encguide"."""
_TEX_LIGATURE = re.compile(
    "(?<=[^\\W\\d_])(?:[\x0b\x0c\x0e\x0f\x1b-\x1f]|\r(?!\n))(?=[a-zß-ÿ-])"
    "|(?<=[a-z])[\x0b\x1b](?![\\w\x00-\x09\x0e-\x1f])"  # "off"
    '|(?<![^\\s("\\\\\x10\x12])(?:[\x0c\x1c\x1d]|\r(?!\n))(?=[a-z]{2})'  # "first", "flow"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"[\t ]+")
_SPLIT_TAIL = re.compile(r"((?:[^\W\d_]+-)*)([^\W\d_]+)-$")
_SPLIT_HEAD = re.compile(r"([^\W\d_]+)(\S*)\s*")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")

_LEAST_HALF = 4
"""Letters from which both halves of a split word may be words of their own (cost-, effective); shorter ones are mostly
syllables that happen to be words (in-, formation)."""


def needs_repair(text: str) -> bool:
    """Whether ``repair_line`` has more to do in some line of a text than to trim it and to write hyphens for marks."""
    if "  " in text:
        return True
    if text.replace("\r\n", "").replace(SPLIT_MARK, "").isprintable():  # so are most pages, told in a tenth of the time
        return any(map(text.__contains__, LIGATURE_SIGNS))
    return _PAGE_NEEDS_REPAIR.search(text) is not None


def name_ligatures(text: str) -> str:
    """Give a text with the ligatures of TeX's fonts as signs of their own, each of one character as before.

    Bitmap fonts that do not name their glyphs give the codes of TeX's encodings instead: OT1, where one of them ends
    lines elsewhere, or T1. In its mathematical fonts the same codes are Greek: only within words are they ligatures.
    """
    if not any(map(text.__contains__, "\x0b\x0c\x1b\x1c")):  # ff and fi, without which no page has others
        return text
    return _TEX_LIGATURE.sub(lambda code: _TEX_SIGNS[code[0]], text)


def repair_line(text: str) -> str:
    """Give a line without control characters and lone surrogates, ligatures spelt out, spaces single, trimmed.

    The mark of a split word becomes the hyphen that is printed.
    """
    if "  " not in text and _NEEDS_REPAIR.search(text) is None:
        return text.strip()
    text = text.replace(SPLIT_MARK, "-")
    if _SURROGATE.search(text) is not None:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _SPACES.sub(" ", _DIRTY.sub("", text).translate(LIGATURES)).strip()


def join_split_words(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Put words back together that a hyphen splits over two lines of a page.

    The rest of the word moves up, so that every word can be found and quoted. The hyphen stays in what the document
    shows to be a compound, and before a capital or a digit.
    """
    splits = [
        (page_index, line_index)
        for page_index, page in enumerate(pages)
        for line_index, line in enumerate(page.lines[:-1])
        if line.text.endswith("-")
    ]
    if not splits:
        return pages
    words: _Words | None = None  # made when a split asks for them: many hyphens at line ends are dashes
    changed: dict[int, list[Line]] = {}
    for page_index, line_index in splits:
        lines = changed.setdefault(page_index, list(pages[page_index].lines))
        tail = _SPLIT_TAIL.search(lines[line_index].text.rpartition(" ")[2])
        head = _SPLIT_HEAD.match(lines[line_index + 1].text)
        if tail is None or head is None or not head[1][0].islower():
            continue
        words = words or _Words(pages, splits)
        keep_hyphen = words.is_compound(tail[1], tail[2], head[1])
        start = lines[line_index].text[: None if keep_hyphen else -1]
        lines[line_index] = lines[line_index]._replace(text=start + head[1] + head[2])
        lines[line_index + 1] = lines[line_index + 1]._replace(text=lines[line_index + 1].text[head.end() :], lead=0)
    return tuple(_changed(page, changed[index]) if index in changed else page for index, page in enumerate(pages))


def _changed(page: Page, lines: list[Line]) -> Page:
    """The page with other texts in its lines; lines without text go, and the marks of headings move with theirs."""
    left = [line_index for line_index, line in enumerate(lines) if line.text]
    now = {before: after for after, before in enumerate(left)}
    tags = tuple((now[line_index], level) for line_index, level in page.heading_tags if line_index in now)
    return replace(page, lines=tuple(lines[line_index] for line_index in left), heading_tags=tags)


class _Words:
    """The words that a document writes within a line: what decides how its split words are spelt."""

    def __init__(self, pages: tuple[Page, ...], splits: Iterable[tuple[int, int]]) -> None:
        texts = [[line.text for line in page.lines] for page in pages]
        rests = []
        for page_index, line_index in splits:
            # What follows a line end with a hyphen is the rest of a word and no word, though it may be a compound.
            rest, _, texts[page_index][line_index + 1] = texts[page_index][line_index + 1].partition(" ")
            rests.append(rest)
        self._words = set(_words_in(chain.from_iterable(texts)))
        hyphenated = [word for word in chain(self._words, _words_in(rests)) if "-" in word]
        self._compounds = {match[0] for word in hyphenated for match in _COMPOUND.finditer(word)}

    def is_compound(self, before: str, tail: str, head: str) -> bool:
        """Whether the hyphen between tail and head belongs to the word; ``before`` are parts already hyphenated.

        What is written within a line somewhere decides. Else a word of three parts keeps its hyphens
        (state-of-the-art), and so do two that are words of their own here.
        """
        before, tail, head = before.casefold(), tail.casefold(), head.casefold()
        if f"{before}{tail}-{head}" in self._compounds or f"{tail}-{head}" in self._compounds:
            return True
        if tail + head in self._words or f"{before}{tail}{head}" in self._words:
            return False
        if before:
            return True
        return min(len(tail), len(head)) >= _LEAST_HALF and {tail, head} <= self._words


def _words_in(texts: Iterable[str]) -> list[str]:
    return " ".join(texts).casefold().split()
