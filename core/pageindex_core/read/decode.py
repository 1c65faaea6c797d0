"""Takes the bytes of a text file, gives its lines, clean enough to store, search and show."""

from __future__ import annotations

import codecs
import re

from pageindex_core.errors import EmptySourceError
from pageindex_core.read.source import Source
from pageindex_core.records import Note

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the first half of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LINE_END = re.compile(r"\r\n|\r|\n")
"""Source: CommonMark 0.31, section 2.1. Not ``str.splitlines``, which also splits at characters that editors and
Markdown parsers do not count as line ends, and so shifts line numbers."""

_SEPARATOR = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
"""Control characters that stand between words: a space takes their place."""

_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad]")
"""Control characters and soft hyphens: removed. Tabs stay, since they indent."""

_SURROGATE = re.compile("[\ud800-\udfff]")

_GOOD_FOR_EACH_BAD = 4
"""Text that is not quite UTF-8 is still read as UTF-8 when it holds this many well-formed multi-byte characters for
each broken one; in another encoding such characters come about by accident only."""


def read_source_lines(source: Source) -> tuple[list[str], list[Note]]:
    """Give the lines of a text source as they are, without line ends, and what decoding had to guess.

    Raises:
        EmptySourceError: no visible character in it.
    """
    text, notes = decode(source.data)
    lines = split_lines(text)
    if not any(clean_line(line).strip() for line in lines):
        raise EmptySourceError(
            f"{source.name} has no text.", "It holds blank lines at most.", "Check how the file was made or copied."
        )
    return lines, notes


def decode(data: bytes) -> tuple[str, list[Note]]:
    """Give the text of bytes: by byte order mark, else as UTF-8, else as Windows-1252, with a note on any guess."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(character > "\x7f" for character in text) - bad
    if good >= bad * _GOOD_FOR_EACH_BAD:
        return text, [_broken_bytes("utf-8", bad)]
    try:
        text, encoding = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "ISO 8859-1"
    message = f"The text is not UTF-8 and was read as {encoding}; accented or non-Latin letters may be wrong."
    return text, [Note("encoding_guessed", message)]


def split_lines(text: str) -> list[str]:
    """Give the lines of a text without their ends; a line end at the very end opens no further line."""
    lines = _LINE_END.split(text)
    if not lines[-1]:
        del lines[-1]
    return lines


def clean_line(line: str) -> str:
    """Give a line without control characters, soft hyphens and halves of characters; tabs and spaces stay."""
    if line.isascii() and line.isprintable():
        return line
    line = line.strip("\f")  # the page break itself; it separates no words there
    if line.endswith("\xad"):
        line = line[:-1] + "-"  # at a line end a soft hyphen is printed
    line = _INVISIBLE.sub("", _SEPARATOR.sub(" ", line))
    return _SURROGATE.sub("\ufffd", line)


def _decode_marked(data: bytes, encoding: str) -> tuple[str, list[Note]]:
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return text, [_broken_bytes(encoding, text.count("\ufffd"))]


def _broken_bytes(encoding: str, count: int) -> Note:
    message = f"{count:,} places are not valid {encoding.upper()} and were replaced by U+FFFD."
    return Note("bytes_undecodable", message)
