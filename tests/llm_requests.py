"""Requests for tests of models: small, with what a provider has to be asked for."""

from __future__ import annotations

import asyncio
from typing import Any

from pageindex_core.llm import ChatModel, Message, ModelReply, ModelRequest, Tool

OPTIONS = ("0001", "0002", "0003")

SCHEMA = {
    "type": "object",
    "properties": {
        "nodes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"node_id": {"type": "string", "enum": list(OPTIONS)}, "reason": {"type": "string"}},
                "required": ["node_id"],
            },
        }
    },
    "required": ["nodes"],
}

TOOL = Tool(
    "get_page_content",
    "Gives the text of pages.",
    {"type": "object", "properties": {"pages": {"type": "string"}}, "required": ["pages"]},
)

GOOD = '{"nodes": [{"node_id": "0002", "reason": "filters are changed there"}]}'


def make_request(text: str = "How often is the filter replaced?", **changes: Any) -> ModelRequest:
    """Give a request with one user message."""
    fields = {"purpose": "tree", "prompt_version": "tree.v1", **changes}
    return ModelRequest((Message("user", text),), **fields)


def ask(model: ChatModel, request: ModelRequest, way: str) -> ModelReply:
    """Give the reply in one of the four ways to call a model: sync, async, stream, astream."""
    if way == "sync":
        return model.complete(request)
    if way == "async":
        return asyncio.run(model.acomplete(request))
    if way == "stream":
        return _last(list(model.stream(request)))
    return asyncio.run(_alast(model, request))


async def _alast(model: ChatModel, request: ModelRequest) -> ModelReply:
    return _last([piece async for piece in model.astream(request)])


def _last(pieces: list[str | ModelReply]) -> ModelReply:
    *texts, reply = pieces
    assert isinstance(reply, ModelReply)
    assert all(isinstance(text, str) for text in texts)
    assert "".join(map(str, texts)) == reply.text or reply.tool_calls
    return reply
