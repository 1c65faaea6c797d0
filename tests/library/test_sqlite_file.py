"""A library in a folder: how it opens, what it refuses, and how it crosses forks and copies."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from library_documents import make_document
from pageindex_core.errors import LibraryError, LibraryLockedError, SchemaVersionError
from pageindex_core.library import FILE_NAME, open_library
from pageindex_core.library.schema import VERSION
from pageindex_core.library.sqlite import SqliteLibrary

needs_fork = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system starts processes without fork"
)


def in_fork(work: Callable[[], str]) -> str:
    """Give what ``work`` returns, or the error it raises, in a forked child."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def child() -> None:
        try:
            answer = work()
        except LibraryError as error:
            answer = f"{type(error).__name__}: {error}"
        sending.send(answer)

    process = context.Process(target=child)
    process.start()
    sending.close()
    answer: str = receiving.recv()
    process.join()
    assert process.exitcode == 0
    return answer


def test_the_folder_is_made_and_holds_one_file(tmp_path: Path) -> None:
    """A path several folders deep becomes a library; closed, it is one file that can be copied elsewhere."""
    folder = tmp_path / "a" / "b c%20"
    with SqliteLibrary(folder / FILE_NAME) as library:
        library.put(make_document())
    assert [path.name for path in folder.iterdir()] == ["library.sqlite3"]
    copied = shutil.copytree(folder, tmp_path / "copy")
    assert open_library(copied, read_only=True).tree("manual.pdf") == make_document().tree


def test_a_library_is_found_again(tmp_path: Path) -> None:
    """What one object stored another one reads, by text path or ``Path``."""
    open_library(tmp_path).put(make_document())
    assert open_library(str(tmp_path)).pages("manual.pdf") == make_document().pages


def test_making_the_object_opens_nothing(tmp_path: Path) -> None:
    """Constructing, printing and pickling a library leave the disk alone."""
    library = SqliteLibrary(tmp_path / "new" / FILE_NAME)
    pickle.dumps(library)
    assert str(tmp_path) in repr(library)
    assert list(tmp_path.iterdir()) == []


def test_read_only_makes_nothing_and_refuses_to_write(tmp_path: Path) -> None:
    """Read-only opening needs a library, reads it, and refuses each way to change it."""
    with pytest.raises(LibraryError, match="There is no library"):
        open_library(tmp_path / "absent", read_only=True)
    assert list(tmp_path.iterdir()) == []
    open_library(tmp_path).put(make_document())
    library = open_library(tmp_path, read_only=True)
    assert library.postings("manual.pdf") == b"v1"
    for change in (
        lambda: library.put(make_document(version=2)),
        lambda: library.set_status(replace(make_document().info, status="failed")),
        lambda: library.remove("manual.pdf"),
    ):
        with pytest.raises(LibraryError, match="read_only"):
            change()
    assert pickle.loads(pickle.dumps(library))._read_only
    assert library.postings("manual.pdf") == b"v1"


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(("version", "remedy"), [(VERSION + 1, "Upgrade"), (VERSION - 1, "Index the documents again")])
def test_another_schema_version_is_refused_with_the_way_out(
    tmp_path: Path, version: int, remedy: str, read_only: bool
) -> None:
    """The message names both versions and what to do, and the file stays as it is."""
    open_library(tmp_path).close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(SchemaVersionError, match=f"schema version {version}; .* version {VERSION}.*{remedy}") as caught:
        open_library(tmp_path, read_only=read_only)
    assert str(tmp_path) in str(caught.value)


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    """Another program's SQLite file is not filled with our tables."""
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(LibraryError, match="another program"):
        open_library(tmp_path)
    tables = sqlite3.connect(tmp_path / FILE_NAME).execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("theirs",)]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, read_only: bool) -> None:
    """The error has its three parts and its cause, and the file is not touched."""
    path = tmp_path / FILE_NAME
    path.write_bytes(b"%PDF-1.7 not a database" * 100)
    with pytest.raises(LibraryError, match="not a SQLite database") as caught:
        open_library(tmp_path, read_only=read_only)
    assert str(path) in caught.value.what
    assert caught.value.remedy
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)
    assert path.read_bytes().startswith(b"%PDF")


def test_an_empty_file_is_no_library_yet(tmp_path: Path) -> None:
    """An empty file becomes a library when it may be written, and is refused when it may not."""
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(LibraryError, match="The file is empty"):
        open_library(tmp_path, read_only=True)
    assert open_library(tmp_path).count() == 0


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Naming a file where a folder belongs says so."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(LibraryError, match="cannot be made"):
            open_library(path)


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    """Overwritten pages of the file give a LibraryError, not SQLite's."""
    with SqliteLibrary(tmp_path / FILE_NAME) as library:
        library.put(make_document(page_count=50))
    path = tmp_path / FILE_NAME
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    with pytest.raises(LibraryError, match="damaged"):
        open_library(tmp_path).list()


def test_a_lock_that_is_kept_is_reported(tmp_path: Path) -> None:
    """While another connection writes, reads go on, and a write gives up after the timeout, then works."""
    library = SqliteLibrary(tmp_path / FILE_NAME, lock_timeout_s=0.1)
    library.put(make_document())
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert library.postings("manual.pdf") == b"v1"
    with pytest.raises(LibraryLockedError, match=r"being written.*try again"):
        library.put(make_document(version=2))
    other.execute("ROLLBACK")
    library.put(make_document(version=2))
    assert library.postings("manual.pdf") == b"v2"


def test_a_failed_put_leaves_no_trace(tmp_path: Path) -> None:
    """When the store fails in the middle of a document, the old document is whole and still found by its terms."""
    library = SqliteLibrary(tmp_path / FILE_NAME)
    old = make_document(version=1, terms=("old",))
    library.put(old)
    library.put(make_document("/other"))
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("CREATE TRIGGER full BEFORE INSERT ON terms BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(LibraryError, match="no room"):
        library.put(make_document(version=2, terms=("new",)))
    assert library.get("manual.pdf") == old.info
    assert (library.tree("manual.pdf"), library.pages("manual.pdf")) == (old.tree, old.pages)
    assert [info.name for info in library.shortlist(["old"], limit=1)] == ["manual.pdf"]
    assert list(library.shortlist(["new"], limit=1)) == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, outside pytest's own, which is private."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@needs_fork
def test_a_folder_that_cannot_be_written(open_folder: Path) -> None:
    """There a library is readable when opened read-only, and otherwise an error says what to do."""
    with SqliteLibrary(open_folder / FILE_NAME) as library:
        library.put(make_document())
    (open_folder / FILE_NAME).chmod(0o444)
    open_folder.chmod(0o555)

    def work(read_only: bool) -> str:
        if os.getuid() == 0:
            os.setuid(65534)  # root may write anywhere; "nobody" may not
        return open_library(open_folder, read_only=read_only).postings("manual.pdf").decode()

    assert in_fork(lambda: work(True)) == "v1"
    refused = in_fork(lambda: work(False))
    assert refused.startswith("LibraryError: The library")
    assert "permissions" in refused or "can be written" in refused


@needs_fork
def test_a_forked_child_opens_its_own_connections(tmp_path: Path) -> None:
    """A child reads and writes a library its parent has in use, and the parent's goes on working."""
    library = open_library(tmp_path)
    library.put(make_document())
    parents = {id(connection) for connection in library._connections._idle}

    def work() -> str:
        library.put(make_document(version=2))
        mine = {id(connection) for connection in library._connections._idle}
        return f"{library.postings('manual.pdf').decode()} {len(mine)} {len(mine & parents)}"

    assert len(parents) == 1
    assert in_fork(work) == "v2 1 0"
    assert library.postings("manual.pdf") == b"v2"
    library.put(make_document(version=3))
    assert in_fork(lambda: library.postings("manual.pdf").decode()) == "v3"


@needs_fork
def test_a_memory_library_says_that_it_did_not_survive_a_fork() -> None:
    """Opened before the fork it is refused in the child with the way out; one not yet opened works."""
    opened, fresh = open_library(), SqliteLibrary()
    opened.put(make_document())
    assert "Pickle the library" in in_fork(lambda: str(opened.count()))
    assert in_fork(lambda: str(fresh.count())) == "0"
    assert opened.count() == 1


def test_sqlites_name_for_memory_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever knows SQLite writes ":memory:"."""
    monkeypatch.chdir(tmp_path)
    with closing(open_library(":memory:")) as library:
        library.put(make_document())
        assert library.count() == 1
    assert not list(tmp_path.iterdir())
