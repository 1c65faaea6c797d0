"""The toolkit: what an agent gets, what it may not see, and what it is told when it slips."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from pydantic import Field, ValidationError

from pageindex_core.testing import ModelServer, scripted, tool_calls
from pageindex_langchain import PageIndex, PageIndexToolkit

READING = [
    "browse_documents",
    "get_document",
    "get_document_structure",
    "find_in_document",
    "get_page_content",
]


class Parrot(GenericFakeChatModel):
    """A chat model that says what it was given, and keeps the tools it was offered."""

    offered: list[Any] = Field(default_factory=list)

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, Any]:
        self.offered.extend(tools)
        return self


def calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"type": "tool_call", "id": f"call-{name}", "name": name, "args": arguments}])


def named(tools: Iterable[BaseTool], name: str) -> BaseTool:
    return next(tool for tool in tools if tool.name == name)


def call(tools: Iterable[BaseTool], name: str, **arguments: Any) -> ToolMessage:
    message = named(tools, name).invoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
    assert isinstance(message, ToolMessage)
    return message


@pytest.fixture
def tools(index: PageIndex) -> list[BaseTool]:
    """The reading tools over both manuals."""
    return PageIndexToolkit(library=index.library).get_tools()


def test_removing_is_offered_only_where_it_is_switched_on(index: PageIndex) -> None:
    """Five tools read; the sixth is there with management, and removes for good."""
    assert [tool.name for tool in PageIndexToolkit(library=index.library).get_tools()] == READING
    managing = PageIndexToolkit(library=index.library, management=True).get_tools()
    assert [tool.name for tool in managing] == [*READING, "remove_document"]
    assert call(managing, "remove_document", doc_name="pump.md").status == "success"
    assert [info.name for info in index.library.list()] == ["boiler.md"]


def test_the_model_is_sent_json_and_the_program_gets_the_object(tools: list[BaseTool]) -> None:
    """Content and artifact are the same result, in the form that each side reads."""
    message = call(tools, "get_page_content", doc_name="pump.md", pages="1")
    assert message.status == "success"
    assert message.artifact["success"] is True
    assert json.loads(str(message.content)) == message.artifact
    assert "lithium grease" in str(message.content)


async def test_every_tool_answers_alike_sync_and_async(tools: list[BaseTool]) -> None:
    """The async way is the same way, beside the event loop."""
    for name, arguments in (
        ("browse_documents", {}),
        ("get_document_structure", {"doc_name": "boiler.md"}),
        ("find_in_document", {"doc_name": "boiler.md", "query": "electrodes"}),
    ):
        tool = named(tools, name)
        assert await tool.ainvoke(arguments) == tool.invoke(arguments)


def test_slips_are_mended(tools: list[BaseTool]) -> None:
    """Numbers and booleans as text, which models send, mean what they say."""
    message = call(tools, "get_document_structure", doc_name="PUMP", depth="1", summaries="false")
    assert message.status == "success"
    assert "summary" not in str(message.content)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_document", {"doc_name": "pumpe.md"}, "unknown_document"),
        ("get_document", {}, "bad_arguments"),
        ("get_page_content", {"doc_name": "pump.md", "pages": "first"}, "bad_pages"),
    ],
)
async def test_refusals_tell_the_model_what_to_do(
    tools: list[BaseTool], name: str, arguments: dict[str, Any], code: str
) -> None:
    """A refused call never ends the agent: it is a message of status error, with next steps."""
    message = call(tools, name, **arguments)
    assert message.status == "error"
    told = json.loads(str(message.content))
    assert told["error_code"] == code
    assert told["next_steps"]
    assert await named(tools, name).ainvoke(arguments) == message.content


@pytest.mark.parametrize("name", ["self", "cls", "args", "kwargs", "arguments", "name"])
async def test_a_superfluous_argument_may_have_any_name(tools: list[BaseTool], name: str) -> None:
    """An argument that is called as Python's own are ends no agent: it is left out like any other."""
    plain = {"doc_name": "pump.md", "pages": "1"}
    expected = call(tools, "get_page_content", **plain).content
    tool = named(tools, "get_page_content")
    assert tool.invoke({**plain, name: "x"}) == expected
    assert await tool.ainvoke({**plain, name: "x"}) == expected


@pytest.mark.parametrize(
    "scope", [{"folder": "/pumps"}, {"documents": ("pump.md",)}, {"filter": {"year": {"$lt": 2022}}}]
)
def test_what_may_not_be_seen_is_not_there(manuals: Path, scope: dict[str, Any]) -> None:
    """Folder, documents and filter bound every tool, whatever name the model gives."""
    index = PageIndex(folder="/pumps")
    index.add_files(manuals / "pump.md", metadata={"year": 2021})
    PageIndex(index.library, folder="/boilers").add_files(manuals / "boiler.md", metadata={"year": 2024})
    tools = PageIndexToolkit(library=index.library, management=True, **scope).get_tools()
    assert [info["doc_name"] for info in call(tools, "browse_documents").artifact["documents"]] == ["pump.md"]
    for name in ("get_document", "remove_document"):
        assert json.loads(str(call(tools, name, doc_name="boiler.md").content))["error_code"] == "unknown_document"
    assert len(index.library.list()) == 2


def test_unknown_settings_are_refused(index: PageIndex) -> None:
    """A misspelt setting is no toolkit with a wider scope."""
    with pytest.raises(ValidationError, match="folders"):
        PageIndexToolkit(library=index.library, folders="/pumps")


async def test_an_agent_reads_with_the_toolkit(tools: list[BaseTool]) -> None:
    """create_agent runs one tool after the other, goes on after a refusal, and answers."""
    script = [
        calling("find_in_document", doc_name="pump.md", query="strainer cartridge"),
        calling("get_page_content", doc_name="pumps.md", pages="1"),
        calling("get_page_content", doc_name="pump.md", pages="1"),
        AIMessage("Every 400 hours."),
    ]
    model = Parrot(messages=iter(script))
    state = await create_agent(model, tools=tools).ainvoke({"messages": [("user", "How often is it replaced?")]})
    messages: list[BaseMessage] = state["messages"]
    assert [message.status for message in messages if isinstance(message, ToolMessage)] == [
        "success",
        "error",
        "success",
    ]
    assert "every 400 operating hours" in str(messages[-2].content)
    assert messages[-1].content == "Every 400 hours."


def test_a_real_chat_model_is_offered_the_tools_as_they_are(tools: list[BaseTool]) -> None:
    """Over the wire, each tool has its description and its arguments, and its result goes back."""
    answers = [tool_calls(("find_in_document", {"doc_name": "pump.md", "query": "lithium"})), "With lithium grease."]
    with ModelServer(scripted(answers)) as server:
        model = ChatOpenAI(model="test-model", base_url=server.base_url, api_key="test", max_retries=0)
        state = create_agent(model, tools=tools).invoke({"messages": [("user", "What grease?")]})
        assert state["messages"][-1].content == "With lithium grease."
        offered = {tool["function"]["name"]: tool["function"] for tool in server.requests[0].tools}
        assert list(offered) == READING
        assert offered["get_page_content"]["parameters"]["required"] == ["doc_name", "pages"]
        assert "physical page number" in offered["get_page_content"]["description"]
        assert "lithium grease" in server.requests[1].prompt
