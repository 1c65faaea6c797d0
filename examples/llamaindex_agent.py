"""A FunctionAgent of LlamaIndex with the library's tools: it looks for a place, reads the page, and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

from offline import llamaindex as offline
from pageindex_llamaindex import PageIndex, PageIndexToolSpec

QUESTION = "What is the delivery time of a new sleeve?"
CALLS = (
    ("find_in_document", {"doc_name": "manual.pdf", "query": "delivery of a new sleeve"}),
    ("get_page_content", {"doc_name": "manual.pdf", "pages": "28-29"}),
)
"""What a model would decide to call, one after the other; the offline one has it written down."""


def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
    """Make the next call; after the last one, quote from what the tools gave."""
    results = [message.content or "" for message in messages if message.role == MessageRole.TOOL]
    if len(results) == len(CALLS):
        return ChatMessage(offline.quote(QUESTION, "\n".join(results)), role=MessageRole.ASSISTANT)
    name, arguments = CALLS[len(results)]
    call = ToolCallBlock(tool_call_id=name, tool_name=name, tool_kwargs=arguments)
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[call])


async def main() -> None:
    """Index the manual, let the agent answer, and print what it did."""
    index = PageIndex.from_files(offline.MANUAL)
    tools = PageIndexToolSpec(index.library).to_tool_list()
    agent = FunctionAgent(tools=tools, llm=MockFunctionCallingLLM(response_generator=reply), streaming=False)

    run = agent.run(QUESTION)
    async for event in run.stream_events():
        if isinstance(event, ToolCallResult):
            print(f"{event.tool_name}: {len(event.tool_output.content)} characters")
    print("=", await run)


if __name__ == "__main__":
    asyncio.run(main())
