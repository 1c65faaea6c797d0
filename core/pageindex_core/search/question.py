"""A question to what the scorer can weigh: clauses, and the places it names.

A clause is one thing asked for, with the runs of terms that count as it. What only says how to answer (a sample of
its form, a way out) is left out by kind, not by wording.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from pageindex_core.search.places import Place, find_places
from pageindex_core.search.terms import question_terms
from pageindex_core.search.vocabulary import Run, equivalents_at, is_telling, telling

ESCAPE = re.compile(
    r"\bif [^.?;]{0,80}? (?:is|are)(?: not|n['’]t) (?:an? )?(?:useful|relevant|meaningful|applicable)[^.?]*",
    re.IGNORECASE,
)
"""A way out that is offered to the answerer: "if … is not a relevant metric …, then say so"."""

SAMPLE = re.compile(r"\[[^\]]*\]|\b(?:e\.g\.|for example|such as this)[^.?]*[\[{][^\]}]*[\]}]", re.IGNORECASE)
"""A sample of the answer's form: '["1","2"]'."""

_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]{2,200})[\"“”»]")
FISCAL_YEAR = re.compile(r"fy(\d\d(?:\d\d)?)")


MOST_TERMS = 1_000
"""Terms of a question that are looked at: two pages of text. Whole documents are no questions."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing asked for."""

    runs: tuple[Run, ...]
    """Runs of neighbouring terms, any of which counts."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as search understands it."""

    text: str
    clauses: tuple[Clause, ...]
    """In the order asked; neighbours are looked for close together."""
    phrases: tuple[Clause, ...]
    """What stands between quotation marks, two words or more."""
    places: tuple[Place, ...]
    """Pages, sections, tables and so on that it names."""

    joined: tuple[str, ...] = ()
    """Two and three neighbouring terms written as one, as file names do: "bestbuy"."""
    is_cut: bool = False
    """Whether the question was longer than what is looked at."""

    @property
    def terms(self) -> tuple[str, ...]:
        """Every distinct term, for the library's shortlist."""
        return tuple(
            dict.fromkeys([*(term for clause in self.clauses for run in clause.runs for term in run), *self.joined])
        )


def parse_question(text: str) -> Question:
    """Take a question apart."""
    folded = unicodedata.normalize("NFKC", text)
    asked = folded
    for kind in (ESCAPE, SAMPLE):
        asked = kind.sub(" ", asked)
    terms = question_terms(asked) or question_terms(folded)
    is_cut = len(terms) > MOST_TERMS
    terms = terms[:MOST_TERMS]
    phrases = []
    for quoted in _QUOTED.findall(asked):
        run = tuple(question_terms(quoted))
        if len(run) > 1:
            phrases.append(Clause((run,)))
    return Question(
        text=text,
        clauses=tuple(_clauses(terms)),
        phrases=tuple(dict.fromkeys(phrases)),
        places=tuple(find_places(asked)),
        joined=tuple(_joined(terms)),
        is_cut=is_cut,
    )


def _clauses(terms: list[str]) -> list[Clause]:
    keep = set(telling(terms))
    clauses: list[Clause] = []
    at = 0
    while at < len(terms):
        known = equivalents_at(terms, at)
        if known is not None:
            length, runs = known
            clauses.append(Clause(runs))
            at += length
            continue
        term = terms[at]
        at += 1
        if term in keep:
            clauses.append(Clause(_spellings(term)))
    return clauses


def _joined(terms: list[str]) -> Iterator[str]:
    for length in (2, 3):
        for at in range(len(terms) - length + 1):
            run = terms[at : at + length]
            if all(term.isascii() and term.isalpha() and is_telling(term) for term in run):
                yield "".join(run)


def _spellings(term: str) -> tuple[Run, ...]:
    """A fiscal year is printed in many ways: "FY2018" also looks for "2018"."""
    year = FISCAL_YEAR.fullmatch(term)
    if year is None:
        return ((term,),)
    digits = year[1] if len(year[1]) == 4 else f"20{year[1]}"
    return ((term,), (digits,), (f"fy{digits}",), (f"fy{digits[2:]}",))
