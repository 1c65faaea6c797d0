"""The command ``evaluate``: what navigators find of the evidence of a user's own questions. Package-private."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pageindex_core.cli.ask import model_of, scope_of
from pageindex_core.cli.commands import complain
from pageindex_core.cli.given import open_to_read
from pageindex_core.cli.tables import plain, print_json
from pageindex_core.errors import ModelError, OptionError, SourceNotFoundError
from pageindex_core.records import Hit, SearchResult

if TYPE_CHECKING:
    from pageindex_core.evaluate import Evaluation

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

    def line(self, name: str, questions: int) -> str:
        """Tell what a question cost."""
        told = f"{self.milliseconds / questions:.0f} ms a question"
        if self.model_calls:
            calls, tokens = self.model_calls / questions, self.input_tokens / questions
            told = f"{calls:.1f} calls and {tokens:.0f} tokens to the model, {told}"
        return f"{name}: {told}"


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
    infos = library.list(scope)
    absent = [one.document for one in questions if not named_in(infos, one.document)]
    if absent:
        count = f"{len(absent)} of {len(questions)} questions"
        complain(plain(f"{count} are about documents that are not searched: {', '.join(dict.fromkeys(absent))}"))
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
        print_json(_as_json(found, len(questions), spent))
    else:
        print(f"{len(questions)} questions; pages: share of the evidence pages among the first k that are named")
        print(found)
        for name, one in spent.items():
            print(one.line(name, len(questions)))
    sys.stdout.flush()
    for name, one in spent.items():
        if one.failures:
            count = f"{len(one.failures)} of {len(questions)} questions"
            complain(plain(f"{name}: words answered {count}. {one.failures[0]}"))
    return ModelError.exit_code if any(one.failures for one in spent.values()) else 0


def _as_json(found: Evaluation, questions: int, spent: Mapping[str, _Spent]) -> dict[str, Any]:
    kinds = ("page_recall", "document_recall", "tokens")
    figures = {
        name: {str(k): {kind: found.mean(name, kind, k) for kind in kinds} for k in found.ks} for name in found.outcomes
    }
    return {"questions": questions, "figures": figures, "differences": found.differences, "spent": spent}
