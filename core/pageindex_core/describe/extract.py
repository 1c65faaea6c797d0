"""Chooses the sentences that tell what a section says. Each is a quotation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain

from pageindex_core.describe.compare import fold_digits
from pageindex_core.describe.passages import CAPTION, is_worthless
from pageindex_core.describe.sentences import CLOSING, MARKS, Sentence, split_sentences, words_of
from pageindex_core.describe.stop_words import STOP_WORDS
from pageindex_core.describe.terms import key_items_of
from pageindex_core.records import Page

TITLE_WEIGHT = 0.3
"""What a sentence gains when it holds every word of the title."""

OPENING_WEIGHT = 0.6
"""What the first sentence gains; the second half of it, and so on: authors say first what a section is about."""

EXTRA_WORDS = 4
"""Added to a sentence's number of words before the mean is taken, so that three rare words do not win alone."""

OPENING_WORDS = 8
"""What describes a document is at least this long; covers are full of shorter ones ("Printed in Norway.")."""

DISTINCTIVE_RATIO = 2.0
"""A word is distinctive when the section uses it at least twice as often as the whole document does."""

DISTINCTIVE_WORDS = 12
"""More than a section is ever given, since some repeat a caption or the title."""

SPREAD_SHARE = 0.25
"""A word that stands in more of the sections than this is one of the language or of the whole document."""

_TITLE_PAGES = 3
"""A title is sought on the first pages that have text; covers may be a picture."""


class Extractor:
    """The passages of a document, with its words counted once.

    Args:
        passages: Of each section, in pre-order; every method names a section by its index there.
    """

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        self._passages = passages
        self._sentences = [
            [sentence for passage in own if not CAPTION.match(passage) for sentence in split_sentences(passage)]
            for own in passages
        ]
        self._words = [Counter(chain.from_iterable(sentence.words for sentence in own)) for own in self._sentences]
        every = chain.from_iterable(self._sentences)
        self._document = Counter(chain.from_iterable(sentence.words for sentence in every))
        self._spread = Counter(chain.from_iterable(self._words))  # in how many sections each word stands
        self._total = self._document.total()
        # How much a word tells: 1 for one that stands once in the document, 0 for one that is all of it.
        told = {count: 1 - math.log(count) / math.log(self._total + 1) for count in {*self._document.values()}}
        self._information = {word: told[count] for word, count in self._document.items()}
        self._common = _lower_case_words(passages)

    def summary(self, index: int, title: str, child_titles: Sequence[str], chars: int) -> str | None:
        """Give the telling sentences in the order of the text, or else the children's titles, or None."""
        chosen = self.telling_sentences(index, title, chars)
        if chosen:
            return _joined(chosen)
        return _titles(child_titles, chars)

    def telling_sentences(self, index: int, title: str, chars: int) -> list[str]:
        """Give whole sentences that together, joined, take at most ``chars`` characters, in the order of the text.

        Only where no sentence is that short the best one is cut, and ends in "…".
        """
        telling = [sentence for sentence in self._sentences[index] if sentence.is_telling]
        candidates = [sentence for sentence in telling if sentence.is_whole] or telling
        if not candidates or chars < 1:
            return []
        scores = self._scores(candidates, self._words[index], frozenset(words_of(title)))
        ranked = sorted(range(len(candidates)), key=lambda at: (-scores[at], at))
        chosen: list[int] = []
        room = chars
        seen: set[str] = set()
        for at in ranked:
            text = candidates[at].text
            if len(text) <= room and text not in seen:
                chosen.append(at)
                seen.add(text)
                room -= len(text) + 2  # the longest separator
            if room < 20:  # nothing telling is shorter
                break
        if not chosen:
            return [cut(candidates[ranked[0]].text, chars)]
        return [candidates[at].text for at in sorted(chosen)]

    def key_items(self, index: int, title: str, limit: int) -> tuple[str, ...]:
        """Give captions, defined terms, names and distinctive words of the section, as printed."""
        if limit < 1:
            return ()
        frequent = self._distinctive_words(self._words[index])
        return key_items_of(self._passages[index], frequent, self._common, title, limit)

    def opening_sentence(self, chars: int) -> str | None:
        """Give the first whole, telling sentence long enough to stand for the document, of at most ``chars``."""
        for text, words, is_whole, is_telling in chain.from_iterable(self._sentences):
            if is_whole and is_telling and len(text) <= chars and len(words) >= OPENING_WORDS:
                return text
        return None

    def _distinctive_words(self, words: Counter[str]) -> list[str]:
        """Telling words that the section uses more than once and the rest of the document seldom, the best first."""
        total = words.total()
        widest = max(1.0, SPREAD_SHARE * len(self._words))
        scored = []
        for word, count in words.items():
            if count > 1 and len(word) > 3 and word not in STOP_WORDS and self._spread[word] <= widest:
                ratio = (count / total) / (self._document[word] / self._total)
                if ratio >= DISTINCTIVE_RATIO:
                    scored.append((-count * math.log(ratio), word))
        return [word for _, word in sorted(scored)[:DISTINCTIVE_WORDS]]

    def _scores(self, sentences: Sequence[Sentence], words: Counter[str], title: Set[str]) -> list[float]:
        """Mean information of each sentence's words; more for repeated words, for the title's, and for the opening."""
        information = self._information
        weight = {word: information[word] * count / (count + 1) for word, count in words.items()}
        scores = []
        for at, sentence in enumerate(sentences):
            distinct = set(sentence.words)
            score = sum(map(weight.__getitem__, distinct)) / (len(distinct) + EXTRA_WORDS)
            score += TITLE_WEIGHT * len(title & distinct) / len(title) if title else 0.0
            scores.append(score * (1 + OPENING_WEIGHT / (1 + at)))
        return scores


def document_title(pages: Sequence[Page], furniture: Set[str]) -> str | None:
    """Give the document's title as printed: the largest lines of its first page with text, or its first line."""
    for page in pages[:_TITLE_PAGES]:
        lines = [
            line
            for line in page.lines
            if sum(map(str.isalpha, line.text)) > 1
            and not is_worthless(line.text)
            and fold_digits(line.text) not in furniture
        ]
        if not lines:
            continue
        largest = max(line.font_size for line in lines)
        first = next(at for at, line in enumerate(lines) if line.font_size >= largest - 0.5)
        title = lines[first].text.strip()
        for line in lines[first + 1 : first + 4]:
            if not largest or line.font_size < largest - 0.5 or len(title) + len(line.text) > 160:
                break
            title += f" {line.text.strip()}"
        return " ".join(title.lstrip("#").split())
    return None


def _joined(pieces: Sequence[str]) -> str:
    text = pieces[0]
    for piece in pieces[1:]:
        text += (" " if text.rstrip(CLOSING).endswith(MARKS) else "; ") + piece
    return text


def _titles(titles: Sequence[str], chars: int) -> str | None:
    kept: list[str] = []
    for title in titles:
        if len("; ".join([*kept, title])) > chars:
            break
        kept.append(title)
    if kept:
        return "; ".join(kept)
    return cut(titles[0], chars) if titles else None


def cut(text: str, chars: int) -> str:
    """Give the text, or its longest run of whole words that leaves room for "…"."""
    if len(text) <= chars:
        return text
    head = text[:chars]
    whole = head.rpartition(" ")[0] if " " in head[chars // 2 :] else head[:-1]
    return whole.rstrip(" ,;:") + "…"


def _lower_case_words(passages: Sequence[Sequence[str]]) -> frozenset[str]:
    words: set[str] = set()
    for own in passages:
        for passage in own:
            words.update(passage.split())
    return frozenset(filter(str.islower, words))
