"""The command ``evaluate``: what navigators find of the evidence of a user's own questions. Package-private."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pageindex_core.cli.ask import model_of, scope_of
from pageindex_core.cli.commands import complain, open_to_read
from pageindex_core.cli.tables import plain, print_json
from pageindex_core.errors import ModelError, OptionError, SourceNotFoundError
from pageindex_core.records import Hit, SearchResult

FAILED = ("model_failed", "budget_exceeded")
"""Codes of the notes that say that words answered in the place of a model."""


@dataclass(slots=True)
class _Spent:
    """What the questions of one navigator cost."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    """Why words answered in the place of the model, for each question where they did."""

    def add(self, result: SearchResult) -> None:
        """Count one question."""
        self.model_calls += result.trace.model_calls
        self.input_tokens += result.trace.input_tokens
        self.output_tokens += result.trace.output_tokens
        self.milliseconds += result.trace.milliseconds
        self.failures += [note.message for note in result.notes if note.code in FAILED][:1]


def evaluate_library(arguments: argparse.Namespace) -> int:
    """Print recall and tokens of each navigator; give 5 where a model failed, since words then answered for it."""
    from pageindex_core.evaluate import evaluate, named_in, read_questions
    from pageindex_core.search import search

    ks = sorted(set(arguments.k or (5, 10)))
    navigators = list(dict.fromkeys(arguments.navigator or ["lexical"]))
    model = model_of(arguments)
    if model is None and navigators != ["lexical"]:
        raise OptionError(
            f"--navigator {next(name for name in navigators if name != 'lexical')} needs --model.",
            "Without one words would answer for it.",
            "Name a model, or leave the navigator out.",
        )
    if not Path(arguments.questions).is_file():
        raise SourceNotFoundError(f"{arguments.questions} is not a file.", "", "Check the path.")
    questions = read_questions(arguments.questions)
    library = open_to_read(arguments)
    scope = scope_of(arguments, library)
    absent = [one.document for one in questions if not named_in(library.list(scope), one.document)]
    if absent:
        names = ", ".join(dict.fromkeys(absent))
        complain(
            plain(f"{len(absent)} of {len(questions)} questions are about documents that are not searched: {names}")
        )
    spent = {navigator: _Spent() for navigator in navigators}

    def asker(navigator: Any) -> Any:
        def ask(question: str) -> tuple[Hit, ...]:
            result = search(
                library, question, k=ks[-1], scope=scope, unit=arguments.unit, navigator=navigator, model=model
            )
            spent[navigator].add(result)
            return result.hits

        return ask

    found = evaluate(questions, {navigator: asker(navigator) for navigator in navigators}, k=ks)
    library.close()
    if arguments.json:
        figures = {
            name: {
                str(k): {one: found.mean(name, one, k) for one in ("page_recall", "document_recall", "tokens")}
                for k in ks
            }
            for name in found.outcomes
        }
        shown = {"questions": len(questions), "figures": figures, "differences": found.differences, "spent": spent}
        print_json(shown)
    else:
        print(f"{len(questions)} questions; pages: share of the evidence pages among the first k that are named")
        print(found)
        for name, one in spent.items():
            calls = (
                f"{one.model_calls / len(questions):.1f} calls and {one.input_tokens / len(questions):.0f} tokens to "
            )
            told = calls + "the model, " if one.model_calls else ""
            print(f"{name}: {told}{one.milliseconds / len(questions):.0f} ms a question")
    sys.stdout.flush()
    for name, one in spent.items():
        if one.failures:
            complain(
                plain(f"{name}: words answered {len(one.failures)} of {len(questions)} questions. {one.failures[0]}")
            )
    return ModelError.exit_code if any(one.failures for one in spent.values()) else 0
