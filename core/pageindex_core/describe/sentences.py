"""A passage to sentences, in any script that marks where a sentence ends."""

from __future__ import annotations

import re
from typing import NamedTuple

# One class of characters comes first, since the regular expression engine then skips to them; the text is long.
_END = re.compile(
    r"[.!?…؟।॥。！？｡](?:(?<=[.!?…؟।॥])[.!?…؟।॥]*[\"'”’»)\]]*(?=\s|$)|(?<=[。！？｡])[。！？｡]*[」』”’）】]*)"
)
MARKS = (".", "!", "?", "…", "؟", "।", "॥", "。", "！", "？", "｡")
"""What a sentence ends with, in the scripts we know."""

CLOSING = "\"'”’»)]」』）】"
"""What may stand behind the mark."""

_WORD = re.compile(r"[^\W\d_]\w*(?:[’'-]\w+)*")
_ASCII_WORD = re.compile(r"[a-z][a-z0-9_]*(?:['-][a-z0-9_]+)*")  # the same, in half the time
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
# fmt: off
_ABBREVIATIONS = frozenset((
    "al", "approx", "bzw", "ca", "cf", "co", "corp", "dr", "e.g", "ed", "eds", "i.e", "inc", "jr", "ltd", "mr", "mrs",
    "ms", "prof", "sr", "st", "u.s", "vs", "z.b",
))
"""Words whose full stop rarely ends a sentence. Source: the common ones of English, German and French prose."""

_BEFORE_NUMBERS = frozenset((
    "abb", "art", "eq", "eqs", "fig", "figs", "no", "nos", "nr", "p", "para", "pp", "sec", "vol",
))
"""Words whose full stop ends no sentence when a number follows: "No. 5", "Fig. 2"."""
# fmt: on

SHORTEST_WORDS = 4
SHORTEST_UNSPACED = 8
"""Less than this says nothing alone: "See above.", "Yes."; eight characters of a script without spaces are as much."""

LETTER_SHARE = 0.55
"""Below this share of letters a sentence is figures or formulas. Prose has about 0.8, table rows under 0.5."""


DISTINCT_SHARE = 0.4
"""Below this share of distinct words a text is a list of the same names. Prose of 60 words still has 0.7."""


class Sentence(NamedTuple):
    """One sentence as printed, or a passage that ends without a full stop."""

    text: str
    words: list[str]
    """Lower case, in order; pairs of characters for scripts without spaces."""
    is_whole: bool
    """Begins like a sentence and ends like one."""
    is_telling: bool
    """Long enough, and made of words."""


def split_sentences(passage: str) -> list[Sentence]:
    """Give the sentences of a passage, in order; every one is a slice of it."""
    sentences = []
    start = 0
    for end in _END.finditer(passage):
        if end.end() < len(passage) and not _ends_sentence(passage, start, end.start(), end.end()):
            continue
        if text := passage[start : end.end()].strip():
            sentences.append(_sentence(text))
        start = end.end()
    if rest := passage[start:].strip():
        sentences.append(_sentence(rest))
    return sentences


def words_of(text: str) -> list[str]:
    """Give the words in lower case; pairs of neighbouring characters for scripts without spaces."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    words = _WORD.findall(text.lower())
    if not _UNSPACED.search(text):
        return words
    spaced = [word for word in words if not _UNSPACED.search(word)]
    runs = _UNSPACED.findall(text)
    return spaced + [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))]


def _ends_sentence(passage: str, start: int, mark: int, end: int) -> bool:
    if passage[mark] != ".":
        return passage[mark] not in "…" or not passage[end:].lstrip()[:1].islower()
    if passage[end : end + 2].lstrip()[:1].islower():
        return False
    word = passage[max(start, mark - 12) : mark].rpartition(" ")[2].lstrip("(\"“‘'[").lower()
    if word in _BEFORE_NUMBERS and passage[end : end + 2].strip().isdigit():
        return False
    if word in _ABBREVIATIONS or (word and word[-1].isalpha() and all(len(part) == 1 for part in word.split("."))):
        return False  # "Inc. and", "J. Smith", "U.S. law"
    return not (word.replace(".", "").isdigit() and passage[start:mark].strip() == word)  # "1. Scope"


def _sentence(text: str) -> Sentence:
    words = words_of(text)
    unspaced = 0 if text.isascii() else sum(map(len, _UNSPACED.findall(text)))
    if unspaced:
        is_telling = unspaced >= SHORTEST_UNSPACED or len(words) - unspaced >= SHORTEST_WORDS
        is_telling = is_telling and sum(map(str.isalpha, text)) >= LETTER_SHARE * len(text)
    else:
        is_telling = len(words) >= SHORTEST_WORDS and sum(map(len, words)) >= LETTER_SHARE * len(text)
    is_telling = is_telling and len(set(words)) > DISTINCT_SHARE * len(words)
    is_whole = text.rstrip(CLOSING).endswith(MARKS) and not text[0].islower()
    return Sentence(text, words, is_whole, is_telling)
