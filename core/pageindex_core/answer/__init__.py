"""Takes a question and a library, gives an ``Answer``: its text, checked citations, the hits and what it cost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pageindex_core.answer.arguments import check_kinds, check_question
from pageindex_core.answer.asking import Question, answer_question
from pageindex_core.answer.text_pieces import answer_pieces
from pageindex_core.library.protocol import ALL, Library
from pageindex_core.llm import Budget, ChatModel, Message, metered, open_model
from pageindex_core.options import NavigationOptions, SearchOptions
from pageindex_core.records import Answer, Event, Scope
from pageindex_core.search import NavigatorName
from pageindex_core.search.navigate import Finished, afollow, arun, follow, run

__all__ = ["aask", "ask", "astream_answer", "stream_answer"]


def ask(
    library: Library,
    question: str,
    *,
    model: ChatModel | str | None = None,
    navigator: NavigatorName = "tree",
    k: int = 5,
    scope: Scope = ALL,
    budget: Budget | None = None,
    history: Sequence[Message] = (),
    background: str = "",
    navigation: NavigationOptions | None = None,
) -> Answer:
    """Answer a question from the documents, with citations that have been checked.

    Args:
        library: Where the documents are.
        question: In plain words.
        model: A model object or a LiteLLM name. With None, or when it fails, the best lines are quoted instead, and
            ``answered_by`` and the notes say so.
        navigator: How the pages are found: ``lexical`` by words, ``tree`` by a model's choice from a map, ``agent`` by
            a model that reads with tools.
        k: How many hits to read from.
        scope: Which documents may be seen. Enforced in each read of the library.
        budget: The most that this question may spend. What was found when it is used up answers.
        history: Earlier turns of the conversation, oldest first.
        background: What helps to understand the question: the domain, what the documents are.
        navigation: How the model finds its way, and how much it reads.

    Raises:
        QuestionError: the question is empty, or k is below 1.
        OptionError: another argument cannot be meant.
        LibraryError: the library cannot be read.
    """
    asked, opened = _question(
        library, question, model=model, navigator=navigator, k=k, scope=scope, budget=budget,
        history=history, background=background, navigation=navigation,
    )  # fmt: skip
    return run(answer_question(asked), library, opened)


async def aask(
    library: Library,
    question: str,
    *,
    model: ChatModel | str | None = None,
    navigator: NavigatorName = "tree",
    k: int = 5,
    scope: Scope = ALL,
    budget: Budget | None = None,
    history: Sequence[Message] = (),
    background: str = "",
    navigation: NavigationOptions | None = None,
) -> Answer:
    """Do what ``ask`` does, without blocking the event loop."""
    asked, opened = _question(
        library, question, model=model, navigator=navigator, k=k, scope=scope, budget=budget,
        history=history, background=background, navigation=navigation,
    )  # fmt: skip
    return await arun(answer_question(asked), library, opened)


def stream_answer(library: Library, question: str, **arguments: Any) -> Iterator[Event | Answer]:
    """Give what happens while a question is answered, and last the ``Answer``.

    Args:
        library: Where the documents are.
        question: In plain words.
        arguments: As ``ask`` takes them.
    """
    asked, opened = _streamed(library, question, **arguments)
    for told in answer_pieces(follow(answer_question(asked), library, opened)):
        yield told.result if isinstance(told, Finished) else told


async def astream_answer(library: Library, question: str, **arguments: Any) -> AsyncIterator[Event | Answer]:
    """Do what ``stream_answer`` does, without blocking the event loop."""
    from pageindex_core.answer.text_pieces import aanswer_pieces

    asked, opened = _streamed(library, question, **arguments)
    async for told in aanswer_pieces(afollow(answer_question(asked), library, opened)):
        yield told.result if isinstance(told, Finished) else told


def _streamed(
    library: Library,
    question: str,
    *,
    model: ChatModel | str | None = None,
    navigator: NavigatorName = "tree",
    k: int = 5,
    scope: Scope = ALL,
    budget: Budget | None = None,
    history: Sequence[Message] = (),
    background: str = "",
    navigation: NavigationOptions | None = None,
) -> tuple[Question, ChatModel | None]:
    asked, opened = _question(
        library, question, model=model, navigator=navigator, k=k, scope=scope, budget=budget,
        history=history, background=background, navigation=navigation,
    )  # fmt: skip
    return replace(asked, streams=True), opened


def _question(
    library: Library,
    question: str,
    *,
    model: ChatModel | str | None,
    navigator: NavigatorName,
    k: int,
    scope: Scope,
    budget: Budget | None,
    history: Sequence[Message],
    background: str,
    navigation: NavigationOptions | None,
) -> tuple[Question, ChatModel | None]:
    """Check the arguments; give the question, and the model that is asked."""
    check_question(question, k)
    check_kinds(
        library, navigator=navigator, scope=scope, budget=budget,
        history=history, background=background, navigation=navigation,
    )  # fmt: skip
    opened = _opened(model, budget)
    asked = Question(
        text=question,
        scope=scope,
        options=SearchOptions(k=k),
        navigator=navigator,
        navigation=navigation or NavigationOptions(),
        history=tuple(history),
        background=background,
        has_model=opened is not None,
    )
    return asked, opened


def _opened(model: ChatModel | str | None, budget: Budget | None) -> ChatModel | None:
    opened = open_model(model)
    return opened if opened is None or budget is None else metered(opened, budget=budget)
