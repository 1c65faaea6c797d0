"""Models of a framework, here one of the tests' own: what they take as a parameter, and what is told them in words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from pageindex_core.errors import ModelError
from pageindex_core.llm import Message, ModelReply, ModelRequest, Tool
from pageindex_core.llm.contract import SCHEMA_LEAD, TOOLS_LEAD, Sending, sending_of
from pageindex_core.llm.hosted import HostedModel, MissingFeatureError
from pageindex_core.llm.replies import Answered

SCHEMA = {"type": "object", "properties": {"page": {"type": "integer"}}, "required": ["page"]}
LOOK = Tool("look", "Look at a page.", SCHEMA)
CALL = '{"tool": "look", "arguments": {"page": 3}}'


class RefusalError(Exception):
    """What a provider's client raises for a parameter that its model does not know."""

    status_code = 400


class Framework(HostedModel[str]):
    """Says what it was made to say, and keeps what it was sent."""

    def __init__(self, says: str = '{"page": 7}', refuses: dict[str, Exception] | None = None) -> None:
        super().__init__()
        self.says = says
        self.refuses = refuses or {}
        self.sent: list[Sending] = []

    @property
    def name(self) -> str:
        return "framework"

    def _send(self, sent: Sending) -> str:
        self.sent.append(sent)
        if sent.feature in self.refuses:
            raise self.refuses[sent.feature]
        return self.says

    async def _asend(self, sent: Sending) -> str:
        return self._send(sent)

    def _open(self, sent: Sending) -> Iterator[str]:
        yield from self._send(sent)

    async def _aopen(self, sent: Sending) -> AsyncIterator[str]:
        for piece in self._send(sent):
            yield piece

    def _text(self, piece: str) -> str:
        return piece

    def _answered(self, raw: str) -> Answered:
        return Answered(raw)

    def _joined(self, pieces: list[str]) -> Answered:
        return Answered("".join(pieces))


def request(**more: Any) -> ModelRequest:
    return ModelRequest((Message("user", "Which page?"),), "tree", "tree.v1", **more)


@pytest.mark.parametrize(
    ("asked", "unknown", "feature", "leads"),
    [
        ({}, {}, None, ""),
        ({"schema": SCHEMA}, {}, "schema", ""),
        ({"schema": SCHEMA}, {"schema"}, None, SCHEMA_LEAD),
        ({"tools": (LOOK,)}, {"schema"}, "tools", ""),
        ({"tools": (LOOK,)}, {"tools"}, None, TOOLS_LEAD),
        ({"schema": SCHEMA, "tools": (LOOK,)}, {}, "tools", SCHEMA_LEAD),
        ({"schema": SCHEMA, "tools": (LOOK,)}, {"tools"}, None, TOOLS_LEAD),
    ],
)
def test_what_is_not_sent_as_a_parameter_is_told_in_words(
    asked: dict[str, Any], unknown: set[str], feature: str | None, leads: str
) -> None:
    """Never both, and never neither; beside tools the form is always told in words."""
    sent = sending_of(request(**asked), frozenset(unknown))
    assert sent.feature == feature
    told = sent.messages[0].content
    assert told.startswith(leads) if leads else told == "Which page?"


@pytest.mark.parametrize("form_is_a_tool", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_model_refuses_is_told_in_words_from_then_on(form_is_a_tool: bool, is_async: bool) -> None:
    """Once, and with tools a form that goes out as one; a model that says at once what it misses is believed."""
    for missing in (RefusalError("tools are not supported, nor is response_format"), MissingFeatureError()):
        model = Framework(refuses={"schema": missing, "tools": missing})
        model.form_is_a_tool = form_is_a_tool  # type: ignore[misc]  # of this one alone
        for _ in range(2):
            asked = request(schema=SCHEMA)
            reply = await model.acomplete(asked) if is_async else model.complete(asked)
            assert reply.value == {"page": 7}
        model.says = CALL
        assert model.complete(request(tools=(LOOK,))).tool_calls[0].name == "look"
        both = form_is_a_tool and isinstance(missing, RefusalError)
        tried = ["schema", None, None] if both else ["schema", None, None, "tools"]
        assert [sent.feature for sent in model.sent] == [*tried, None]


def test_other_refusals_are_errors() -> None:
    """A request that names no feature cannot be told in other words."""
    for asked in ({}, {"schema": SCHEMA}):
        refusal = RefusalError("The prompt is too long.")
        with pytest.raises(ModelError, match="too long"):
            Framework(refuses={None: refusal, "schema": refusal}).complete(request(**asked))  # type: ignore[dict-item]


@pytest.mark.parametrize("streams_calls", [False, True])
async def test_what_may_call_tools_is_streamed_in_pieces_or_comes_whole(streams_calls: bool) -> None:
    """Where a stream holds no calls, neither do its pieces, and both ways of streaming say the same."""
    model = Framework(says=CALL, refuses={"tools": MissingFeatureError()})
    model.streams_calls = streams_calls  # type: ignore[misc]
    for told in (
        list(model.stream(request(tools=(LOOK,)))),
        [each async for each in model.astream(request(tools=(LOOK,)))],
    ):
        *pieces, reply = told
        assert "".join(map(str, pieces)) == (CALL if streams_calls else "")
        assert isinstance(reply, ModelReply)
        assert reply.tool_calls[0].name == "look"
