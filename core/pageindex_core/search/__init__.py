"""Takes a question and a library, gives hits: the pages that answer, each with its section path, lines and boxes."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, get_args

from pageindex_core.errors import OptionError, QuestionError
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.options import NavigationOptions, SearchOptions
from pageindex_core.records import Event, Hit, Note, Scope, SearchResult, Unit
from pageindex_core.search.navigate import Finished, Navigator, afollow, arun, follow, run

if TYPE_CHECKING:
    from pageindex_core.llm import Budget, ChatModel
    from pageindex_core.passages import PassageStore

__all__ = ["asearch", "astream_search", "search", "stream_search"]

P = ParamSpec("P")
T = TypeVar("T")
Mode = Literal["words", "phrase", "regex"]
NavigatorName = Literal["lexical", "tree", "agent", "hybrid"]
Shortlist = Literal["documents", "pages"]


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
    navigator: NavigatorName = "lexical",
    model: ChatModel | str | None = None,
    budget: Budget | None = None,
    navigation: NavigationOptions | None = None,
    vectors: PassageStore | None = None,
    shortlist: Shortlist = "documents",
    keep: Callable[[Hit], bool] | None = None,
    least_score: float | None = None,
) -> SearchResult:
    """Give the k units that answer best, best first; by words alone, by a model's choices, or with a vector store.

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
        navigator: ``lexical`` asks no model; ``tree`` lets one choose from a map of sections, in one or two calls;
            ``agent`` lets one read with tools until it has found enough; ``hybrid`` ranks by words and ``vectors``.
        model: A model object or a LiteLLM name, for ``tree`` and ``agent``. With None, or when it fails, the lexical
            order answers and a note says so.
        budget: The most that this question may spend.
        navigation: How the model finds its way.
        vectors: A vector store that holds passages of the same documents. Beside ``hybrid`` it is part of the ranking;
            beside the other navigators it chooses what they read in. What it raises is raised here.
        shortlist: Whether it then chooses ``documents``, or just ``pages``, for ``lexical`` alone.
        keep: A test on hits, for what no scope can say: a page, a section. More are looked for until k pass it. It runs
            where the search does, in ``asearch`` on a worker thread.
        least_score: Leave out hits that score less, 0..1. No others are looked for in their place.

    Returns:
        Hits that never overlap, by falling score, with a trace and notes. What a model chose comes first.

    Raises:
        QuestionError: the question is empty, k is below 1, or the pattern is broken.
        OptionError: another argument cannot be meant.
        LibraryError: the library cannot be read.
    """
    started, opened = start_search(
        library, question, k=k, scope=scope, unit=unit, max_tokens=max_tokens, mode=mode, fill=fill,
        navigator=navigator, model=model, budget=budget, navigation=navigation, vectors=vectors, shortlist=shortlist,
        keep=keep, least_score=least_score,
    )  # fmt: skip
    return run(started, library, opened)


def _takes_what(shown: Callable[P, Any]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Give a function the signature of another, for type checkers, editors and ``help`` alike."""

    def dress(function: Callable[..., T]) -> Callable[P, T]:
        own = inspect.signature(function)
        signature = inspect.signature(shown).replace(return_annotation=own.return_annotation)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return dress


@_takes_what(search)
async def asearch(library: Library, question: str, **arguments: Any) -> SearchResult:
    """Do what ``search`` does; thinking on a worker thread, so that the event loop stays responsive."""
    started, opened = start_search(library, question, **arguments)
    return await arun(started, library, opened)


@_takes_what(search)
def stream_search(library: Library, question: str, **arguments: Any) -> Iterator[Event | SearchResult]:
    """Give what happens while a question is searched, and last the ``SearchResult``. Takes what ``search`` takes."""
    started, opened = start_search(library, question, **arguments)
    for told in follow(started, library, opened):
        yield told.result if isinstance(told, Finished) else told


@_takes_what(search)
async def astream_search(library: Library, question: str, **arguments: Any) -> AsyncIterator[Event | SearchResult]:
    """Do what ``stream_search`` does, without blocking the event loop."""
    started, opened = start_search(library, question, **arguments)
    async for told in afollow(started, library, opened):
        yield told.result if isinstance(told, Finished) else told


def start_search(
    library: Library,
    question: str,
    *,
    scope: Scope = ALL,
    navigator: NavigatorName = "lexical",
    model: ChatModel | str | None = None,
    budget: Budget | None = None,
    navigation: NavigationOptions | None = None,
    vectors: PassageStore | None = None,
    shortlist: Shortlist = "documents",
    keep: Callable[[Hit], bool] | None = None,
    least_score: float | None = None,
    **chosen: Any,
) -> tuple[Navigator, ChatModel | None]:
    """Check the arguments of a search; give the navigator that answers, and the model that it asks."""
    _check_kinds(library, scope, navigation)
    options = _options(question, **chosen)
    if navigator not in get_args(NavigatorName):
        raise OptionError(f"navigator={navigator!r} is unknown.", "Navigators are lexical, tree, agent and hybrid.")
    if vectors is not None or navigator == "hybrid":
        _check_vectors(vectors, shortlist, navigator, options)
    opened = _opened(model, budget) if navigator in ("tree", "agent") else None

    def over(k: int) -> Navigator:
        wide = options if k == options.k else replace(options, k=k)
        return _over(question, scope, wide, navigator, navigation, opened, vectors, shortlist)

    if keep is None and least_score is None:
        return over(options.k), opened
    _check_tests(keep, least_score)
    from pageindex_core.search.keeping import search_above, search_kept

    started = over(options.k) if keep is None else search_kept(over, options.k, keep, once=opened is not None)
    return (started if least_score is None else search_above(started, least_score)), opened


def _over(
    question: str,
    scope: Scope,
    options: SearchOptions,
    navigator: NavigatorName,
    navigation: NavigationOptions | None,
    model: ChatModel | None,
    vectors: PassageStore | None,
    shortlist: Shortlist,
) -> Navigator:
    """Give the navigator over a scope, narrowed by a vector store where one is given."""

    def within(narrow: Scope) -> Navigator:
        if navigator == "lexical":
            return _by_words(question, narrow, options)
        return _by_model(navigator, question, narrow, options, navigation, model)

    if vectors is None:
        return within(scope)
    from pageindex_core.search.hybrid.navigator import search_hybrid, search_shortlisted

    if navigator == "hybrid":
        return search_hybrid(question, scope, options, vectors)
    return search_shortlisted(question, scope, options, vectors, shortlist, within)


def _check_vectors(vectors: object, shortlist: str, navigator: str, options: SearchOptions) -> None:
    if not callable(getattr(vectors, "passages", None)):
        raise OptionError(
            f"vectors={vectors!r} cannot be asked for passages.",
            "A PassageStore has passages, apassages and restricts.",
            "Wrap the store: pageindex_langchain.VectorPassages, pageindex_llamaindex.VectorPassages, or your own.",
        )
    weight = getattr(vectors, "weight", None)
    if weight is not None and not (isinstance(weight, (int, float)) and 0 <= weight < float("inf")):
        raise OptionError(f"weight={weight!r} of vectors= cannot be used.", "It is a share of what words count: 0.05.")
    if shortlist not in ("documents", "pages"):
        raise OptionError(f"shortlist={shortlist!r} is unknown.", "Vectors choose documents or pages.")
    if shortlist == "pages" and navigator in ("tree", "agent"):
        raise OptionError(
            f"shortlist='pages' and navigator={navigator!r} exclude each other.",
            "A model is shown whole documents.",
            "Use shortlist='documents', or navigator='lexical'.",
        )
    if options.mode != "words":
        raise OptionError(
            f"mode={options.mode!r} and vectors= exclude each other.",
            "Phrases and patterns are found as they are written.",
            "Leave one of them out.",
        )


def _check_tests(keep: object, least_score: object) -> None:
    if keep is not None and not callable(keep):
        raise OptionError(f"keep={keep!r} cannot be used.", "It is asked of each hit.", "Pass a function of a Hit.")
    is_number = isinstance(least_score, (int, float)) and not isinstance(least_score, bool)
    if least_score is not None and not (is_number and 0 <= least_score <= 1):  # type: ignore[operator]
        raise OptionError(
            f"least_score={least_score!r} cannot be used.", "Scores are shares of what can be reached.", "Pass 0 to 1."
        )


def _check_kinds(library: Library, scope: Scope, navigation: NavigationOptions | None) -> None:
    """Refuse what is near to what is meant, where another error would tell nothing."""
    if isinstance(library, (str, PathLike)):
        raise OptionError(f"library={library!r} is no library.", "It is the path of one.", "Pass open_library(path).")
    if not isinstance(scope, Scope):
        raise OptionError(
            f"scope={scope!r} is no scope.",
            "What may be seen has to be said, so that nothing is shown by mistake.",
            'Pass Scope() for everything, or Scope(documents=("report.pdf",)), Scope(folder="/reports").',
        )
    if navigation is not None and not isinstance(navigation, NavigationOptions):
        raise OptionError(f"navigation={navigation!r} cannot be used.", "It is no NavigationOptions.", "Pass these.")


def _options(question: str, *, k: int = 5, **others: Any) -> SearchOptions:
    if not isinstance(question, str) or not question.strip():
        raise QuestionError("The question is empty.", "There is nothing to look for.", "Ask for at least one word.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise QuestionError(f"k={k!r} cannot be used.", "At least one hit is given.", "Pass a whole number from 1.")
    return SearchOptions(k=k, **others)


def _by_words(question: str, scope: Scope, options: SearchOptions) -> Navigator:
    if options.mode == "words":
        from pageindex_core.search.lexical import search_words

        return search_words(question, scope, options)
    from pageindex_core.search.exact import search_exactly

    return search_exactly(question, scope, options)


def _by_model(
    navigator: NavigatorName,
    question: str,
    scope: Scope,
    options: SearchOptions,
    navigation: NavigationOptions | None,
    model: ChatModel | None,
) -> Navigator:
    if options.mode != "words":
        raise OptionError(
            f"mode={options.mode!r} and navigator={navigator!r} exclude each other.",
            "Phrases and patterns are found without a model.",
            "Leave one of them out.",
        )
    if model is None:
        return without_model(question, scope, options)
    navigation = navigation or NavigationOptions()
    if navigator == "tree":
        from pageindex_core.search.tree.navigator import search_tree

        return search_tree(question, scope, options, navigation)
    from pageindex_core.search.agent.navigator import search_agent

    return search_agent(question, scope, options, navigation)


def without_model(question: str, scope: Scope, options: SearchOptions) -> Navigator:
    """Answer by words where a model was asked for and there is none, and say so."""
    result = yield from _by_words(question, scope, options)
    return replace(result, notes=(*result.notes, Note("no_model", "No model was given; the order of words answers.")))


def _opened(model: ChatModel | str | None, budget: Budget | None) -> ChatModel | None:
    from pageindex_core.llm import metered, open_model

    opened = open_model(model)
    return opened if opened is None or budget is None else metered(opened, budget=budget)
