"""Indexing many documents of which some fail: each is named with its cause, and the others are indexed."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from broken_stages import break_reading_of
from pageindex_core import index_paths, index_source, make_tree, open_library
from pageindex_core.errors import EmptySourceError, InputError, SourceNotFoundError, UnexpectedError
from pageindex_core.library.protocol import Library


@pytest.fixture
def library() -> Library:
    """An empty library in memory."""
    return open_library()


def test_an_unexpected_error_is_a_failure_that_keeps_its_cause(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A run over a folder goes on; traceback and document are logged, and the library says what became of it."""
    break_reading_of(monkeypatch, "b.md")
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("Words.")
    with caplog.at_level(logging.ERROR, logger="pageindex_core"):
        report = index_paths(tmp_path, library)
    assert [info.name for info in report.indexed] == ["a.md", "c.md"]
    (failure,) = report.failed
    assert failure.source_id == str(tmp_path / "b.md")
    assert isinstance(failure.error, UnexpectedError)
    assert isinstance(failure.error.__cause__, RuntimeError)
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.__dict__["document"] == str(tmp_path / "b.md")
    entry = library.get("b.md")
    assert entry.status == "failed"
    assert "no such glyph" in (entry.error or "")


@pytest.mark.parametrize(("name", "data"), [("e.pdf", b""), ("n.pdf", b"words"), ("p.md", b"\x89PNG")])
def test_files_that_cannot_be_opened_leave_a_failed_entry(
    library: Library, tmp_path: Path, name: str, data: bytes
) -> None:
    """The list of documents shows them with the reason, whether they were given as path or as bytes."""
    (tmp_path / name).write_bytes(data)
    for source, source_id in ((tmp_path / name, None), (data, "given")):
        with pytest.raises(InputError) as caught:
            index_source(source, library, source_id=source_id, name=name, folder="/in", metadata={"a": 1})
        entry = library.get(source_id or str(tmp_path / name))
        assert (entry.status, entry.error, entry.folder) == ("failed", str(caught.value), "/in")
        assert entry.metadata == {"a": 1}


def test_a_file_that_was_emptied_is_still_served_as_it_was(library: Library, tmp_path: Path) -> None:
    """A failed run takes nothing away, and mending the file brings the document back."""
    path = tmp_path / "a.md"
    path.write_text("# One\n\nGrease.\n")
    index_source(path, library)
    path.write_text("")
    with pytest.raises(EmptySourceError):
        index_source(path, library)
    assert library.get("a.md").status == "failed"
    assert library.pages(library.get("a.md").doc_id)[0].text.startswith("# One")
    path.write_text("# One\n\nGrease.\n")
    assert index_source(path, library)[0].status == "ready"


def test_a_path_where_nothing_is_leaves_no_entry(library: Library, tmp_path: Path) -> None:
    """A mistyped path is no document."""
    for path in (tmp_path / "missing.pdf", tmp_path):
        with pytest.raises(SourceNotFoundError):
            index_source(path, library)
    assert library.count() == 0


def test_a_closed_folder_is_a_failure(library: Library, closed_folder: Path) -> None:
    """What could not be looked into stands in the report, with the reason."""
    report = index_paths(closed_folder.parent, library)
    assert [failure.source_id for failure in report.failed] == [str(closed_folder)]
    assert "Permission denied" in str(report.failed[0].error)


def test_the_report_counts_other_formats(library: Library, tmp_path: Path) -> None:
    """Files that a folder holds besides are counted by ending."""
    for name in ("a.md", "b.docx"):
        (tmp_path / name).write_text("Words.")
    assert index_paths(tmp_path, library).left_out == {".docx": 1}


def test_bytes_are_read_as_what_the_caller_says(library: Library) -> None:
    """Markdown in bytes has its headings, by media type or by the ending of its name."""
    data = b"# One\n\nText.\n\n# Two\n\nText.\n"
    for said in ({"name": "x.md"}, {"media_type": "text/markdown"}):
        assert [section.title for section in make_tree(data, **said).sections] == ["One", "Two"]
        info, _ = index_source(data, library, source_id=str(said), **said)
        assert (info.media_type, info.toc_source) == ("text/markdown", "markup")
    assert make_tree(data).toc_source != "markup"
