"""Takes a question and a library, gives hits: the pages that answer, each with its section path, lines and boxes."""

from __future__ import annotations

from typing import Literal

from pageindex_core.errors import QuestionError
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.options import SearchOptions
from pageindex_core.records import Scope, SearchResult, Unit
from pageindex_core.search.navigate import Navigator, arun, run

__all__ = ["asearch", "search"]

Mode = Literal["words", "phrase", "regex"]


def search(
    library: Library,
    question: str,
    *,
    k: int = 5,
    scope: Scope = ALL,
    unit: Unit = "auto",
    max_tokens: int | None = None,
    mode: Mode = "words",
    fill: bool = True,
) -> SearchResult:
    """Give the k units that answer best, best first, without any model.

    Args:
        library: Where the documents are.
        question: A question or words; with ``mode`` a phrase or a regular expression. Phrases in quotation marks
            and places ("page 5", "Item 7", "table 3") inside a question are understood.
        k: How many hits; fewer only where the scope holds fewer units.
        scope: Which documents may be seen. Enforced in each read of the library.
        unit: What a hit is: ``auto`` (leaf sections, and windows of long ones), ``section``, ``window`` or ``page``.
        max_tokens: Cut each hit's text to about this many tokens around its best lines.
        mode: ``words`` ranks; ``phrase`` and ``regex`` give only what contains the question.
        fill: Complete a shorter answer to k with units that hold no word of the question.

    Returns:
        Hits that never overlap, by falling score, with a trace and notes.

    Raises:
        QuestionError: the question is empty, k is below 1, or the pattern is broken.
        OptionError: another argument cannot be meant.
        LibraryError: the library cannot be read.
    """
    return run(_navigator(question, scope, k, unit, max_tokens, mode, fill), library)


async def asearch(
    library: Library,
    question: str,
    *,
    k: int = 5,
    scope: Scope = ALL,
    unit: Unit = "auto",
    max_tokens: int | None = None,
    mode: Mode = "words",
    fill: bool = True,
) -> SearchResult:
    """Do what ``search`` does, on a worker thread, so that the event loop stays responsive."""
    return await arun(_navigator(question, scope, k, unit, max_tokens, mode, fill), library)


def _navigator(
    question: str, scope: Scope, k: int, unit: Unit, max_tokens: int | None, mode: Mode, fill: bool
) -> Navigator:
    if not isinstance(question, str) or not question.strip():
        raise QuestionError("The question is empty.", "There is nothing to look for.", "Ask for at least one word.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise QuestionError(f"k={k!r} cannot be used.", "At least one hit is given.", "Pass a whole number from 1.")
    options = SearchOptions(k=k, unit=unit, max_tokens=max_tokens, mode=mode, fill=fill)
    if mode == "words":
        from pageindex_core.search.lexical import search_words

        return search_words(question, scope, options)
    from pageindex_core.search.exact import search_exactly

    return search_exactly(question, scope, options)
