"""The core's tools as a tool spec of the framework, alone and in the hands of its agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms import types
from llama_index.core.llms import LLM, ChatMessage, MessageRole, mock
from llama_index.core.tools import QueryEngineTool

from pageindex_core.errors import OptionError
from pageindex_core.records import Scope
from pageindex_core.testing import ModelServer, scripted, tool_calls
from pageindex_core.tools import DocumentTools, tool_specs
from pageindex_llamaindex import PageIndex, PageIndexToolSpec

pytestmark = pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")  # the framework's own

needs_mock = pytest.mark.skipif(
    not hasattr(types, "ToolCallBlock") or not hasattr(mock, "MockFunctionCallingLLM"),
    reason="this version of the framework has no mock model that calls tools",
)
PAGES = {"doc_name": "manual.pdf", "pages": "2"}


@pytest.fixture
def index(manual: Path, notes: Path) -> PageIndex:
    return PageIndex.from_files([manual, notes])


def test_tools_carry_the_cores_names_descriptions_and_schemas(index: PageIndex) -> None:
    """What a model is told is the contract of the core, to the letter, without what is switched off."""
    tools = PageIndexToolSpec(index.library).to_tool_list()
    assert [tool.metadata.name for tool in tools] == [spec.name for spec in tool_specs()]
    for tool, spec in zip(tools, tool_specs(), strict=True):
        sent = tool.metadata.to_openai_tool()["function"]
        assert sent["description"] == spec.description
        assert sent["parameters"]["properties"] == spec.parameters["properties"]
        assert sent["parameters"]["required"] == spec.parameters["required"]
        assert tool.metadata.fn_schema is not None
        assert set(tool.metadata.fn_schema.model_fields) == set(spec.parameters["properties"])


async def test_a_tool_gives_what_the_core_gives_as_json(index: PageIndex) -> None:
    """Model and program see the same result, sync and async, as text and as an object."""
    (tool,) = PageIndexToolSpec(index.library).to_tool_list(["get_page_content"])
    expected = DocumentTools(index.library).get_page_content(**PAGES)
    assert "lithium soap" in json.dumps(expected)
    for output in (tool.call(**PAGES), await tool.acall(**PAGES)):
        assert output.raw_output == expected
        assert json.loads(output.content) == expected


async def test_slips_of_the_model_are_answered_and_never_raised(index: PageIndex) -> None:
    """Unknown documents, missing and superfluous arguments come back as an error that says what to do next."""
    (tool,) = PageIndexToolSpec(index.library).to_tool_list(["get_page_content"])
    for slip in ({"doc_name": "manul.pdf", "pages": "2"}, {}, {**PAGES, "pages": "x"}):
        for output in (tool.call(**slip), await tool.acall(**slip)):
            assert output.raw_output["error"]
            assert output.raw_output["next_steps"]


def test_scope_and_management_are_the_hosts_to_give(index: PageIndex) -> None:
    """A document outside the scope is not there for any tool, and none can be removed unless that is switched on."""
    name = index.library.list()[0].name
    other = next(info for info in index.library.list() if info.name != name)
    spec = PageIndexToolSpec(index.library, scope=Scope(documents=(other.doc_id,)))
    assert "error" in spec.get_document(name)
    assert spec.get_document(other.name)["success"]
    with pytest.raises(OptionError, match="remove_document"):
        spec.to_tool_list(["remove_document"])
    assert "error" in spec.call("remove_document", {"doc_name": other.name})
    (remove,) = PageIndexToolSpec(index.library, management=True).to_tool_list([("remove_document", "any")])
    assert remove.call(doc_name=other.name).raw_output["success"]
    assert [info.name for info in index.library.list()] == [name]


@needs_mock
async def test_an_agent_with_the_mock_model_finds_and_reads(index: PageIndex) -> None:
    """A FunctionAgent runs our tools by the calls of the framework's own mock model, one after the other."""
    calls = [("find_in_document", {"doc_name": "manual.pdf", "query": "soap"}), ("get_page_content", PAGES)]

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        done = [message for message in messages if message.role == MessageRole.TOOL]
        if len(done) == len(calls):
            return ChatMessage(role="assistant", content=f"Read: {done[-1].content}")
        name, arguments = calls[len(done)]
        call = types.ToolCallBlock(tool_call_id=name, tool_name=name, tool_kwargs=arguments)
        return ChatMessage(role="assistant", blocks=[call])

    tools = PageIndexToolSpec(index.library).to_tool_list()
    llm = mock.MockFunctionCallingLLM(response_generator=reply)
    answer = str(await FunctionAgent(tools=tools, llm=llm, streaming=False).run("Which soap?"))
    assert answer.startswith("Read: ")
    assert "lithium soap" in answer


@needs_mock
async def test_an_agent_over_the_wire_gets_bad_arguments_explained(
    index: PageIndex, server: ModelServer, make_llm: Callable[..., LLM]
) -> None:
    """A model that slips is told how to go on, and reads the page with its next call."""
    server.answer = scripted(
        [
            tool_calls(("get_page_content", {"doc_name": "manul.pdf", "pages": "2"})),
            tool_calls(("get_page_content", PAGES)),
        ],
        then="Lithium soap.",
    )
    tools = PageIndexToolSpec(index.library).to_tool_list()
    answer = await FunctionAgent(tools=tools, llm=make_llm(), streaming=False).run("Which soap?")
    assert str(answer) == "Lithium soap."
    results = [message["content"] for message in server.requests[-1].messages if message["role"] == "tool"]
    assert "manual.pdf" in json.loads(results[0])["next_steps"][0] or "manual.pdf" in results[0]
    assert "lithium soap" in results[1]


@needs_mock
async def test_an_engine_that_navigates_is_a_tool_too(
    index: PageIndex, server: ModelServer, make_llm: Callable[..., LLM]
) -> None:
    """QueryEngineTool over the tree mode answers an agent's question, stripped of what tools put before it."""
    tool = QueryEngineTool.from_defaults(
        index.as_query_engine(llm=make_llm(), retriever_mode="tree", similarity_top_k=1),
        name="manual",
        description="The manual.",
    )
    output = await tool.acall(input="Which soap for the bearings?")
    assert output.raw_output.source_nodes[0].node.metadata["title"] == "1.2 Bearings"
    assert "<question>Which soap for the bearings?</question>" in server.requests[0].prompt
