"""The wording of every call that answers a question, held against golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from answering_models import quoting
from golden import assert_golden
from pageindex_core import ask
from pageindex_core.library.protocol import Library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.prompts.fence import without_marks
from pageindex_core.options import NavigationOptions
from pageindex_core.testing import ModelServer

GOLDENS = Path(__file__).with_name("goldens")
MANUAL = ["# Safety\nWear gloves.", "# Filters\nWash the filter every 40 hours.\n## Belts\nReplace worn belts."]


@pytest.mark.parametrize(
    ("prompt", "navigator", "number", "options"),
    [
        ("tree.v2", "tree", 0, {"short_pages": 0}),
        ("tree_one_token.v2", "tree", 0, {"short_pages": 0, "one_token": True}),
        ("answer.v1", "lexical", 0, {}),
        ("agent.v1", "agent", 0, {"short_pages": 0}),
    ],
)
def test_the_wording_is_changed_on_purpose_only(
    library: Library,
    add: Callable[..., str],
    server: ModelServer,
    model: LiteLLMModel,
    prompt: str,
    navigator: str,
    number: int,
    options: dict[str, int],
) -> None:
    """Another wording needs a new version, so that cached replies to the old one are not taken for its own."""
    add("manual.pdf", MANUAL)
    server.answer = quoting("Wash the filter")
    ask(
        library,
        "How often is the filter washed?",
        model=model,
        navigator=navigator,  # type: ignore[arg-type]
        background="It is a saw.",
        navigation=NavigationOptions(**options),  # type: ignore[arg-type]
    )
    messages = server.requests[number].messages
    written = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)
    assert_golden(without_marks(written) + "\n", GOLDENS / f"{prompt}.txt")
