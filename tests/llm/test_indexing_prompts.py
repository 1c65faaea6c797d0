"""The wording of every indexing call, held against golden files, with document text inside its fence."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import assert_golden
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.prompts import load_prompt, without_marks
from pageindex_core.llm.prompts.fence import FENCED
from pageindex_core.pipeline.model import PROMPTS

GOLDENS = Path(__file__).with_name("goldens")
FIELDS = {"words": 150, "first": 3, "last": 4}
DOCUMENT = {
    "title": "2.1 Seals",
    "name": "manual.pdf",
    "text": "[page 3]\nA seal keeps the water in.",
    "entries": "e0: 2 Pumps\ne1: 2.1 Seals",
}


@pytest.mark.parametrize("name", PROMPTS)
def test_the_wording_is_changed_on_purpose_only(name: str) -> None:
    """Another wording needs a new version, so that cached replies to the old one are not taken for its own."""
    texts = {key: text for key, text in DOCUMENT.items() if key in load_prompt(name).fields}
    request = Asking().request(name, "summary", {"type": "object"}, texts, fields=FIELDS)
    written = "\n\n".join(f"[{message.role}]\n{message.content}" for message in request.messages)

    assert_golden(without_marks(written) + "\n", GOLDENS / f"{request.prompt_version}.txt")


@pytest.mark.parametrize("name", PROMPTS)
def test_text_of_the_document_stands_in_the_fence_alone(name: str) -> None:
    """Titles and file names are the document's words too: none of them stands where our instructions do."""
    texts = {key: f"<<{key}>>" for key in DOCUMENT if key in load_prompt(name).fields}
    request = Asking().request(name, "summary", {"type": "object"}, texts, fields=FIELDS)
    outside = "\n".join(FENCED.sub("", message.content) for message in request.messages)
    inside = "\n".join(match["text"] for message in request.messages for match in FENCED.finditer(message.content))

    assert texts
    assert all(text in inside and text not in outside for text in texts.values())
