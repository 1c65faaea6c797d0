"""Takes a ``ModelRequest``, gives a ``ModelReply``: the boundary to every language model.

The records of the contract are bound at once; what needs a database or an event loop is loaded when first used, since
the stages import from here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pageindex_core.llm.protocol import ChatModel, Message, ModelReply, ModelRequest, Tool, ToolCall, Usage

if TYPE_CHECKING:
    from pageindex_core.llm.budget import Budget, CallRecord, Meter, Spent
    from pageindex_core.llm.cache import ReplyCache
    from pageindex_core.llm.meter import MeteredModel, metered
    from pageindex_core.llm.open import NamedModel, open_model
    from pageindex_core.llm.openai import OpenAIModel

_HOME = {
    "Budget": "budget",
    "CallRecord": "budget",
    "Meter": "budget",
    "MeteredModel": "meter",
    "NamedModel": "open",
    "OpenAIModel": "openai",
    "ReplyCache": "cache",
    "Spent": "budget",
    "metered": "meter",
    "open_model": "open",
}
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
    "OpenAIModel",
    "ReplyCache",
    "Spent",
    "Tool",
    "ToolCall",
    "Usage",
    "metered",
    "open_model",
]


def __getattr__(name: str) -> Any:
    """Load a name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
