"""What every library does, whatever it is stored in."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from pageindex_core.errors import DocumentNotFoundError, FilterError, LibraryError, OptionError
from pageindex_core.library.protocol import Library
from pageindex_core.records import IndexedDocument, Scope

Maker = Callable[..., IndexedDocument]


def names(entries: Any) -> list[str]:
    return [entry.name for entry in entries]


def test_gives_back_what_was_put(library: Library, document: Maker) -> None:
    """Entry, tree, pages and postings come back equal to what was stored."""
    stored = document(metadata={"year": 2024, "tags": ["a", "b"], "nested": {"x": None}, "ratio": 0.1, "ok": True})
    library.put(stored)
    key = stored.info.doc_id
    assert library.get(key) == stored.info
    assert library.tree(key) == stored.tree
    assert library.pages(key) == stored.pages
    assert library.postings(key) == stored.postings


def test_pages_come_in_ascending_order_and_only_those_asked_for(library: Library, document: Maker) -> None:
    """A choice of pages is sorted, without doubles, and numbers outside the document are left out."""
    stored = document(page_count=12)
    library.put(stored)
    chosen = library.pages(stored.info.doc_id, [11, 2, 2, 99, 0, -1])
    assert [page.page_number for page in chosen] == [2, 11]
    assert chosen[1] == stored.pages[10]
    assert list(library.pages(stored.info.doc_id, [])) == []


def test_a_second_put_replaces_all_of_the_first(library: Library, document: Maker) -> None:
    """After replacement nothing of the old version is left, its extra pages and its terms included."""
    library.put(document(version=1, page_count=5, terms=("old", "both")))
    library.put(document("/data/other.pdf"))
    newer = document(version=2, page_count=2, folder="/new", metadata={"year": 2}, terms=("new", "both"))
    library.put(newer)
    key = newer.info.doc_id
    assert library.count() == 2
    assert library.get(key) == newer.info
    assert library.tree(key) == newer.tree
    assert library.pages(key) == newer.pages
    assert library.postings(key) == b"v2"
    assert names(library.shortlist(["old"], limit=1)) == []
    assert names(library.shortlist(["new"], limit=1)) == ["manual.pdf"]


def test_remove_leaves_nothing(library: Library, document: Maker) -> None:
    """A removed document is gone from every read, and the others stay."""
    gone, kept = document("/data/gone.pdf", terms=("word",)), document("/data/kept.pdf", terms=("word",))
    library.put(gone)
    library.put(kept)
    assert library.remove("gone.pdf") == gone.info
    assert names(library.list()) == ["kept.pdf"]
    assert library.fingerprints() == {"/data/kept.pdf": "fingerprint-v1"}
    assert names(library.shortlist(["word"], limit=1)) == ["kept.pdf"]
    for read in (library.get, library.tree, library.pages, library.postings, library.remove):
        with pytest.raises(DocumentNotFoundError):
            read(gone.info.doc_id)
    library.put(gone)
    assert library.pages(gone.info.doc_id) == gone.pages


def test_finds_by_doc_id_source_id_and_name(library: Library, document: Maker) -> None:
    """Each of the three ways to name a document leads to it."""
    stored = document("/data/a.pdf", name="A manual")
    library.put(stored)
    library.put(document("/data/b.pdf"))
    for key in (stored.info.doc_id, "/data/a.pdf", "A manual"):
        assert library.get(key) == stored.info
        assert library.tree(key) == stored.tree


def test_a_source_id_goes_before_a_name(library: Library, document: Maker) -> None:
    """A document whose name equals another's source_id does not hide that other one."""
    first, second = document("x.pdf", name="first"), document("other", name="x.pdf")
    library.put(first)
    library.put(second)
    assert library.get("x.pdf") == first.info


def test_an_ambiguous_name_names_the_candidates(library: Library, document: Maker) -> None:
    """A name of two documents opens neither, and the message tells how to reach each."""
    one, two = document("/2023/report.pdf"), document("/2024/report.pdf")
    library.put(one)
    library.put(two)
    with pytest.raises(DocumentNotFoundError) as caught:
        library.get("report.pdf")
    for part in (one.info.doc_id, two.info.doc_id, "/2023/report.pdf", "/2024/report.pdf"):
        assert part in str(caught.value)
    assert library.get("report.pdf", Scope(documents=("/2024/report.pdf",))) == two.info


def test_an_unknown_name_suggests_the_closest_in_the_scope(library: Library, document: Maker) -> None:
    """The message offers the name that was probably meant, and never one outside the scope."""
    library.put(document("/data/Annual-Report.pdf", folder="/seen"))
    library.put(document("/data/annual-repart.pdf", folder="/hidden"))
    with pytest.raises(DocumentNotFoundError, match=r"Annual-Report\.pdf") as caught:
        library.get("annual-reprt.pdf", Scope(folder="/seen"))
    assert "repart" not in str(caught.value)
    with pytest.raises(DocumentNotFoundError, match="holds no documents"):
        library.get("x", Scope(documents=()))


@pytest.mark.parametrize("status", ["queued", "reading", "describing", "failed"])
def test_a_status_never_costs_the_stored_document(library: Library, document: Maker, status: Any) -> None:
    """A re-index that fails goes on serving the old tree under the old entry, and shows the new status."""
    stored = document(version=1, folder="/old", metadata={"tenant": "a"}, terms=("word",))
    library.put(stored)
    attempt = replace(
        document(version=2, folder="/new", metadata={"tenant": "b"}).info, status=status, error="it broke", page_count=0
    )
    library.set_status(attempt)
    key = stored.info.doc_id
    assert library.get(key) == replace(stored.info, status=status, error="it broke")
    assert (library.tree(key), library.pages(key), library.postings(key)) == (stored.tree, stored.pages, b"v1")
    assert names(library.shortlist(["word"], Scope(where={"tenant": "a"}), limit=1)) == ["manual.pdf"]
    assert library.count(Scope(where={"tenant": "b"})) == 0
    assert library.fingerprints() == {}
    newer = document(version=3)
    library.put(newer)
    assert library.get(key) == newer.info
    assert library.fingerprints() == {"/data/manual.pdf": "fingerprint-v3"}


def test_a_document_that_was_never_ready_is_listed_and_not_served(library: Library, document: Maker) -> None:
    """Its entry is there as given; its tree, pages and postings are refused with its status and reason."""
    waiting = replace(document().info, status="queued")
    library.set_status(waiting)
    assert library.get(waiting.doc_id) == waiting
    failed = replace(waiting, status="failed", error="no pages in it", folder="/f")
    library.set_status(failed)
    assert list(library.list()) == [failed]
    assert list(library.shortlist(["word"], limit=5)) == []
    for read in (library.tree, library.pages, library.postings):
        with pytest.raises(DocumentNotFoundError, match=r"failed \(no pages in it\)"):
            read(failed.doc_id)


def test_only_put_makes_ready(library: Library, document: Maker) -> None:
    """A status of ready without a tree would be a lie, and is refused."""
    with pytest.raises(LibraryError, match="Use put"):
        library.set_status(document().info)
    assert library.count() == 0


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", ["name", "indexed_at", "page_count"])
@pytest.mark.parametrize("where", [None, {"even": True}])
def test_list_sorts_and_pages(library: Library, document: Maker, sort: Any, descending: bool, where: Any) -> None:
    """Entries sort as Python sorts them, ties by source_id, and pages of the list join to the whole."""
    stored = [
        document(
            f"/s{i}",
            name=f"n{i % 3}",
            page_count=1 + i % 2,
            indexed_at=f"2026-01-0{1 + i % 4}",
            metadata={"even": i % 2 == 0},
        )
        for i in range(9)
    ]
    for one in stored:
        library.put(one)
    expected = [one.info for one in stored if where is None or one.info.metadata["even"]]
    expected.sort(key=lambda info: info.source_id)
    expected.sort(key=lambda info: getattr(info, sort), reverse=descending)
    scope = Scope(where=where)
    assert list(library.list(scope, sort=sort, descending=descending)) == expected
    pages = [library.list(scope, sort=sort, descending=descending, offset=start, limit=4) for start in (0, 4, 8, 12)]
    assert [info for page in pages for info in page] == expected
    assert library.count(scope) == len(expected)


def test_impossible_list_arguments_are_refused(library: Library) -> None:
    """A sort key from outside never reaches SQL, and negative numbers do not mean "all"."""
    with pytest.raises(OptionError, match="name, indexed_at, page_count"):
        library.list(sort="name; DROP TABLE documents")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="offset=-1"):
        library.list(offset=-1)
    with pytest.raises(OptionError, match="limit=-1"):
        library.list(limit=-1)


def test_two_sources_cannot_share_a_doc_id(library: Library, document: Maker) -> None:
    """A collision is refused by name, and the first document stays."""
    first = document("/a")
    library.put(first)
    second = document("/b")
    with pytest.raises(LibraryError, match="belongs to /a"):
        library.put(replace(second, info=replace(second.info, doc_id=first.info.doc_id)))
    assert library.get("/a") == first.info
    assert library.count() == 1


def test_two_pages_cannot_share_a_number(library: Library, document: Maker) -> None:
    """Which of them would be served is unclear, so neither is stored."""
    stored = document()
    with pytest.raises(LibraryError, match="same page_number"):
        library.put(replace(stored, pages=stored.pages + stored.pages[:1]))
    assert library.count() == 0


@pytest.mark.parametrize(
    ("value", "kind"), [((1, 2), "tuple"), ({1: "x"}, "int"), ([{"a": {None: 1}}], "NoneType"), ({"a": b"x"}, "bytes")]
)
def test_metadata_that_would_change_is_refused(library: Library, document: Maker, value: Any, kind: str) -> None:
    """What JSON would turn into something else is named with its type; nothing is stored, and the old stays."""
    library.put(document(metadata={"year": 1}))
    with pytest.raises(LibraryError, match=f"'odd'.*type {kind}"):
        library.put(document(metadata={"odd": value}, version=2))
    assert library.get("manual.pdf").metadata == {"year": 1}
    assert library.postings("manual.pdf") == b"v1"


def test_metadata_is_the_callers_to_change(library: Library, document: Maker) -> None:
    """Changing a returned entry's metadata, nested values too, changes no later answer."""
    library.put(document(metadata={"tags": ["a"]}))
    scope = Scope(where={"tags": "a"})
    for read in (lambda: library.get("manual.pdf", scope), lambda: library.list(scope)[0]):
        read().metadata["tags"].clear()  # type: ignore[index]
        assert read().metadata == {"tags": ["a"]}


@pytest.mark.parametrize("copied", [lambda library: pickle.loads(pickle.dumps(library)), copy.deepcopy])
def test_copies_hold_the_same_documents(
    library: Library, document: Maker, copied: Callable[[Library], Library]
) -> None:
    """Pickled or deep-copied, a library serves all it served and can be written."""
    stored = document(terms=("word",))
    library.put(stored)
    other = copied(library)
    assert other.pages(stored.info.doc_id) == stored.pages
    assert names(other.shortlist(["word"], limit=1)) == ["manual.pdf"]
    other.put(document("/data/second.pdf"))
    assert other.count() == 2
    other.close()


def test_a_closed_library_reopens(library: Library, document: Maker) -> None:
    """After close the next call finds what was stored."""
    stored = document()
    library.put(stored)
    library.close()
    library.close()
    assert library.pages(stored.info.doc_id) == stored.pages


def test_a_filter_may_read_the_library(library: Library, document: Maker) -> None:
    """A predicate that asks the library it filters gets its answer instead of a deadlock."""
    library.put(document("/a", metadata={"n": 1}))
    library.put(document("/b", metadata={"n": 2}))
    scope = Scope(where=lambda metadata: metadata["n"] == library.count())
    assert names(library.list(scope)) == ["b"]


def test_a_filter_sees_what_a_document_is_called(library: Library, document: Maker) -> None:
    """Id, source, file name and path can be filtered by; metadata of the same key goes before them."""
    path, url = document("/docs/a.pdf", name="a.pdf"), document("https://b.example/b", metadata={"source": "intranet"})
    for one in (path, url):
        library.put(one)
    found = {
        "path": library.list(Scope(where={"source": "/docs/a.pdf", "file_path": "/docs/a.pdf", "file_name": "a.pdf"})),
        "id": library.list(Scope(where=lambda seen: seen["doc_id"] == url.info.doc_id)),
        "own": library.list(Scope(where={"source": "intranet", "file_path": {"$exists": False}})),
        "named so": library.list(Scope(where={"source": "https://b.example/b"})),
    }
    assert found == {"path": (path.info,), "id": (url.info,), "own": (url.info,), "named so": ()}
    assert library.get("a.pdf", Scope(where={"source": {"$ne": "intranet"}})) == path.info
    with pytest.raises(DocumentNotFoundError):
        library.get("a.pdf", Scope(where={"doc_id": url.info.doc_id}))


def test_an_error_in_a_filter_leaves_the_library_usable(library: Library, document: Maker) -> None:
    """A predicate's own exception reaches the caller, and the next read and write work."""
    library.put(document(metadata={}))
    with pytest.raises(KeyError, match="absent"):
        library.remove("manual.pdf", Scope(where=lambda metadata: metadata["absent"]))
    library.put(document(version=2))
    assert library.postings("manual.pdf") == b"v2"


def test_a_broken_filter_is_refused_even_by_an_empty_library(library: Library) -> None:
    """Whether a filter can be meant does not depend on what is stored."""
    with pytest.raises(FilterError, match=r"\$like"):
        library.list(Scope(where={"a": {"$like": "x"}}))


def test_ten_threads_read_one_library(library: Library, document: Maker) -> None:
    """Threads that share one object read whole documents while an eleventh replaces them."""
    library.put(document(page_count=20))
    started = threading.Barrier(11)

    def read() -> list[int]:
        started.wait()
        seen = []
        for _ in range(15):
            pages = library.pages("manual.pdf")
            versions = {page.text.split()[0] for page in pages}
            assert len(pages) == 20
            assert len(versions) == 1
            seen.append(int(versions.pop().removeprefix("v")))
        return seen

    def write() -> None:
        started.wait()
        for version in range(2, 12):
            library.put(document(page_count=20, version=version))

    with ThreadPoolExecutor(11) as pool:
        readers = [pool.submit(read) for _ in range(10)]
        pool.submit(write).result()
        for reader in readers:
            assert all(earlier <= later for earlier, later in pairwise(reader.result()))
    assert library.postings("manual.pdf") == b"v11"
