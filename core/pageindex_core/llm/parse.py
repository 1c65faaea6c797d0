"""JSON out of what a model wrote, and whether it follows the schema asked for.

Models put JSON into fences and sentences, leave commas and quotes wrong, and stop in the middle. What they meant is
read where it is plain; nothing is made up: a value cut in the middle is dropped, not completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 64
"""Deeper replies are refused: our schemas are three deep, and a reply must not exhaust the stack."""
MAX_STARTS = 100
"""Brackets tried as the start of a value, so that a reply full of open ones is given up in bounded time."""

_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CLOSERS = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019"}
_STOPS = {closer: re.compile(rf"{closer}|\\(?=.)", re.DOTALL) for closer in _CLOSERS.values()}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_AFTER_STRING = re.compile(r"\s*(?:[,:\]}]|\Z)")
_OPENER = re.compile(r"[\[{]")


class JsonNotFoundError(ValueError):
    """A reply that holds no JSON value."""


class _Cut(Exception):
    """The text ended inside a value; ``value`` is what was whole, or ``_NOTHING``."""

    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


class _Broken(Exception):
    """Not JSON, not even nearly."""


_NOTHING = object()


def parse_json(text: str) -> Any:
    """Give the JSON value of a reply.

    Strict JSON is taken as it is. Else the largest object or array in the text is read tolerantly: fences, prose
    around, comments, single or curly quotes, bare keys, trailing and missing commas, Python's words; of a reply that
    breaks off, what was whole.

    Raises:
        JsonNotFoundError: no object, no array, and the whole text is not a JSON value either.
    """
    text = _THOUGHT.sub("", text.lstrip("\ufeff")).strip()
    for whole in (text, *(found.strip() for found in _FENCE.findall(text))):
        try:
            return json.loads(whole, strict=False)
        except (ValueError, RecursionError):
            continue
    best: tuple[int, Any] | None = None
    for length, value in _values(text):
        if best is None or length > best[0]:
            best = (length, value)
    if best is None:
        raise JsonNotFoundError(f"No JSON value in a reply of {len(text)} characters.")
    return best[1]


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Give each top-level object and array in the text with the length it takes."""
    at = 0
    for _ in range(MAX_STARTS):
        found = _OPENER.search(text, at)
        if found is None:
            return
        start = found.start()
        reader = _Reader(text, start)
        try:
            value = reader.value(0)
        except _Cut as cut:
            if cut.value is not _NOTHING and cut.value not in ({}, []):
                yield len(text) - start, cut.value
            at = start + 1
        except _Broken:
            at = start + 1
        else:
            yield reader.at - start, value
            at = reader.at


class _Reader:
    """Reads one value, forgiving what is plain."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _Broken
        sign = self._peek()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign in _CLOSERS:
            return self._string()
        return self._scalar()

    def _peek(self) -> str:
        """Skip spaces and comments, give the next character."""
        if skipped := _SPACE.match(self.text, self.at):
            self.at = skipped.end()
        if self.at >= len(self.text):
            raise _Cut(_NOTHING)
        return self.text[self.at]

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        try:
            while (sign := self._peek()) != "]":
                if sign == ",":
                    self.at += 1
                    continue
                items.append(self.value(depth + 1))
        except _Cut as cut:
            raise _Cut([*items, cut.value] if cut.value not in (_NOTHING, {}, []) else items) from None
        self.at += 1
        return items

    def _object(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        key: str | None = None
        self.at += 1
        try:
            while (sign := self._peek()) != "}":
                if sign == ",":
                    self.at += 1
                    continue
                key = None
                key = self._key()
                if self._peek() not in ":=":
                    raise _Broken
                self.at += 1
                pairs[key] = self.value(depth + 1)
        except _Cut as cut:
            if key is not None and key not in pairs and cut.value not in (_NOTHING, {}, []):
                pairs[key] = cut.value
            raise _Cut(pairs) from None
        self.at += 1
        return pairs

    def _key(self) -> str:
        if self._peek() in _CLOSERS:
            return self._string()
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise _Broken
        self.at = word.end()
        return word.group()

    def _string(self) -> str:
        closer = _CLOSERS[self.text[self.at]]
        parts: list[str] = []
        at = self.at + 1
        while found := _STOPS[closer].search(self.text, at):
            parts.append(self.text[at : found.start()])
            at = found.end()
            if found.group() != closer:
                taken, piece = _escape(self.text, found.start())
                parts.append(piece)
                at = found.start() + taken
            elif self._closes(found.start(), closer):
                self.at = at
                return _joined_surrogates("".join(parts))
            else:
                parts.append(closer)
        raise _Cut(_NOTHING)

    def _closes(self, at: int, closer: str) -> bool:
        """Tell whether an apostrophe ends a string, or stands in a word as in 'the driver's seat'."""
        if closer not in "'\u2019":
            return True
        return _AFTER_STRING.match(self.text, at + 1) is not None

    def _scalar(self) -> Any:
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            if self.at == len(self.text):
                raise _Cut(_NOTHING)  # perhaps the first digits of a longer one
            return _number(number.group())
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise _Broken
        if word.group() not in _WORDS:
            if word.end() == len(self.text):
                raise _Cut(_NOTHING)
            raise _Broken
        self.at = word.end()
        return _WORDS[word.group()]


def _number(text: str) -> int | float | str:
    """Give the number; ``0012`` is an id that lost its quotes, so it stays text."""
    try:
        value: int | float = json.loads(text)
    except ValueError:
        return text
    return value


def _joined_surrogates(text: str) -> str:
    """Give the text with escaped surrogate pairs as the characters they mean, and single ones replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(text: str, at: int) -> tuple[int, str]:
    """Give how many characters an escape takes, and what it means."""
    sign = text[at + 1]
    if sign == "u":
        found = _HEX.match(text, at + 2)
        if found:
            return 6, chr(int(found.group(), 16))
    return 2, _ESCAPES.get(sign, sign)
