"""The telling terms of a section: captions, defined terms, names, and words frequent here and rare elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from pageindex_core.describe.passages import CAPTION
from pageindex_core.describe.stop_words import STOP_WORDS
from pageindex_core.folding import squash

LONGEST_ITEM_CHARS = 80
"""Longer captions are cut at a word: the words behind the first ten name sources and units."""

_UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-Я"
# Both begin with one class of characters, since the regular expression engine then skips to them.
_QUOTED = re.compile(
    r"[“„«\"「『《](?:(?<=[“„«])([^“”„«»\n]{2,40})[”“»]|(?<=\")([^\"\n]{2,40})\"|(?<=[「『《])([^「」『』《》\n]{2,20})[」』》])"
)
_ABBREVIATION = re.compile(rf"\(([{_UPPER}][\w&/-]{{1,9}})\)")
_NAME = re.compile(
    rf"[{_UPPER}](?<![\w’'-].)[\w’'&-]*(?:\s(?:(?:of|and|for|the|de|la|du|des|del|der|von|und|et|y)\s)?[{_UPPER}][\w’'&-]*)+"
)
_CAPTION_END = re.compile(r"\.\s|。")
_BEFORE_SENTENCE = ("", ".", "!", "?", ":", ";", "”", ")")
_HAN_OR_KATAKANA = re.compile("[\u4e00-\u9fff々\u30a1-\u30fa\u30fc]")
_COMPOUND = re.compile("[\u4e00-\u9fff々]{2,8}(?![\u4e00-\u9fff々])|[\u30a1-\u30fa\u30fc]{3,12}")


def key_items_of(
    passages: Sequence[str], frequent: Sequence[str], common: Set[str], title: str, limit: int
) -> tuple[str, ...]:
    """Give at most ``limit`` terms as printed, each verbatim in one of the passages.

    Captions, defined terms, names and frequent words have a share of the places each; what one leaves the next fills.

    Args:
        passages: The section's own text.
        frequent: Its distinctive words in lower case, the most telling first.
        common: Words that the document also writes in lower case: a sentence may start with them, a name does not.
        title: The section's title, which is not repeated.
        limit: How many.
    """
    text = "\n".join(passages)
    kinds = [
        [_caption(passage) for passage in passages if CAPTION.match(passage)],
        list(_defined(text)),
        _names(text, common),
        [*_compounds(passages), *_as_printed(frequent, text)],
    ]
    share = max(1, limit // len(kinds))
    chosen: list[str] = []
    seen = {squash(title)}
    for most in (share, limit):  # first each kind its share, then what is left in order of kind
        for kind in kinds:
            added = 0
            for item in kind:
                if len(chosen) >= limit or added >= most:
                    break
                mark = squash(item)
                if not mark or any(mark in other for other in seen):
                    continue
                seen.add(mark)
                chosen.append(item)
                added += 1
    return tuple(chosen)


def _caption(text: str) -> str:
    """Label and title: the first sentence of a caption, no longer than it has to be."""
    label = CAPTION.match(text)
    end = _CAPTION_END.search(text, label.end() if label else 0)
    text = text[: end.start()] if end else text
    if len(text) <= LONGEST_ITEM_CHARS:
        return text
    head = text[: LONGEST_ITEM_CHARS + 1]
    return (head.rpartition(" ")[0] or head[:LONGEST_ITEM_CHARS]).rstrip(" ,;:–—-(")


def _defined(text: str) -> Iterator[str]:
    """Quoted terms and abbreviations in brackets, as texts introduce them."""
    for match in _QUOTED.finditer(text):
        term = next(group for group in match.groups() if group).strip(" ,.;:")
        if term and term[0].isalpha() and term.count(" ") < 5 and term.lower() not in STOP_WORDS:
            yield term
    for match in _ABBREVIATION.finditer(text):
        if sum(map(str.isupper, match[1])) > 1:
            yield match[1]


def _names(text: str, common: Set[str]) -> list[str]:
    """Runs of capitalised words, the most frequent first."""
    found: Counter[str] = Counter()
    for match in _NAME.finditer(text):
        if "\n" in match[0]:
            continue
        words = match[0].split(" ")
        if match.start() == 0 or text[max(0, match.start() - 2) : match.start()].strip() in _BEFORE_SENTENCE:
            while words and (words[0].lower() in common or words[0].lower() in STOP_WORDS or words[0][0].islower()):
                words.pop(0)  # "The Audit Committee", "In North America"
        while words and (len(words[-1]) < 3 or words[-1].islower()):
            words.pop()  # "ASU No", "Michael F", "Part I and"
        if 2 <= len(words) <= 6:
            found[" ".join(words)] += 1
    return [name for name, _ in found.most_common(12) if len(name) <= LONGEST_ITEM_CHARS]


def _compounds(passages: Iterable[str]) -> list[str]:
    """Runs of Han or Katakana that the section repeats: the words of scripts without spaces."""
    text = "\n".join(passage for passage in passages if not passage.isascii())
    if not _HAN_OR_KATAKANA.search(text):
        return []
    return [term for term, count in Counter(_COMPOUND.findall(text)).most_common(6) if count > 1]


def _as_printed(words: Iterable[str], text: str) -> Iterator[str]:
    """Give each word in the first form in which it is printed: as it is, capitalised, or in capitals."""
    for word in words:
        for form in (word, word.capitalize(), word.upper()):
            if _stands_in(form, text):
                yield form
                break


def _stands_in(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, end)
    return False
