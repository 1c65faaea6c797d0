"""The form in which lines are compared between pages: what differs only in numbers is alike."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"\d+")
ROMAN = frozenset("ivxlc")
"""Letters of the numbers of front matter."""

_ASCII_ZEROS = bytes(ord("0") if chr(code).isdigit() else code for code in range(128)) + bytes(128)


def fold_digits(text: str) -> str:
    """Give the text with every number as "0", so that "Page 4" and "Page 5" are the same line.

    A small Roman numeral at either end counts as well: front matter is numbered so, under the same running heads.
    """
    text = text.strip()
    if text[-1:] in ROMAN:
        head, space, last = text.rpartition(" ")
        text = f"{head}{space}0" if ROMAN.issuperset(last) else text
    if text[:1] in ROMAN:
        first, space, tail = text.partition(" ")
        text = f"0{space}{tail}" if ROMAN.issuperset(first) else text
    if not text.isascii():
        return _DIGITS.sub("0", text)
    # Every line of a document comes by here, and this takes a third of the time.
    text = text.encode().translate(_ASCII_ZEROS).decode()
    while "00" in text:
        text = text.replace("00", "0")
    return text
