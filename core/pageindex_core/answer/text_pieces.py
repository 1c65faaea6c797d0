"""Pieces of a JSON reply, as they arrive, to pieces of the answer that stands in it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from pageindex_core.records import Event

T = TypeVar("T")

_START = re.compile(r'"answer"\s*:\s*"')
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])")


class AnswerText:
    """Takes the pieces of a reply, gives the new characters of its ``answer``; of a reply in plain text, all of it."""

    def __init__(self) -> None:
        self._raw = ""
        self._at: int | None = None
        self._ended = False

    def feed(self, piece: str) -> str:
        """Take a piece; give what it adds to the answer."""
        self._raw += piece
        if self._ended:
            return ""
        if self._at is None:
            start = self._raw.lstrip()[:1]
            if start and start not in "{`[":
                self._at, self._ended = 0, False
                return self._plain()
            opened = _START.search(self._raw)
            if opened is None:
                return ""
            self._at = opened.end()
        return self._plain() if self._is_plain() else self._quoted()

    def _is_plain(self) -> bool:
        return self._raw.lstrip()[:1] not in ("{", "`", "[")

    def _plain(self) -> str:
        at = self._at or 0
        self._at = len(self._raw)
        return self._raw[at:]

    def _quoted(self) -> str:
        """Read the JSON string on from where it was left; an escape or half a surrogate pair waits for its rest."""
        out: list[str] = []
        at = self._at or 0
        while at < len(self._raw):
            sign = self._raw[at]
            if sign == '"':
                self._ended = True
                break
            if sign != "\\":
                out.append(sign)
                at += 1
                continue
            taken = _escape_at(self._raw, at)
            if not taken:
                break
            out.append(_decoded(taken))
            at += len(taken)
        self._at = at
        return "".join(out)


def answer_pieces(told: Iterator[Event | T]) -> Iterator[Event | T]:
    """Give what is told, with ``text`` events that hold the answer's own characters."""
    text = AnswerText()
    for one in told:
        if isinstance(one, Event) and one.kind == "text":
            piece = text.feed(one.text)
            if piece:
                yield Event("text", piece)
        else:
            yield one


async def aanswer_pieces(told: AsyncIterator[Event | T]) -> AsyncIterator[Event | T]:
    """Do what ``answer_pieces`` does."""
    text = AnswerText()
    async for one in told:
        if isinstance(one, Event) and one.kind == "text":
            piece = text.feed(one.text)
            if piece:
                yield Event("text", piece)
        else:
            yield one


def _escape_at(raw: str, at: int) -> str:
    """Give the whole escape that starts here, both halves of a surrogate pair; empty while it is not complete."""
    found = _ESCAPED.match(raw, at)
    if found is None:
        return ""
    if re.fullmatch(r"\\u[dD][89abAB][0-9a-fA-F]{2}", found[0]):
        second = _ESCAPED.match(raw, found.end())
        return "" if second is None else found[0] + second[0]
    return found[0]


def _decoded(escape: str) -> str:
    try:
        text: str = json.loads(f'"{escape}"')
    except ValueError:
        return escape[1:]
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
