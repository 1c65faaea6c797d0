"""Takes a ``ModelRequest``, gives a ``ModelReply``: the boundary to every language model."""

from __future__ import annotations

from pageindex_core.llm.protocol import ChatModel, Message, ModelReply, ModelRequest, Tool, ToolCall, Usage

__all__ = ["ChatModel", "Message", "ModelReply", "ModelRequest", "Tool", "ToolCall", "Usage"]
