"""Arguments of a search: what cannot be meant is refused with what is meant, and all verbs take the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from pageindex_core.errors import FilterError, OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.options import ModelOptions, NavigationOptions
from pageindex_core.records import Scope
from pageindex_core.search import asearch, astream_search, search, stream_search

Add = Callable[..., str]


@pytest.mark.parametrize("scope", [None, "manual.pdf", ("manual.pdf",), {"folder": "/"}])
def test_what_is_no_scope_is_refused(library: Library, scope: Any) -> None:
    """The error says how to see everything, and how to name documents; nothing is shown by mistake."""
    with pytest.raises(OptionError, match=r"Scope\(\) for everything"):
        search(library, "tea", scope=scope)


@pytest.mark.parametrize(("name", "value"), [("max_tokens", "x"), ("max_tokens", 50.5), ("max_tokens", True)])
def test_a_number_that_is_none_is_refused(library: Library, name: str, value: Any) -> None:
    """The error names the argument and what it takes."""
    with pytest.raises(OptionError, match=f"{name}=.*whole number"):
        search(library, "tea", **{name: value})


def test_limits_of_cost_and_time_may_be_fractions_and_no_texts() -> None:
    """Calls are counted; money and seconds are measured."""
    assert ModelOptions(max_cost_usd=0.5, max_seconds=1.5).max_seconds == 1.5
    for options in ({"max_seconds": "5"}, {"max_cost_usd": float("nan")}, {"max_calls": 1.5}):
        with pytest.raises(OptionError):
            ModelOptions(**options)  # type: ignore[arg-type]


def test_a_path_is_no_library_yet() -> None:
    """The error says how to open it."""
    with pytest.raises(OptionError, match="open_library"):
        search("./library", "tea")  # type: ignore[arg-type]


def test_other_options_are_no_navigation(library: Library) -> None:
    """A mapping is not taken for options."""
    with pytest.raises(OptionError, match="NavigationOptions"):
        search(library, "tea", navigation={"beam": 2})  # type: ignore[arg-type]
    assert search(library, "tea", navigation=NavigationOptions(beam=2)).hits == ()


def test_one_document_may_be_named_by_a_text(library: Library, add: Add) -> None:
    """A text is one name, not its letters; a list is as good as a tuple."""
    add("a.pdf", ["# Tea\nleaves"])
    add("b.pdf", ["# Tea\nbags"])
    assert Scope(documents="b.pdf") == Scope(documents=("b.pdf",))  # type: ignore[arg-type]
    hits = search(library, "tea", scope=Scope(documents="b.pdf")).hits  # type: ignore[arg-type]
    assert {hit.doc_name for hit in hits} == {"b.pdf"}
    assert Scope(documents=["a.pdf"]).documents == ("a.pdf",)  # type: ignore[arg-type]
    assert Scope(documents=()).documents == ()


@pytest.mark.parametrize("given", [{"documents": 5}, {"documents": (1, 2)}, {"documents": b"a.pdf"}, {"folder": 3}])
def test_a_scope_of_something_else_is_refused(given: dict[str, Any]) -> None:
    """Numbers name no documents and no folder."""
    with pytest.raises(OptionError, match="cannot be meant"):
        Scope(**given)


def test_a_filter_that_is_a_text_is_refused(library: Library, add: Add) -> None:
    """What filters take is said by the filter's own error."""
    add("a.pdf", ["# Tea\nleaves"])
    with pytest.raises(FilterError):
        search(library, "tea", scope=Scope(where="year"))  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", [asearch, stream_search, astream_search])
def test_all_verbs_show_the_arguments_of_search(verb: Callable[..., Any]) -> None:
    """Editors and ``help`` show each argument with its default, though it is written once."""
    assert inspect.signature(verb).parameters == inspect.signature(search).parameters


async def test_a_mistyped_argument_is_an_error_for_each_verb(library: Library) -> None:
    """Nothing is passed through unread."""
    wrong: dict[str, Any] = {"max_token": 50}
    for call in (search, stream_search):
        with pytest.raises(TypeError, match="max_token"):
            list(call(library, "tea", **wrong))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="max_token"):
        await asearch(library, "tea", **wrong)
