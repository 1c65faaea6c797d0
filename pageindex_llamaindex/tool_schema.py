"""The core's description of a tool, as the framework's metadata: exactly the same JSON schema."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel, ConfigDict, Field, create_model

from pageindex_core.llm.protocol import Tool


def metadata_of(tool: Tool) -> ToolMetadata:
    """Give the framework's metadata of a tool; its schema is the tool's own, to the letter."""
    arguments = _class_of(tool.name, json.dumps(dict(tool.parameters)))
    return ToolMetadata(name=tool.name, description=tool.description, fn_schema=arguments)


@lru_cache(maxsize=64)  # a class takes milliseconds to make, and each question offers the same tools
def _class_of(name: str, parameters: str) -> type[BaseModel]:
    schema = json.loads(parameters)

    def take_over(generated: dict[str, Any]) -> None:
        generated.clear()
        generated.update(json.loads(parameters))

    # Values of any type are let through: the core mends slips, and explains what it cannot mend.
    required = schema.get("required", ())
    fields: dict[str, Any] = {
        key: (Any, Field(... if key in required else None, description=given.get("description")))
        for key, given in schema.get("properties", {}).items()
    }
    return create_model(name, __config__=ConfigDict(json_schema_extra=take_over), **fields)


def offered(tool: Tool) -> FunctionTool:
    """Give a tool that a model is only told of: its calls are run by the navigator, not by the framework."""

    def refuse(**arguments: Any) -> None:
        raise TypeError(f"The tool {tool.name!r} is run by the navigator that offered it.")

    return FunctionTool.from_defaults(fn=refuse, tool_metadata=metadata_of(tool))
