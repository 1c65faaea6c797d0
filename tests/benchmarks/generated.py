"""Generates documents of any number and length whose words behave as those of real text do, and questions on them.

Used by the measurements of large libraries and long files. Nothing in it is read from anywhere: words are made of
syllables and fall in frequency as Zipf's law says, function words first, so that most words are rare, every document
has words of its own, and a few stand everywhere. The same seed gives the same text.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pageindex_core.records import Line, Page, Pages

FUNCTION_WORDS = """
the of and to in a for is on that by with as be are at this or from an which was not it have were will all has been
their other may such these its than under any more between per after each no if into shall where used
"""
TOPIC_WORDS = """
pump valve pressure revenue interest contract patient policy network server safety water energy market audit committee
procedure maintenance inspection payment insurance employee customer product material design test report standard
requirement temperature equipment service transport storage training licence tax budget asset
"""

VOCABULARY = 60_000
"""Words to draw from. A collection of this size holds some hundred thousand distinct ones, names and numbers
included."""

ZIPF_SHIFT = 2.7
"""Source: Mandelbrot's form of Zipf's law, 1 / (rank + 2.7), which fits English."""

OWN_WORDS = 40
"""Words that a document repeats and few others hold: its product, its people, its place."""

WORDS_A_LINE = 11
LINES_A_PAGE = 42
"""About 460 words a page, as a report has."""

PAGES_A_SECTION = 2


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question, and where its answer stands."""

    text: str
    source_id: str
    page_number: int


class Writer:
    """Writes documents, one after the other."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        syllables = [first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", *"lnrst")]
        made: dict[str, None] = dict.fromkeys(f"{FUNCTION_WORDS} {TOPIC_WORDS}".split())
        while len(made) < VOCABULARY:
            made["".join(self._random.choices(syllables, k=self._random.choice((2, 2, 3, 3, 4))))] = None
        self._words = list(made)
        self._topics = TOPIC_WORDS.split()
        self._function_words = frozenset(FUNCTION_WORDS.split())
        self._weights = list(accumulate(1 / (rank + ZIPF_SHIFT) for rank in range(len(self._words))))

    def document(self, number: int, page_count: int) -> Pages:
        """Write one document of numbered sections, of two pages each."""
        own = [self._words[self._random.randrange(1_000, VOCABULARY)] for _ in range(OWN_WORDS)]
        topic = self._random.choice(self._topics)
        pages = tuple(self._page(page_number, topic, own) for page_number in range(1, page_count + 1))
        name = f"{topic}-{own[0]}-{number}.pdf"
        return Pages(
            source_id=f"generated/{name}",
            name=name,
            media_type="application/pdf",
            fingerprint=f"generated {number} {page_count}",
            pages=pages,
            metadata={"year": 2000 + number % 25},
        )

    def text(self, line_count: int) -> str:
        """Write a paragraph of about so many lines."""
        words = self._random.choices(self._words, cum_weights=self._weights, k=WORDS_A_LINE * line_count)
        return f"{' '.join(words).capitalize()}."

    def question(self, document: Pages) -> GeneratedQuestion:
        """Ask for a line of a document: four of its words, among words that every question has."""
        page = self._random.choice(document.pages)
        told = [word for word in self._random.choice(page.lines[2:]).text.split() if word not in self._function_words]
        words = " ".join(told[:4])
        name = document.name.removesuffix(".pdf").split("-")[1]
        return GeneratedQuestion(
            f"What does the report on {name} say of {words}?", document.source_id, page.page_number
        )

    def _page(self, page_number: int, topic: str, own: Sequence[str]) -> Page:
        choices = self._random.choices
        words = choices(self._words, cum_weights=self._weights, k=WORDS_A_LINE * LINES_A_PAGE)
        for at in range(self._random.randrange(7), len(words), 17):
            words[at] = self._random.choice(own)
        texts = [
            " ".join(words[start : start + WORDS_A_LINE]).capitalize() + ("." if start % 3 == 0 else "")
            for start in range(0, len(words), WORDS_A_LINE)
        ]
        if page_number % PAGES_A_SECTION == 1 or page_number == 1:
            section = (page_number + 1) // PAGES_A_SECTION
            texts[0] = f"{section} {topic.capitalize()} and {' '.join(choices(own, k=2))}"
        return Page(page_number, tuple(Line(text) for text in texts))


def documents(count: int, page_total: int, seed: int = 0) -> Iterator[tuple[Pages, GeneratedQuestion]]:
    """Give documents of 3 to 12 pages that have about so many pages together, each with a question on it."""
    writer = Writer(seed)
    lengths = random.Random(seed)
    mean = page_total / count
    for number in range(count):
        document = writer.document(number, max(1, round(lengths.uniform(0.4 * mean, 1.6 * mean))))
        yield document, writer.question(document)
