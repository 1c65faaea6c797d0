"""Mends what text extraction leaves behind: control characters, stray marks, words split at line ends."""

from __future__ import annotations

import re
from dataclasses import replace

from pageindex_core.records import Line, Page

SPLIT_MARK = "\ufffe"
"""PDFium writes this non-character, and no line end, where a line ends in a hyphen."""

_DIRTY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\uffff\ud800-\udfff]")
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)
_NEEDS_REPAIR = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufb00-\ufb06\ufeff\ufffe\uffff\ud800-\udfff]"
)
_SPACES = re.compile(r"[\t ]+")
_SPLIT_TAIL = re.compile(r"([^\W\d_]+)-$")
_SPLIT_HEAD = re.compile(r"([^\W\d_]+)(\S*)\s*")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def repair_line(text: str) -> str:
    """Give a line without control characters and lone surrogates, ligatures spelt out, spaces single, trimmed.

    The mark of a split word becomes the hyphen that is printed.
    """
    if "  " not in text and _NEEDS_REPAIR.search(text) is None:
        return text.strip()
    text = text.replace(SPLIT_MARK, "-").replace("\x02", "-")
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _SPACES.sub(" ", _DIRTY.sub("", text).translate(_LIGATURES)).strip()


def join_split_words(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Put words back together that a hyphen splits over two lines of a page.

    The rest of the word moves up, so that every word can be found and quoted. The hyphen stays where the document
    writes that compound with a hyphen elsewhere, and before a capital or a digit.
    """
    splits = [
        (page_index, line_index)
        for page_index, page in enumerate(pages)
        for line_index, line in enumerate(page.lines[:-1])
        if line.text.endswith("-")
    ]
    if not splits:
        return pages
    compounds = {
        word.casefold()
        for page in pages
        for line in page.lines
        if "-" in line.text
        for word in _WORD.findall(line.text)
    }
    changed: dict[int, list[Line]] = {}
    for page_index, line_index in splits:
        lines = changed.setdefault(page_index, list(pages[page_index].lines))
        tail = _SPLIT_TAIL.search(lines[line_index].text)
        head = _SPLIT_HEAD.match(lines[line_index + 1].text)
        if tail is None or head is None or not head[1][0].islower():
            continue
        keep_hyphen = f"{tail[1]}-{head[1]}".casefold() in compounds
        start = lines[line_index].text[: None if keep_hyphen else -1]
        lines[line_index] = lines[line_index]._replace(text=start + head[1] + head[2])
        lines[line_index + 1] = lines[line_index + 1]._replace(text=lines[line_index + 1].text[head.end() :])
    return tuple(
        replace(page, lines=tuple(line for line in changed[index] if line.text)) if index in changed else page
        for index, page in enumerate(pages)
    )
