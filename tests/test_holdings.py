"""Pieces in a store of the caller's, here a dictionary, and the library that is kept in step with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pageindex_core import LoadedDocument, index_loaded, open_library, search
from pageindex_core.errors import InputError, LibraryError, OptionError, SchemaVersionError
from pageindex_core.holdings import Holdings
from pageindex_core.holdings.parts import PartMap
from pageindex_core.holdings.pieces import Piece
from pageindex_core.holdings.record import HoldingsRecord
from pageindex_core.holdings.selection import Selection
from pageindex_core.library.protocol import Library
from pageindex_core.options import IndexOptions, TreeOptions
from pageindex_core.records import Scope


class Store:
    """Keeps pieces in memory, as texts and metadata alone, as a database would."""

    def __init__(self) -> None:
        self.pieces: dict[str, Piece] = {}
        self.hashes: dict[str, str] = {}
        self.parts = "{}"

    def load(self, piece_ids: Iterable[str]) -> list[Piece]:
        return [self.pieces[one] for one in piece_ids]

    def put(self, pieces: Sequence[Piece]) -> None:
        self.pieces |= {piece.piece_id: piece for piece in pieces}

    def drop(self, piece_id: str) -> None:
        self.pieces.pop(piece_id, None)

    def hash_of(self, ref_id: str) -> str | None:
        return self.hashes.get(ref_id)

    def set_hashes(self, hashes: Mapping[str, str]) -> None:
        self.hashes |= hashes

    def record(self, parts: PartMap) -> None:
        self.parts = parts.to_text()


@pytest.fixture
def store() -> Store:
    return Store()


def holdings(store: Store, library: Library | None = None, **how: Any) -> Holdings:
    """Holdings over what a store has, as a program makes them that starts anew."""
    opened = open_library() if library is None else library
    made = Holdings(store, opened, PartMap.from_text(store.parts), IndexOptions(), **how)
    made.rebuild()
    return made


def page(source: str, number: int, text: str) -> Piece:
    return Piece(f"{source}#{number}", f"{source}-{number}", text, {"source": source, "page": number - 1})


def found(held: Holdings, question: str) -> list[tuple[str, int, list[str]]]:
    """Source and page of each hit, and the caller's documents that it is from."""
    hits = search(held.library, question, unit="page", fill=False).hits
    return [(hit.source_id, hit.page_start, [part.ref_id for part in held.parts.of_hit(hit)]) for hit in hits]


def test_pieces_come_and_go_and_the_library_follows(store: Store) -> None:
    """Pages of a source make one document; a hit names the piece it is from; the last takes the document along."""
    held = holdings(store)
    held.change([page("/a.pdf", 1, "Pumps"), page("/a.pdf", 2, "Valves"), page("/b.pdf", 1, "Valves")])
    assert sorted(found(held, "valves")) == [("/a.pdf", 2, ["/a.pdf-2"]), ("/b.pdf", 1, ["/b.pdf-1"])]
    held.change([page("/a.pdf", 2, "Seals")], removed=["/b.pdf#1"])
    assert found(held, "valves") == []
    assert found(held, "seals") == [("/a.pdf", 2, ["/a.pdf-2"])]
    assert [info.source_id for info in held.library.list()] == ["/a.pdf"]
    assert set(store.pieces) == {"/a.pdf#1", "/a.pdf#2", "/b.pdf#1"}  # removed from the index, not from the store


def test_what_was_recorded_is_rebuilt(store: Store, tmp_path: Path) -> None:
    """A new program over the same store finds the same, to the last box of a file that is gone by then."""
    manual = tmp_path / "manual.md"
    manual.write_text("# Filter\n\nWash the filter weekly.\n\n# Belt\n\nReplace worn belts.", encoding="utf-8")
    held = holdings(store)
    held.change([page("/a.pdf", 1, "Pumps and filters")])
    assert held.add_files(manual) == ()
    manual.unlink()
    again = holdings(store)
    assert search(again.library, "filter").hits == search(held.library, "filter").hits
    assert again.held == held.held


def test_documents_are_replaced_and_told_stale_by_their_hash(store: Store) -> None:
    """What was held of a document goes, from the store too; an unknown one is stale, an unchanged one is not."""
    held = holdings(store)
    held.replace([page("/a.pdf", 1, "Pumps")], {"/a.pdf-1": "old"})
    assert held.stale({"/a.pdf-1": "old", "/c.pdf-1": "new"}) == {"/c.pdf-1"}
    moved = Piece("/a.pdf#9", "/a.pdf-1", "Seals", {"source": "/a.pdf", "page": 0})
    held.replace([moved], {"/a.pdf-1": "new"})
    assert set(store.pieces) == {"/a.pdf#9"}
    assert held.stale({"/a.pdf-1": "new"}) == set()
    assert found(held, "pumps") == []


def test_files_are_read_where_they_changed_and_named_where_they_cannot_be(store: Store, tmp_path: Path) -> None:
    """An unchanged file is left alone; a broken one is given back with its error, and the others are taken up."""
    good, bad = tmp_path / "good.md", tmp_path / "bad.pdf"
    good.write_text("# Filter\n\nWash it.", encoding="utf-8")
    bad.write_bytes(b"no PDF")
    told: list[tuple[str, int]] = []

    def watch(members: list[Any], title: str) -> Iterable[Any]:
        told.append((title, len(members)))
        return members

    held = holdings(store, watch=watch)
    told.clear()
    (failure,) = held.add_files([good, bad])
    assert failure.source_id == str(bad)
    assert isinstance(failure.error, InputError)
    assert held.add_files(good) == ()
    assert told == [("Reading files", 2), ("Indexing documents", 1), ("Reading files", 1), ("Indexing documents", 0)]


def test_a_library_may_keep_files_and_the_store_lets_go_of_their_pieces(store: Store, tmp_path: Path) -> None:
    """What a framework loaded of a file is replaced by the file as it is read here."""
    manual = tmp_path / "manual.md"
    manual.write_text("# Filter\n\nWash the filter weekly.", encoding="utf-8")
    library = open_library()
    held = holdings(store, library, keeps_files=True)
    held.change([page(str(manual), 1, "Loaded elsewhere"), page("/b.pdf", 1, "Valves")])
    held.add_files(manual)
    assert set(store.pieces) == {"/b.pdf#1"}
    assert found(held, "weekly") == [(str(manual), 1, [])]
    assert PartMap.from_text(store.parts).named(["/b.pdf-1"]) == ["/b.pdf#1"]


def test_a_document_is_let_go_of_wherever_it_is(store: Store) -> None:
    """One of the caller's leaves the index and stays in the store; one of the library alone leaves the library."""
    held = holdings(store)
    held.change([page("/a.pdf", 1, "Pumps"), page("/a.pdf", 2, "Valves")])
    index_loaded([LoadedDocument("Seals", {"source": "/b.pdf"})], held.library)
    assert held.remove("/a.pdf-2")
    assert held.remove("/b.pdf")
    assert not held.remove("/b.pdf")
    assert held.parts.by_ref() == {"/a.pdf-1": ["/a.pdf#1"]}
    assert set(store.pieces) == {"/a.pdf#1", "/a.pdf#2"}
    assert [info.source_id for info in held.library.list()] == ["/a.pdf"]


def test_a_selection_knows_documents_and_pieces_by_every_name(store: Store) -> None:
    """By the caller's ids, by those of the library, or both; what is not known selects nothing."""
    held = holdings(store)
    held.change([page("/a.pdf", 1, "Pumps here"), page("/a.pdf", 2, "Pumps there"), page("/b.pdf", 1, "No pumps")])
    hits = {hit.unit_id: hit for hit in search(held.library, "pumps", unit="page").hits}
    (b,) = [hit for hit in hits.values() if hit.source_id == "/b.pdf"]

    def selected(**ids: Any) -> set[tuple[str, int]]:
        selection = Selection(**ids)
        scope = Scope(documents=selection.documents_in(held.parts))
        found = search(held.library, "pumps", unit="page", scope=scope).hits
        kept = [hit for hit in found if selection.holds(hit, held.parts.of_hit(hit))]
        return {(hit.source_id, hit.page_start) for hit in kept}

    assert selected() == {("/a.pdf", 1), ("/a.pdf", 2), ("/b.pdf", 1)}
    assert selected(documents=["/a.pdf-2"]) == {("/a.pdf", 2)}
    assert selected(documents=["/a.pdf", b.doc_id]) == selected()
    assert selected(pieces=["/a.pdf#1", b.unit_id]) == {("/a.pdf", 1), ("/b.pdf", 1)}
    assert selected(documents=["/b.pdf-1"], pieces=["/a.pdf#1"]) == selected(documents=[]) == set()
    assert (Selection().is_all, Selection(pieces=[]).is_all) == (True, False)


def test_holdings_are_opened_again_as_they_were_written_down(store: Store, tmp_path: Path) -> None:
    """Trees are made anew from a store that is the truth, found in a library that is, and built by the same options."""
    record = HoldingsRecord("mine")
    options = IndexOptions(tree=TreeOptions(group_pages=2))
    held = Holdings.reopened(record, store, PartMap(), options=options)
    held.change([page("/a.pdf", 1, "Pumps")])
    again = Holdings.reopened(record, store, PartMap.from_text(store.parts))
    assert found(again, "pumps") == found(held, "pumps") == [("/a.pdf", 1, ["/a.pdf-1"])]
    assert record.build_options(None) == options
    moved = Holdings.reopened(record, store, again.parts, library=tmp_path)
    assert (record.library, moved.library.count()) == (str(tmp_path), 1)
    store.pieces.clear()  # from now on the library has them
    assert found(Holdings.reopened(record, store, again.parts), "pumps") == found(held, "pumps")


def test_holdings_that_cannot_be_opened_again_are_refused(store: Store) -> None:
    """Another version, a library that nobody can find again, and a model whose work would be lost."""
    with pytest.raises(SchemaVersionError, match=r"mine has version 99.*version 1"):
        Holdings.reopened(HoldingsRecord("mine", version=99), store, PartMap())
    record = HoldingsRecord("mine")
    library = open_library()
    assert Holdings.reopened(record, store, PartMap(), library=library).library is library
    for given in (library, ":memory:"):
        Holdings.reopened(record, store, PartMap(), library=given)
        with pytest.raises(LibraryError, match=r"mine is not known.*library="):
            Holdings.reopened(record, store, PartMap())
    with pytest.raises(OptionError, match="needs a library"):
        Holdings.reopened(HoldingsRecord(), store, PartMap(), model=object())
