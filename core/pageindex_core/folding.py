"""Texts as every stage compares and measures them: letters and digits alone, ligatures spelt out, wide characters."""

from __future__ import annotations

import re

LIGATURE_SIGNS = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
LIGATURES = str.maketrans(dict(zip(LIGATURE_SIGNS, ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)))
"""For ``str.translate``: ligatures spelt out."""

_WIDE = re.compile("[\u2e81-\U0010ffff]")
"""Characters that are as wide as high."""

_NOT_WORD = re.compile(r"[\W_]+")
_ASCII_LOWER = bytes(range(128)).lower() + bytes(128)
_ASCII_NOT_WORD = bytes(code for code in range(128) if not chr(code).isalnum())


def squash(text: str) -> str:
    """Give the letters and digits alone, case folded: titles are compared without spacing and punctuation."""
    if text.isascii():  # a ninth of the time, and most lines are
        return text.encode().translate(_ASCII_LOWER, _ASCII_NOT_WORD).decode()
    return _NOT_WORD.sub("", text.casefold())


def width_of(text: str) -> int:
    """Give the width of a text in narrow characters; those of Chinese, Japanese and Korean are two wide."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))
