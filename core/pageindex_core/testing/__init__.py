"""Test doubles for code that calls models: a real HTTP server on loopback, and what it answers.

::

    from pageindex_core.llm import open_model
    from pageindex_core.testing import Fault, ModelServer, lexical, scripted

    with ModelServer(scripted([Fault.busy(retry_after_s=1), lexical()])) as server:
        model = open_model("openai/test-model", api_base=server.base_url, api_key="test")

An answerer of your own is a function from the JSON of the request to text, an assistant message or a ``Fault``.
"""

from __future__ import annotations

from pageindex_core.testing.answers import (
    always,
    choosing,
    cut_json,
    scripted,
    tool_calls,
    with_bad_arguments,
    with_extra_keys,
    with_prose,
    with_wrong_ids,
    without_schemas,
    without_tools,
)
from pageindex_core.testing.faults import Fault
from pageindex_core.testing.lexical import (
    best_sentence,
    first_sentence,
    lexical,
    options_in,
    question_in,
    rank,
    schema_of,
    texts_in,
)
from pageindex_core.testing.obedient import obedient
from pageindex_core.testing.server import Answer, Answerer, ModelServer, Recorded

__all__ = [
    "Answer",
    "Answerer",
    "Fault",
    "ModelServer",
    "Recorded",
    "always",
    "best_sentence",
    "choosing",
    "cut_json",
    "first_sentence",
    "lexical",
    "obedient",
    "options_in",
    "question_in",
    "rank",
    "schema_of",
    "scripted",
    "texts_in",
    "tool_calls",
    "with_bad_arguments",
    "with_extra_keys",
    "with_prose",
    "with_wrong_ids",
    "without_schemas",
    "without_tools",
]
