"""Custom events of a question: what a model does on its way, and the trace at the end.

They reach ``BaseCallbackHandler.on_custom_event`` and ``astream_events(version="v2")`` as children of the retriever's
run. Where nobody listens, none is made.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
    adispatch_custom_event,
    dispatch_custom_event,
)

from pageindex_core.library.protocol import Library
from pageindex_core.records import Event, SearchResult
from pageindex_core.search import asearch, astream_search, search, stream_search

EVENT = "pageindex_search"
"""Name of the event that carries the trace of each question."""

STEP_EVENT = "pageindex_step"
"""Name of the event of each step of a model: a map shown, a choice, a thought, a tool call, its result."""


def followed(run: CallbackManagerForRetrieverRun, library: Library, question: str, **arguments: Any) -> SearchResult:
    """Search, and tell the listeners of a run what happens.

    Args:
        run: Of the retriever.
        library: Where the documents are.
        question: What is asked.
        **arguments: The others of ``search``.
    """
    if not run.handlers:
        return search(library, question, **arguments)
    for told in stream_search(library, question, **arguments):
        dispatch_custom_event(*_event(told), config={"callbacks": run.get_child()})
    return _result(told)


async def afollowed(
    run: AsyncCallbackManagerForRetrieverRun, library: Library, question: str, **arguments: Any
) -> SearchResult:
    """Do what ``followed`` does, without holding up the event loop."""
    if not run.handlers:
        return await asearch(library, question, **arguments)
    async for told in astream_search(library, question, **arguments):
        await adispatch_custom_event(*_event(told), config={"callbacks": run.get_child()})
    return _result(told)


def _event(told: Event | SearchResult) -> tuple[str, dict[str, Any]]:
    if isinstance(told, Event):
        return STEP_EVENT, {"kind": told.kind, "text": told.text, "data": dict(told.data)}
    return EVENT, _trace(told)


def _result(told: Event | SearchResult) -> SearchResult:
    """The last thing told is the result."""
    assert isinstance(told, SearchResult)
    return told


def _trace(result: SearchResult) -> dict[str, Any]:
    return {
        **asdict(result.trace),
        "pages_read": [{"doc_id": doc_id, "page_number": number} for doc_id, number in result.trace.pages_read],
        "notes": [{"code": note.code, "message": note.message} for note in result.notes],
    }
