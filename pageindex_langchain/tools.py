"""``PageIndexToolkit``: the tools of the core, with which an agent reads a library, as LangChain tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.tools import BaseTool, BaseToolkit, ToolException
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation

from pageindex_core.library.protocol import Library
from pageindex_core.llm.protocol import Tool
from pageindex_core.records import Scope

if TYPE_CHECKING:
    from pageindex_core.tools import DocumentTools


class PageIndexTool(BaseTool):
    """One tool of a toolkit.

    The model is sent JSON, the artifact of the ``ToolMessage`` is the same as an object. Arguments are checked by the
    core, which mends slips ("false" as text, a page past the end) and explains what it cannot mend; a refusal reaches
    the model as a message of status ``error`` that says what to do next.
    """

    handle_tool_error: bool | str | Callable[[ToolException], str] | None = True
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    _tools: DocumentTools = PrivateAttr()

    def __init__(self, tools: DocumentTools, spec: Tool, **settings: Any) -> None:
        """Make the tool that ``spec`` describes.

        Args:
            tools: What answers.
            spec: Name, description and arguments.
            **settings: Other fields of a ``BaseTool``.
        """
        form = {"title": spec.name, **spec.parameters}
        super().__init__(name=spec.name, description=spec.description, args_schema=form, **settings)
        self._tools = tools

    def _run(self, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        return _answer(self._tools.call(self.name, arguments))

    async def _arun(self, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        return _answer(await self._tools.acall(self.name, arguments))


class PageIndexToolkit(BaseToolkit):
    """The tools with which an agent finds and reads documents of one library.

    ::

        agent = create_agent(model, tools=PageIndexToolkit(library=index.library).get_tools())

    ``browse_documents``, ``get_document``, ``get_document_structure``, ``find_in_document``, ``get_page_content``, and
    ``remove_document`` where ``management`` is on. What may be seen is decided here; no call can leave it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    library: SkipValidation[Library] = Field(repr=False)
    """Where the documents are: an open library."""
    documents: tuple[str, ...] | None = None
    """Which documents, by ``doc_id``, source or name; None for all."""
    folder: str = "/"
    """Only this library folder and those below it."""
    filter: dict[str, Any] | Callable[[Mapping[str, Any]], bool] | None = None
    """Which documents, by their metadata."""
    management: bool = False
    """Whether documents may be removed."""

    def get_tools(self) -> list[BaseTool]:
        """Give the tools that are switched on."""
        from pageindex_core.tools import DocumentTools  # the tools are loaded for those who use them

        scope = Scope(documents=self.documents, folder=self.folder, where=self.filter or None)
        tools = DocumentTools(self.library, scope=scope, management=self.management)
        return [PageIndexTool(tools, spec) for spec in tools.specs()]


def _answer(result: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    text = json.dumps(result, ensure_ascii=False)
    if "error" in result:
        raise ToolException(text)
    return text, result
