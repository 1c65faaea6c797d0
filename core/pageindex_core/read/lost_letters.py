"""Words that lost one f of two ("suf icient", "Of icer"), made whole.

In files that place each letter by itself, PDFium takes a second f that leans over the first for its shadow: it is left
out, and a space found in its place.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import replace

from pageindex_core.records import Page

_TELLING = re.compile(r"f (?:ect|ic(?:e|i[ae]|u)|iliat|er(?:en|ing|ed|s?\b))")
"""The ends of the most usual such words (effect, office, sufficient, difficult, affiliate, different): a document in
which none stands after an f is left as it is."""

_AFTER = re.compile(r"f ([a-z]+)")
_HEAD = re.compile(r"[^\W\d_]+$")
_WHOLE = re.compile(r"[^\W\d_]+ff[^\W\d_]+")
_WORDS = frozenset(("of", "if"))
"""Parts that are words of their own: the part after them must be none for both to be one."""


def mend_lost_letters(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Give the pages with both parts of a word put together where the document writes the whole word elsewhere."""
    if not any(_TELLING.search("\n".join([line.text for line in page.lines])) for page in pages):
        return pages
    texts = [line.text for page in pages for line in page.lines]
    words = {word.casefold() for text in texts if "ff" in text for word in text.split() if "ff" in word}
    whole = {match[0] for word in words for match in _WHOLE.finditer(word)}
    ends = {word.partition("ff")[2] for word in whole}
    parted = {part for text in texts if "f " in text for _, part in _parts(text, ends) if "f".join(part) in whole}
    doubtful = {end for head, end in parted if head in _WORDS}
    alone = {end for end in doubtful if any(end in text and _stands_alone(end, text) for text in texts)}
    broken = {(head, end) for head, end in parted if head not in _WORDS or end not in alone}
    return tuple(_mended(page, broken, ends) for page in pages) if broken else pages


def _parts(text: str, ends: Container[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Where one f may be lost, and what is written before and after that place."""
    for match in _AFTER.finditer(text):
        head = _HEAD.search(text, 0, match.start() + 1) if match[1] in ends else None
        if head is not None:
            yield match.start() + 1, (head[0].casefold(), match[1])


def _stands_alone(word: str, text: str) -> bool:
    """Whether a text has a word other than right after an f."""
    return re.search(rf"(?<![^\W\d_])(?<!f ){word}(?![^\W\d_])", text) is not None


def _mended(page: Page, broken: Container[tuple[str, str]], ends: Container[str]) -> Page:
    changed = {}
    for index, line in enumerate(page.lines):
        places = [at for at, part in _parts(line.text, ends) if part in broken] if "f " in line.text else []
        if places:
            text = line.text
            changed[index] = line._replace(text="".join("f" if at in places else c for at, c in enumerate(text)))
    if not changed:
        return page
    return replace(page, lines=tuple(changed.get(index, line) for index, line in enumerate(page.lines)))
