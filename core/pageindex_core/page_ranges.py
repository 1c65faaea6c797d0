"""Reads what people write for pages: "5", "3,7,10", "5-10", "1-3,7", "label:iv"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pageindex_core.errors import OptionError

FORMS = 'Write "5", "3,7,10", "5-10" or "1-3,7"; "label:iv" or "label:ii-iv" for what is printed on the page.'
"""The accepted forms, for messages and for help."""

LABEL = "label:"
"""Opens a page label; it reaches to the next comma."""

LAST_NUMBER = 10**12
"""What larger numbers are read as: no document has as many pages, and Python reads no integer of over 4,300 digits."""

_RANGE = re.compile(r"(\d+)(?:\s*[-\u2010-\u2015]\s*(\d+))?")


def select_pages(text: str, labels: Sequence[str | None]) -> tuple[list[int], list[str]]:
    """Give the physical pages that a text names, ascending and each once, and the parts of it that name none.

    A range that starts inside the document and ends past it gives what exists and is named among the parts as well.

    Args:
        text: What a person wrote.
        labels: The label of each page of the document, in order; a page without one answers to its number.

    Raises:
        OptionError: the text has another form, or a range runs backwards.
    """
    parts = [part.strip() for part in text.split(",")]
    numbers: set[int] = set()
    missing: list[str] = []
    for part in parts:
        if part.lower().startswith(LABEL):
            found, complete = _labelled(part[len(LABEL) :].strip(), labels), True
        else:
            first, last = _bounds(part, text)
            found = range(max(first, 1), min(last, len(labels)) + 1)
            complete = len(found) == last - first + 1
        numbers.update(found)
        if not (found and complete):
            missing.append(part)
    return sorted(numbers), missing


def read_page_number(digits: str) -> int:
    """Give a number written in digits, however many there are; at most ``LAST_NUMBER``."""
    digits = digits.lstrip("0") or "0"
    return LAST_NUMBER if len(digits) > len(str(LAST_NUMBER)) else min(int(digits), LAST_NUMBER)


def _bounds(part: str, text: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise OptionError(f"Pages {text!r} cannot be read.", f"{part!r} is no page and no range of pages.", FORMS)
    first = read_page_number(match[1])
    last = read_page_number(match[2] or match[1])
    if last < first:
        raise OptionError(f"Pages {text!r} cannot be read.", f"{part!r} runs backwards.", f'Write "{last}-{first}".')
    return first, last


def _labelled(label: str, labels: Sequence[str | None]) -> Sequence[int]:
    """Find a label, or a range of labels: "A-3" is looked for as it stands before it is taken apart at its hyphen."""
    shown = [known or str(number) for number, known in enumerate(labels, start=1)]
    exact = [number for number, known in enumerate(shown, start=1) if known == label]
    if exact:
        return exact
    for hyphen in re.finditer("[-\u2010-\u2015]", label):
        first, last = label[: hyphen.start()].strip(), label[hyphen.end() :].strip()
        if first in shown and last in shown and shown.index(first) <= shown.index(last):
            return range(shown.index(first) + 1, shown.index(last) + 2)
    return []
