"""Takes a ``ModelRequest``, gives a ``ModelReply``: the boundary to every language model."""

from __future__ import annotations

from pageindex_core.llm.budget import Budget, CallRecord, Meter, Spent
from pageindex_core.llm.cache import ReplyCache
from pageindex_core.llm.meter import MeteredModel, metered
from pageindex_core.llm.open import NamedModel, open_model
from pageindex_core.llm.protocol import ChatModel, Message, ModelReply, ModelRequest, Tool, ToolCall, Usage

__all__ = [
    "Budget",
    "CallRecord",
    "ChatModel",
    "Message",
    "Meter",
    "MeteredModel",
    "ModelReply",
    "ModelRequest",
    "NamedModel",
    "ReplyCache",
    "Spent",
    "Tool",
    "ToolCall",
    "Usage",
    "metered",
    "open_model",
]
