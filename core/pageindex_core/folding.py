"""The form in which titles and lines are compared, in every stage: letters and digits alone, without case."""

from __future__ import annotations

import re

_NOT_WORD = re.compile(r"[\W_]+")
_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)
_ASCII_NOT_WORD = bytes(code for code in range(128) if not chr(code).isalnum())


def squash(text: str) -> str:
    """Give the letters and digits alone, case folded: titles are compared without spacing and punctuation."""
    if text.isascii():  # a ninth of the time, and most lines are
        return text.encode().translate(_ASCII_LOWER, _ASCII_NOT_WORD).decode()
    return _NOT_WORD.sub("", text.casefold())
