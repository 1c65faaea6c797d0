"""Text to search terms: our own tokeniser, the only one, for documents and questions alike.

A term is a folded word (NFKC, no case, no accents, lightly stemmed), a number written without its thousands
separators, or two neighbouring CJK characters. Terms stand in reading order, one a position, so that phrases are
runs of neighbouring terms. Stop words are terms like any other: only questions leave them out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
"""Han, kana and Hangul: scripts that do not put spaces between words, or put particles at their ends."""

_WORD = re.compile(
    r"\d+(?:[.,]\d+)+(?![^\W\d_])"  # 1,577  3.5  2.1.3
    r"|[^\W_]+(?:['’&][^\W_]+)*"  # words; o'brien, r&d and at&t stay whole
)
_CJK_RUN = re.compile(f"([{_CJK}]+)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN_WORD = re.compile("[a-z]{3,40}")
_VOWEL = re.compile("[aeiouy]")
_NO_DECOMPOSITION = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ħ": "h"})
"""Latin letters that Unicode does not decompose into a base letter and an accent."""

_CACHE_LIMIT = 200_000
"""Words remembered with their terms, about 40 MB at worst; emptied when full, since words repeat at once anyway."""
_cache: dict[str, tuple[str, ...]] = {}


def line_terms(text: str) -> list[str]:
    """Give the terms of a line, in order. Words across line ends are not joined."""
    folded = text.lower() if text.isascii() else _fold(text)
    found: list[str] = []
    for word in _WORD.findall(folded):
        terms = _cache.get(word)
        if terms is None:
            terms = _remember(word)
        found += terms
    return found


def term_offsets(text: str) -> list[int]:
    """Give the offset in a line of each of its terms, in order; that of its word, where a word has several."""
    offsets: list[int] = []
    for word in _WORD.finditer(text):
        count = len(line_terms(word[0]))
        offsets += (word.start() + at * len(word[0]) // count for at in range(count))
    return offsets


def question_terms(text: str) -> list[str]:
    """Give the terms of a question: as for a line, but a CJK run does not end in a single character.

    In a document the last character of a run is a term of its own, so that each position starts one; a question
    does not ask for it, unless it is all there is.
    """
    terms = line_terms(text)
    return [
        term
        for index, term in enumerate(terms)
        if not (is_cjk(term) and len(term) == 1 and index and is_cjk(terms[index - 1]) and terms[index - 1][1:] == term)
    ]


def is_cjk(term: str) -> bool:
    """Tell whether a term is one or two CJK characters."""
    return len(term) <= 2 and not term.isascii() and _CJK_RUN.fullmatch(term) is not None


def single_characters(terms: Iterable[str]) -> set[str]:
    """Give the CJK characters that stand in two-character terms: what a one-character question may ask for."""
    return {character for term in terms if len(term) == 2 and is_cjk(term) for character in term}


def stem(word: str) -> str:
    """Take English plural, -ed, -ing and final -e off a folded word.

    Only inflection goes: "expenditures", "operating" and "stored" meet "expenditure", "operate" and "store", but
    "operation" stays apart. Stronger stemmers merge words of other meaning ("general", "generate"), which costs more
    precision in headings than it finds.
    """
    if not _PLAIN_WORD.fullmatch(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("sses") or (word.endswith(("xes", "ches", "shes")) and len(word) > 4):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if not word.endswith(ending) or not _VOWEL.search(rest) or word.endswith("eed"):
            continue
        if len(rest) == 2:
            word = rest + "e" if rest[-1] not in "aeiouy" else word
        elif len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz":
            word = rest[:-1]
        elif len(rest) > 2:
            word = rest
        break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    return word


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")


def _remember(word: str) -> tuple[str, ...]:
    if len(_cache) >= _CACHE_LIMIT:
        _cache.clear()
    _cache[word] = terms = tuple(_word_terms(word))
    return terms


def _word_terms(word: str) -> Iterable[str]:
    if not word.isascii():
        runs = _CJK_RUN.split(word)
        if len(runs) > 1:
            for index, run in enumerate(runs):
                if index % 2:
                    yield from (run[at : at + 2] for at in range(len(run)))
                elif run:
                    yield from _word_terms(run)
            return
        word = _without_accents(word)
    if word[0].isdigit() and "," in word:
        if _THOUSANDS.fullmatch(word):
            yield word.replace(",", "")
        else:
            yield from (part for part in word.split(",") if part)
        return
    word = word.replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    word = word.replace("'", "")
    if word:
        yield stem(word)


def _without_accents(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.translate(_NO_DECOMPOSITION))
    return "".join(part for part in parts if not unicodedata.combining(part))
