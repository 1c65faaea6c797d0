"""Many readers and one writer across real processes, and writers that are killed."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from library_documents import make_document, version_of
from pageindex_core.library import FILE_NAME, open_library
from pageindex_core.library.protocol import Library
from pageindex_core.library.sqlite import SqliteLibrary

PAGES = 30
VERSIONS = 25
SPAWN = multiprocessing.get_context("spawn")


@contextmanager
def running(target: Any, *arguments: Any) -> Iterator[tuple[BaseProcess, Connection]]:
    """Run a function in a process of its own; give the process and what it sends through its first argument."""
    receiving, sending = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=target, args=(sending, *arguments))
    process.start()
    sending.close()
    try:
        yield process, receiving
    finally:
        process.kill()
        process.join()
        receiving.close()


def replace_again_and_again(sending: Connection, folder: Path, last: int) -> None:
    """Store version after version, telling each that was committed."""
    library = open_library(folder)
    for version in range(2, last + 1):
        pages = PAGES + version % 3
        library.put(
            make_document(version=version, page_count=pages, metadata={"version": version}, terms=(f"t{version}",))
        )
        sending.send(version)


def read_again_and_again(sending: Connection, library: Library, last: int) -> None:
    """Read until the last version is seen; send the versions in the order in which they were seen."""
    seen: list[int] = []
    while not seen or seen[-1] < last:
        tree = library.tree("manual.pdf")
        seen.append(version_of(tree.doc_name))
        assert {version_of(section.title) for section in tree.walk()} == {seen[-1]}
        assert len(tree.sections) == tree.page_count
        pages = library.pages("manual.pdf")
        marks = {version_of(page.text) for page in pages}
        assert len(marks) == 1
        seen.append(marks.pop())
        assert len(pages) == (PAGES if seen[-1] == 1 else PAGES + seen[-1] % 3)
        seen.append(version_of(library.postings("manual.pdf").decode()))
        (info,) = library.shortlist([f"t{seen[-1]}"], limit=5)
        seen.append(info.metadata["version"])
        assert version_of(info.description or "") == seen[-1]
    sending.send(seen)


def test_readers_never_see_a_mixture(tmp_path: Path) -> None:
    """While one process replaces a document, others see whole versions only, and never an older one again."""
    library = open_library(tmp_path)
    library.put(make_document(page_count=PAGES, metadata={"version": 1}, terms=("t1",)))
    with (
        running(read_again_and_again, library, VERSIONS) as (_, first),
        running(read_again_and_again, library, VERSIONS) as (_, second),
        running(replace_again_and_again, tmp_path, VERSIONS) as (writer, _),
    ):
        for reader in (first, second):
            seen = reader.recv()
            assert all(earlier <= later for earlier, later in pairwise(seen))
            assert seen[-1] == VERSIONS
        writer.join()
        assert writer.exitcode == 0


def stop_inside_put(sending: Connection, folder: Path, statement: str) -> None:
    """Begin to store version 2, and hang when SQLite comes to a statement, with all before it done."""
    library = SqliteLibrary(folder / FILE_NAME)
    library.check()

    def traced(running_statement: str) -> None:
        if running_statement.startswith(statement):
            sending.send("inside")
            time.sleep(600)

    library._connections._idle[0].set_trace_callback(traced)  # type: ignore[union-attr]
    library.put(make_document(version=2, page_count=PAGES, terms=("new",)))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM pages", "INSERT INTO postings", "INSERT INTO term_index", "INSERT INTO terms", "COMMIT"],
)
def test_a_writer_killed_inside_put_loses_nothing(tmp_path: Path, statement: str) -> None:
    """Killed at any point of a replacement, what was committed is whole, and the next writer needs no repair."""
    library = open_library(tmp_path)
    old, other = make_document(page_count=PAGES, terms=("old",)), make_document("/data/other.pdf", terms=("old",))
    library.put(old)
    library.put(other)
    with running(stop_inside_put, tmp_path, statement) as (writer, told):
        assert told.recv() == "inside"
        writer.kill()
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
    for reader in (library, open_library(tmp_path)):
        for stored in (old, other):
            key = stored.info.doc_id
            assert reader.get(key) == stored.info
            assert (reader.tree(key), reader.pages(key), reader.postings(key)) == (stored.tree, stored.pages, b"v1")
        assert len(reader.shortlist(["old"], limit=2)) == 2
        assert list(reader.shortlist(["new"], limit=1)) == []
    newer = make_document(version=3, terms=("newer",))
    library.put(newer)
    assert library.pages(newer.info.doc_id) == newer.pages
    assert sqlite3.connect(tmp_path / FILE_NAME).execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_what_a_killed_writer_committed_stays(tmp_path: Path) -> None:
    """Each version that the writer reported as stored is there after it was killed at an arbitrary moment."""
    library = open_library(tmp_path)
    with running(replace_again_and_again, tmp_path, 100_000) as (writer, told):
        while (reported := told.recv()) < 8:
            pass
        writer.kill()
        writer.join()
        while told.poll():
            try:
                reported = told.recv()
            except EOFError:
                break
    stored = version_of(library.tree("manual.pdf").doc_name)
    assert stored in (reported, reported + 1)
    assert {version_of(page.text) for page in library.pages("manual.pdf")} == {stored}
    assert library.count() == 1


def store_many(sending: Connection, folder: Path, writer: int, count: int) -> None:
    """Open the library, which may not exist yet, and store documents of one's own."""
    library = open_library(folder)
    for number in range(count):
        library.put(make_document(f"/{writer}/{number}", terms=("word",)))
    sending.send("done")


def test_writers_queue_up(tmp_path: Path) -> None:
    """Two processes that make the same library at once and write to it both succeed, and nothing is lost."""
    folder = tmp_path / "new"
    with running(store_many, folder, 1, 40) as (_, first), running(store_many, folder, 2, 40) as (_, second):
        assert (first.recv(), second.recv()) == ("done", "done")
    library = open_library(folder, read_only=True)
    assert library.count() == 80
    assert len(library.shortlist(["word"], limit=79)) == 79
