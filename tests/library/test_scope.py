"""No read leaves its scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from library_documents import make_document
from pageindex_core.errors import DocumentNotFoundError
from pageindex_core.library import open_library
from pageindex_core.library.protocol import Library
from pageindex_core.records import DocumentInfo, IndexedDocument, Scope

Maker = Callable[..., IndexedDocument]


def names(entries: Any) -> list[str]:
    return [entry.name for entry in entries]


@pytest.mark.parametrize(
    ("folder", "inside"),
    [
        (None, ["/", "/a", "/a%b", "/a/b", "/a/b/c", "/a_b", "/ab", "/aXb", "/a0", "/A", "/ä"]),
        ("/", ["/", "/a", "/a%b", "/a/b", "/a/b/c", "/a_b", "/ab", "/aXb", "/a0", "/A", "/ä"]),
        ("/a", ["/a", "/a/b", "/a/b/c"]),
        ("/a/", ["/a", "/a/b", "/a/b/c"]),
        ("a/b", ["/a/b", "/a/b/c"]),
        ("/a%b", ["/a%b"]),
        ("/a_b", ["/a_b"]),
        ("/ä", ["/ä"]),
        ("/%", []),
        ("/x", []),
    ],
)
def test_a_folder_holds_itself_and_what_is_below(
    library: Library, document: Maker, folder: str | None, inside: list[str]
) -> None:
    """Neighbours whose names begin alike, wildcards and other cases stay outside, in sets and in single reads."""
    everything = ["/", "/a", "/a%b", "/a/b", "/a/b/c", "/a_b", "/ab", "/aXb", "/a0", "/A", "/ä"]
    for place in everything:
        library.put(document(f"in {place}", name=place, folder=place, terms=("word",)))
    scope = Scope(folder=folder)
    assert sorted(names(library.list(scope))) == sorted(inside)
    assert library.count(scope) == len(inside)
    for limit in (len(everything), 20):
        assert sorted(names(library.shortlist(["word"], scope, limit=limit))) == sorted(inside)
    for place in everything:
        if place in inside:
            assert library.get(place, scope).folder == place
        else:
            with pytest.raises(DocumentNotFoundError):
                library.get(place, scope)


@pytest.mark.parametrize("read", ["get", "tree", "pages", "postings", "remove"])
@pytest.mark.parametrize(
    "scope",
    [
        Scope(documents=()),
        Scope(documents=("other.pdf",)),
        Scope(folder="/other"),
        Scope(where={"tenant": "b"}),
        Scope(where=lambda metadata: metadata.get("tenant") == "b"),
        Scope(documents=("manual.pdf",), folder="/docs", where={"tenant": "b"}),
    ],
)
def test_single_reads_refuse_what_is_outside(library: Library, document: Maker, read: str, scope: Scope) -> None:
    """A document outside the scope cannot be opened or removed by any of its names, and is not hinted at."""
    hidden = document(folder="/docs", metadata={"tenant": "a"})
    library.put(hidden)
    for key in (hidden.info.doc_id, hidden.info.source_id, hidden.info.name):
        with pytest.raises(DocumentNotFoundError, match="The scope holds no documents"):
            getattr(library, read)(key, scope=scope)
    assert library.count() == 1


def test_documents_are_named_in_any_way_and_number(library: Library, document: Maker) -> None:
    """A scope of more ids than SQL takes parameters, mixing kinds, allows exactly those."""
    stored = [document(f"/s/{number}", name=f"n{number % 4}") for number in range(8)]
    for one in stored:
        library.put(one)
    padding = tuple(f"absent{number}" for number in range(40_000))
    scope = Scope(documents=(stored[0].info.doc_id, "/s/1", *padding, "n3"))
    assert sorted(info.source_id for info in library.list(scope)) == ["/s/0", "/s/1", "/s/3", "/s/7"]


FOLDERS = ["/", "/a", "/a/b", "/ab", "/a%", "/a_", "/\ud800", "/a/\ud800", "/日本"]
WHERE: list[dict[str, Any]] = [
    {},
    {"year": 1},
    {"year": {"$gt": 0}},
    {"$not": {"year": 1}},
    {"tags": "a"},
    {"source": "/s/0"},
    {"file_name": "n1", "file_path": {"$exists": True}},
]
SCOPES = st.builds(
    Scope,
    documents=st.none() | st.lists(st.sampled_from(["/s/0", "/s/1", "n0", "n1", "x"]), max_size=3).map(tuple),
    folder=st.none() | st.sampled_from(FOLDERS),
    where=st.none() | st.sampled_from(WHERE),
)
ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(FOLDERS),
        st.sampled_from(["n0", "n1"]),
        st.sampled_from([{}, {"year": 1}, {"year": 2, "tags": ["a"]}, {"tags": []}]),
        st.booleans(),
    ),
    max_size=6,
)


def is_inside(scope: Scope, info: DocumentInfo) -> bool:
    """Say by the words of the contract, with none of the library's code but its filters, what a scope holds."""
    year = info.metadata.get("year")
    passes = {
        "None": True,
        "{}": True,
        "{'year': 1}": year == 1,
        "{'year': {'$gt': 0}}": year is not None,
        "{'$not': {'year': 1}}": year != 1,
        "{'tags': 'a'}": "a" in info.metadata.get("tags", []),
        "{'source': '/s/0'}": info.source_id == "/s/0",
        "{'file_name': 'n1', 'file_path': {'$exists': True}}": info.name == "n1",
    }[str(scope.where)]
    parts = [part for part in info.folder.split("/") if part]
    wanted = [part for part in (scope.folder or "").split("/") if part]
    named = scope.documents is None or bool({info.doc_id, info.source_id, info.name} & {*scope.documents})
    return passes and named and parts[: len(wanted)] == wanted


@settings(max_examples=150)
@given(ENTRIES, SCOPES)
def test_every_read_agrees_on_the_scope(entries: list[tuple[str, str, dict[str, Any], bool]], scope: Scope) -> None:
    """Sets and single reads, before and after the limit, hold the same documents: those that the words describe."""
    library = open_library()
    stored = [
        make_document(f"/s/{number}", name=name, folder=folder, metadata=metadata, terms=("word",) if matching else ())
        for number, (folder, name, metadata, matching) in enumerate(entries)
    ]
    for one in stored:
        library.put(one)
    inside = [one for one in stored if is_inside(scope, one.info)]
    ids = {one.info.source_id for one in inside}
    assert {info.source_id for info in library.list(scope)} == ids
    assert library.count(scope) == len(ids)
    assert {info.source_id for info in library.shortlist(["word"], scope, limit=99)} == ids
    matching = {one.info.source_id for one in inside if one.terms}
    short = library.shortlist(["word"], scope, limit=max(0, len(ids) - 1))
    assert {info.source_id for info in short} <= matching
    assert len(short) == min(len(matching), max(0, len(ids) - 1))
    for one in stored:
        if one in inside:
            assert library.pages(one.info.doc_id, scope=scope) == one.pages
        else:
            with pytest.raises(DocumentNotFoundError):
                library.pages(one.info.doc_id, scope=scope)
