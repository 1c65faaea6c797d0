"""The command ``ask``: an answer with citations, printed whole or as it is written. Package-private."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pageindex_core.cli.given import conditions, get_document, open_to_read
from pageindex_core.cli.tables import answer_lines, hit_json, line_width, note_lines, plain, print_json, trace_lines
from pageindex_core.errors import ModelAccessError, OptionError
from pageindex_core.records import Answer, Event, Scope

if TYPE_CHECKING:
    from pageindex_core.library.protocol import Library
    from pageindex_core.llm import ChatModel


VOID = "[What stands above is void: it broke off or could not be used. The answer follows.]"
"""Tells a reader of a stream that its first part is not the answer."""


def ask_library(arguments: argparse.Namespace) -> int:
    """Print the answer to a question, with its citations; give 5 where the model refused access to itself."""
    from pageindex_core.answer import ask, stream_answer
    from pageindex_core.llm import Budget

    model = model_of(arguments)
    question = " ".join(arguments.question)
    library = open_to_read(arguments)
    given: dict[str, Any] = {
        "model": model,
        "navigator": arguments.navigator,
        "k": arguments.k,
        "scope": scope_of(arguments, library),
        "budget": Budget(calls=arguments.max_calls) if arguments.max_calls is not None else None,
        "background": arguments.background or "",
    }
    shown = ""
    if arguments.stream and not arguments.json:
        answer, shown = _print_stream(stream_answer(library, question, **given))
    else:
        answer = ask(library, question, **given)
    library.close()
    _print_answer(answer, arguments, shown)
    return ModelAccessError.exit_code if answer.failed_with == ModelAccessError.__name__ else 0


def model_of(arguments: argparse.Namespace) -> ChatModel | None:
    """Give the model that is named, at its address; None where none is."""
    from pageindex_core.llm import open_model

    if arguments.api_base and not arguments.model:
        raise OptionError(
            "--api-base goes with --model.", "No model is named.", "Name one, such as --model openai/my-model."
        )
    return open_model(arguments.model, **({"api_base": arguments.api_base} if arguments.api_base else {}))


def scope_of(arguments: argparse.Namespace, library: Library) -> Scope:
    """Give the documents that are named, in the folder, with the metadata."""
    scope = Scope(folder=arguments.folder, where=conditions(arguments.where))
    if not arguments.doc:
        return scope
    within = Scope(folder=arguments.folder)
    return replace(scope, documents=tuple(get_document(library, name, within).doc_id for name in arguments.doc))


def _print_stream(told: Any) -> tuple[Answer, str]:
    """Print pieces of the answer as they come, what else happens on standard error; give the answer, and the pieces."""
    answer: Answer | None = None
    shown: list[str] = []
    for one in told:
        if isinstance(one, Answer):
            answer = one
        elif isinstance(one, Event) and one.kind == "text":
            print("\n".join(map(plain, one.text.split("\n"))), end="", flush=True)
            shown.append(one.text)
        elif isinstance(one, Event) and one.kind != "answer":
            print(plain(f"{one.kind}: {one.text}")[: line_width(sys.stderr) or 200], file=sys.stderr, flush=True)
    if answer is None:
        raise RuntimeError("a followed navigator ends with its result")
    return answer, "".join(shown)


def _print_answer(answer: Answer, arguments: argparse.Namespace, shown: str) -> None:
    """Print an answer and its citations; its text only where it is not what has been shown while it came."""
    from pageindex_core.search.trace import trace_to_json

    if arguments.trace_file:
        with Path(arguments.trace_file).open("a", encoding="utf-8") as out:
            out.write(trace_to_json(answer.question, answer.trace))
    if arguments.json:
        found = {
            "question": answer.question,
            "answer": answer.text,
            "found": answer.found,
            "answered_by": answer.answered_by,
            "citations": answer.citations,
            "hits": [hit_json(hit) for hit in answer.hits],
            "notes": answer.notes,
        }
        print_json({**found, "trace": answer.trace} if arguments.trace else found)
        return
    is_shown = bool(shown.strip()) and shown.strip() == answer.text
    if shown.strip() and not is_shown:
        print(f"\n{VOID}\n")
    for line in answer_lines(answer, is_shown=is_shown):
        print(line)
    if arguments.trace:
        for line in trace_lines(answer):
            print(line)
    sys.stdout.flush()
    for line in note_lines(answer.notes):
        print(line, file=sys.stderr)
