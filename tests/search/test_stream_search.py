"""What a search tells while it runs, before its result."""

from __future__ import annotations

from collections.abc import Callable

from pageindex_core.library.protocol import Library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.records import Event, SearchResult
from pageindex_core.search import astream_search, search, stream_search

MANUAL = ["# Safety\nKeep hands away.", "# Filters\nWash the filter every 40 hours."]
QUESTION = "How often must the filter be washed?"


async def test_steps_come_first_and_the_result_last(
    library: Library, add: Callable[..., str], model: LiteLLMModel
) -> None:
    """A stream, sync or async, tells the map and the choice, and ends with what ``search`` gives."""
    add("manual.pdf", MANUAL)
    told = list(stream_search(library, QUESTION, navigator="tree", model=model, k=2))
    atold = [each async for each in astream_search(library, QUESTION, navigator="tree", model=model, k=2)]
    expected = search(library, QUESTION, navigator="tree", model=model, k=2)
    for stream in (told, atold):
        *events, result = stream
        assert isinstance(result, SearchResult)
        assert result.hits == expected.hits
        assert [event.kind for event in events if isinstance(event, Event)] == ["step", "step"]
        assert events[1].data["choices"][0]["id"]  # type: ignore[union-attr,index]


def test_a_search_by_words_is_a_stream_of_its_result_alone(library: Library, add: Callable[..., str]) -> None:
    """Without a model there is nothing to tell on the way."""
    add("manual.pdf", MANUAL)
    (result,) = stream_search(library, QUESTION, k=1)
    assert isinstance(result, SearchResult)
    assert result.hits[0].title == "Filters"
