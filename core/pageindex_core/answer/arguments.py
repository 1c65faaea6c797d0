"""Refuses arguments of ``ask`` that cannot be meant, before anything is read or a model is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from pageindex_core.errors import OptionError, QuestionError
from pageindex_core.llm.budget import Budget
from pageindex_core.llm.prompts.load import load_prompt
from pageindex_core.llm.protocol import Message
from pageindex_core.options import NavigationOptions
from pageindex_core.records import Scope

NAVIGATORS = ("lexical", "tree", "agent")

READS = ("shortlist", "list", "get", "pages", "tree")
"""What is asked of a library here."""


def check_question(question: Any, k: Any) -> None:
    """Raise ``QuestionError`` where there is nothing to look for, or nothing is to be read."""
    if not isinstance(question, str) or not question.strip():
        raise QuestionError("The question is empty.", "There is nothing to look for.", "Ask for at least one word.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise QuestionError(f"k={k!r} cannot be used.", "At least one hit is read.", "Pass a whole number from 1.")


def check_kinds(
    library: Any, *, navigator: Any, scope: Any, budget: Any, history: Any, background: Any, navigation: Any
) -> None:
    """Raise ``OptionError`` where an argument is of another kind than it has to be."""
    if isinstance(library, (str, PathLike)):
        raise OptionError(f"library={library!r} is no library.", "It is the path of one.", "Pass open_library(path).")
    if not all(callable(getattr(library, read, None)) for read in READS):
        raise OptionError(f"library={library!r} is no library.", "It cannot be read.", "Pass open_library(path).")
    if not isinstance(navigator, str) or navigator not in NAVIGATORS:
        raise OptionError(
            f"navigator={navigator!r} is unknown.", "Navigators are lexical, tree and agent.", "Pass one of these."
        )
    if not isinstance(scope, Scope):
        raise OptionError(
            f"scope={scope!r} is no scope.",
            "What may be seen has to be said, so that nothing is shown by mistake.",
            'Pass Scope() for everything, or Scope(documents=("report.pdf",)), Scope(folder="/reports").',
        )
    if budget is not None and not isinstance(budget, Budget):
        raise OptionError(f"budget={budget!r} cannot be used.", "It is no Budget.", "Pass Budget(calls=3), or None.")
    _check_history(history)
    if not isinstance(background, str):
        raise OptionError(f"background={background!r} cannot be used.", "It is no text.", 'Pass a text; "" is none.')
    if navigation is not None and not isinstance(navigation, NavigationOptions):
        raise OptionError(f"navigation={navigation!r} cannot be used.", "It is no NavigationOptions.", "Pass these.")
    if navigation is not None:
        _check_prompts(navigation.prompts)


def _check_history(history: Any) -> None:
    is_row = isinstance(history, Sequence) and not isinstance(history, (str, bytes, Mapping))
    if is_row and all(isinstance(turn, Message) for turn in history):
        return
    wrong = next((turn for turn in history if not isinstance(turn, Message)), history) if is_row else history
    raise OptionError(
        f"history={wrong!r} cannot be used.",
        "Earlier turns are messages, oldest first.",
        'Pass [Message("user", "…"), Message("assistant", "…")].',
    )


def _check_prompts(prompts: Any) -> None:
    """Load each wording now: a later call would refuse it when earlier ones are paid for."""
    load_prompt("answer", prompts)
    for name in prompts:
        load_prompt(name, prompts)
