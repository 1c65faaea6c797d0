"""Our retriever as a tool of the framework's agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms import types
from llama_index.core.llms import ChatMessage, MessageRole, mock
from llama_index.core.tools import RetrieverTool

from pageindex_llamaindex import PageIndexRetriever

pytestmark = [
    pytest.mark.skipif(
        not hasattr(types, "ToolCallBlock") or not hasattr(mock, "MockFunctionCallingLLM"),
        reason="this version of the framework has no mock model that calls tools",
    ),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),  # of the framework's own making
]

QUESTION = "Which soap for the bearings?"


async def test_an_agent_uses_us_as_a_tool(manual: Path) -> None:
    """A function-calling agent calls the retriever tool, reads sections with their places, and answers."""

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        if messages[-1].role == MessageRole.TOOL:
            return ChatMessage(role="assistant", content=f"Read: {messages[-1].content}")
        call = types.ToolCallBlock(tool_call_id="1", tool_name="manual", tool_kwargs={"input": QUESTION})
        return ChatMessage(role="assistant", blocks=[call])

    retriever = PageIndexRetriever.from_files(manual, similarity_top_k=1)
    tool = RetrieverTool.from_defaults(retriever, name="manual", description="The manual.")
    llm = mock.MockFunctionCallingLLM(response_generator=reply)
    answer = str(await FunctionAgent(tools=[tool], llm=llm, streaming=False).run(QUESTION))
    assert answer.startswith("Read: ")
    assert "section_path: 1 Pumps > 1.2 Bearings" in answer
    assert "lithium soap" in answer
