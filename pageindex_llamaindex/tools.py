"""``PageIndexToolSpec``: the core's tools for agents, as a LlamaIndex tool spec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.tools import FunctionTool, ToolMetadata
from llama_index.core.tools.tool_spec.base import SPEC_FUNCTION_TYPE, BaseToolSpec

from pageindex_core.library import AnyLibrary, as_library
from pageindex_core.library.protocol import ALL
from pageindex_core.llm.protocol import Tool
from pageindex_core.records import Scope
from pageindex_core.tools import DocumentTools, as_text
from pageindex_llamaindex.tool_schema import metadata_of


class PageIndexToolSpec(DocumentTools, BaseToolSpec):
    """Tools to browse documents, see their sections, find places and read pages, for an agent of the framework.

    ::

        tools = PageIndexToolSpec(index.library, scope=Scope(folder="/reports")).to_tool_list()
        agent = FunctionAgent(tools=tools, llm=llm)

    Tools never raise for what the model did: slips in arguments are repaired or explained. They give JSON to the model,
    and the same as an object in ``ToolOutput.raw_output``. The methods of the core's ``DocumentTools`` are there too.

    Args:
        library: Where the documents are: a library, or the folder of one.
        scope: What may be seen; no call can leave it.
        management: Whether documents may be removed.
    """

    def __init__(self, library: AnyLibrary, *, scope: Scope = ALL, management: bool = False) -> None:
        super().__init__(as_library(library), scope=scope, management=management)
        self.spec_functions: list[SPEC_FUNCTION_TYPE] = [tool.name for tool in self.specs()]

    def to_tool_list(
        self,
        spec_functions: Sequence[SPEC_FUNCTION_TYPE] | None = None,
        func_to_metadata_mapping: dict[str, ToolMetadata] | None = None,
    ) -> list[FunctionTool]:
        """Give the tools, each with a sync and an async side.

        Args:
            spec_functions: Only these, by name; a pair of names, as the framework allows, means its first.
            func_to_metadata_mapping: Other descriptions, by name.

        Raises:
            OptionError: no such tool, or one that is not switched on.
        """
        names = [each if isinstance(each, str) else each[0] for each in spec_functions or self.spec_functions]
        metadata = func_to_metadata_mapping or {}
        return [self._tool(tool, metadata.get(tool.name)) for tool in self.specs(names)]

    def _tool(self, tool: Tool, metadata: ToolMetadata | None) -> FunctionTool:
        def run(**arguments: Any) -> dict[str, Any]:
            return self.call(tool.name, arguments)

        async def arun(**arguments: Any) -> dict[str, Any]:
            return await self.acall(tool.name, arguments)

        return FunctionTool.from_defaults(
            fn=run,
            async_fn=arun,
            tool_metadata=metadata or metadata_of(tool),
            callback=as_text,
        )
