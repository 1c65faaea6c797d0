"""Judges retrievers on a user's own questions: how much of the evidence they find, and how many tokens that costs.

::

    questions = [EvidenceQuestion("How often is the filter replaced?", "manual.pdf", (12,))]
    print(evaluate(questions, {"vectors": store.as_retriever(), "page trees": index.as_retriever()}))

Any retriever of LangChain (``invoke``) or LlamaIndex (``retrieve``) will do, and any function from a question to what
one of these returns. Each has to be made to return enough results: what it leaves out is not found.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from pageindex_core.errors import OptionError
from pageindex_core.passages import Passage, as_passage
from pageindex_core.records import DocumentInfo
from pageindex_core.tokens import count_tokens

RESAMPLES = 2_000
"""Resamples of the questions for an interval: its ends then move by less than a hundredth of its width."""


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question, and where its answer stands."""

    question: str
    document: str
    """The document's path, source, name or id; its file name alone will do."""
    pages: tuple[int, ...]
    """Physical pages that hold the evidence, from 1."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one retriever gave for one question."""

    question: EvidenceQuestion
    page_recall: Mapping[int, float]
    """By k: share of the evidence pages among the first k pages named, 0..1."""
    document_recall: Mapping[int, float]
    """By k: 1 where the right document is among those of the first k results, else 0."""
    tokens: Mapping[int, int]
    """By k: estimated tokens of the first k results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One retriever against another, over the same questions."""

    retriever: str
    than: str
    k: int
    mean: float
    """Mean difference in page recall; positive where ``retriever`` finds more."""
    low: float
    """Lower end of the 95 percent interval of a paired bootstrap."""
    high: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of each retriever, by name. Printed, it is a table."""

    outcomes: Mapping[str, tuple[Outcome, ...]]
    ks: tuple[int, ...]
    differences: tuple[Difference, ...] = field(default=())
    """Of each retriever from the first one, for each k."""

    def mean(self, retriever: str, figure: str, k: int) -> float:
        """Give the mean of ``page_recall``, ``document_recall`` or ``tokens`` at k."""
        return fmean(getattr(outcome, figure)[k] for outcome in self.outcomes[retriever])

    def __str__(self) -> str:
        width = max(map(len, self.outcomes))
        heads = [f"{name}@{k}" for k in self.ks for name in ("pages", "documents", "tokens")]
        lines = [" ".join([" " * width, *(f"{head:>12}" for head in heads)])]
        for name in self.outcomes:
            cells = []
            for k in self.ks:
                cells += [f"{self.mean(name, figure, k):12.3f}" for figure in ("page_recall", "document_recall")]
                cells.append(f"{self.mean(name, 'tokens', k):12.0f}")
            lines.append(" ".join([f"{name:{width}}", *cells]))
        lines += [
            f"{one.retriever} - {one.than}, pages@{one.k}: {one.mean:+.3f} (95%: {one.low:+.3f} to {one.high:+.3f})"
            for one in self.differences
        ]
        return "\n".join(lines)


def evaluate(
    questions: Iterable[EvidenceQuestion | Mapping[str, Any]],
    retrievers: Any,
    *,
    k: Sequence[int] = (5, 10),
    page_base: int = 0,
) -> Evaluation:
    """Ask each retriever each question; give recall of pages and documents, tokens, and differences.

    The pages of a result are all that it covers, in order. The first k pages count for ``page_recall``, so that long
    results gain nothing; the first k results for the other figures.

    Args:
        questions: Questions with ``document`` and ``pages``; mappings of these keys will do.
        retrievers: One retriever, or several by name; the others are compared with the first.
        k: How many pages and results count.
        page_base: What the first page is called in ``page`` of metadata: 0, as in LangChain, or 1.

    Raises:
        OptionError: no question, one without evidence, a retriever that cannot be asked, a result that names no page.
    """
    asked = [_question(one) for one in questions]
    if not asked:
        raise OptionError("There is no question to evaluate with.", "Nothing can be measured.", "Pass at least one.")
    named = dict(retrievers) if isinstance(retrievers, Mapping) else {"retriever": retrievers}
    ks = tuple(sorted(set(k)))
    if not ks or any(not isinstance(each, int) or each < 1 for each in ks):
        raise OptionError(f"k={k!r} cannot be used.", "Recall is counted over so many results.", "Pass (5, 10).")
    outcomes = {}
    for name, retriever in named.items():
        ask = _asker(name, retriever)
        outcomes[name] = tuple(_outcome(name, one, ask(one.question), ks, page_base) for one in asked)
    first, *others = outcomes
    differences = [_difference(outcomes, other, first, each) for other in others for each in ks]
    return Evaluation(outcomes, ks, tuple(differences))


def read_questions(path: str | Path) -> list[EvidenceQuestion]:
    """Read questions from JSON lines with the keys ``question``, ``document`` and ``pages``.

    Raises:
        OptionError: a line is no such object; its number is told. Or the file is no text.
        OSError: the file cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise OptionError(f"{path} is no text in UTF-8.", str(error), "Save it as JSON lines in UTF-8.") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(_question(json.loads(line)))
            except ValueError as error:  # OptionError is one
                raise OptionError(f"Line {number} of {path} is no question.", str(error)) from error
    return found


def paired_bootstrap(differences: Sequence[float], *, seed: int = 0) -> tuple[float, float]:
    """Give the 95 percent interval of the mean of paired differences, by resampling the pairs."""
    chance = random.Random(seed)
    means = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975) - 1]


def _question(given: EvidenceQuestion | Mapping[str, Any]) -> EvidenceQuestion:
    if isinstance(given, Mapping):
        try:
            given = EvidenceQuestion(given["question"], given["document"], tuple(given["pages"]))
        except (KeyError, TypeError) as error:
            raise OptionError(
                f"{given!r} is no question with evidence.",
                f"It lacks what is needed: {error}.",
                'Give {"question": "…", "document": "manual.pdf", "pages": [12]}.',
            ) from error
    if not isinstance(given, EvidenceQuestion):
        raise OptionError(
            f"A {type(given).__name__} is no question with evidence: {given!r}",
            "Nothing says where its answer stands.",
            'Give EvidenceQuestion, or {"question": "…", "document": "manual.pdf", "pages": [12]}.',
        )
    if not all(isinstance(text, str) and text.strip() for text in (given.question, given.document)):
        raise OptionError(f"{given!r} is incomplete.", "Question and document are texts.", "Fill both.")
    pages = given.pages if isinstance(given.pages, (tuple, list)) else ()
    numbers = pages and all(isinstance(page, int) and not isinstance(page, bool) and page >= 1 for page in pages)
    if not numbers:
        raise OptionError(
            f"{given!r} names no evidence.", "Pages count from 1.", "Name the pages that the answer stands on."
        )
    return given


def _asker(name: str, retriever: Any) -> Callable[[str], Iterable[Any]]:
    for method in ("invoke", "retrieve"):
        ask: Callable[[str], Iterable[Any]] | None = getattr(retriever, method, None)
        if callable(ask):
            return ask
    if callable(retriever):
        called: Callable[[str], Iterable[Any]] = retriever
        return called
    raise OptionError(
        f"{name!r} cannot be asked.",
        f"A {type(retriever).__name__} has neither invoke nor retrieve.",
        "Pass a retriever, or a function from a question to results.",
    )


def _outcome(
    name: str, question: EvidenceQuestion, results: Iterable[Any], ks: Sequence[int], page_base: int
) -> Outcome:
    passages = [as_passage(result, page_base=page_base) for result in results]
    pages: dict[tuple[str, int], None] = {}
    for passage in passages:
        if passage.page_start is None or not passage.documents:
            raise OptionError(
                f"A result of {name!r} names no {'page' if passage.documents else 'document'}: {passage.text[:60]!r}",
                f"Its page label is {passage.page_label!r}."
                if passage.page_label
                else "Nothing says where its text stands.",
                "Give it source and page (from 0), or page_start and page_end (from 1), in its metadata.",
            )
        document = question.document if _is_of(passage, question.document) else passage.documents[0]
        span = range(passage.page_start, (passage.page_end or passage.page_start) + 1)
        pages.update(dict.fromkeys((document, page) for page in span))
    order = list(pages)
    wanted = {(question.document, page) for page in question.pages}
    return Outcome(
        question,
        {k: len(wanted.intersection(order[:k])) / len(wanted) for k in ks},
        {k: float(any(_is_of(passage, question.document) for passage in passages[:k])) for k in ks},
        {k: sum(count_tokens(passage.text) for passage in passages[:k]) for k in ks},
    )


def named_in(infos: Iterable[DocumentInfo], document: str) -> bool:
    """Whether one of a library's documents is the one that a question names."""
    return any(_is_named((info.doc_id, info.source_id, info.name), document) for info in infos)


def _is_of(passage: Passage, document: str) -> bool:
    """Whether a passage is of a document, named as the passage names it, or by the last part of its path."""
    return _is_named(passage.documents, document)


def _is_named(names: Iterable[str], document: str) -> bool:
    return any(name == document or _last(name) == document for name in names)


def _last(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _difference(outcomes: Mapping[str, Sequence[Outcome]], name: str, than: str, k: int) -> Difference:
    pairs = zip(outcomes[name], outcomes[than], strict=True)
    differences = [one.page_recall[k] - other.page_recall[k] for one, other in pairs]
    low, high = paired_bootstrap(differences)
    return Difference(name, than, k, fmean(differences), low, high)
