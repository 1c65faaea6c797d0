"""Finding sources and telling what they are, before anything is parsed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pageindex_core.errors import EmptySourceError, InputError, SourceNotFoundError, UnsupportedFormatError
from pageindex_core.read import find_sources, open_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with known formats, an unknown one, and a folder below."""
    (tmp_path / "sub").mkdir()
    for name in ("b.pdf", "a.md", "c.TXT", "d.docx", "sub/e.markdown"):
        (tmp_path / name).write_text("x")
    return tmp_path


def _names(paths: list[Path], folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in paths]


def test_a_folder_gives_the_known_formats_below_it_in_order(folder: Path) -> None:
    """Endings count whatever their case, sub-folders are searched, unknown formats are passed over."""
    assert _names(find_sources([folder]), folder) == ["a.md", "b.pdf", "c.TXT", "sub/e.markdown"]


def test_a_glob_gives_files_only(folder: Path) -> None:
    """A pattern may match folders; they are not sources."""
    assert _names(find_sources([f"{folder}/*"]), folder) == ["a.md", "b.pdf", "c.TXT", "d.docx"]
    assert _names(find_sources([f"{folder}/**/*.m*"]), folder) == ["a.md", "sub/e.markdown"]


def test_a_file_is_given_once_and_where_it_was_named_first(folder: Path) -> None:
    """Overlapping arguments index nothing twice."""
    assert _names(find_sources([folder / "b.pdf", folder, f"{folder}/*.md"]), folder)[:2] == ["b.pdf", "a.md"]
    assert len(find_sources([folder / "b.pdf", folder, f"{folder}/*.md"])) == 4


def test_a_missing_file_is_given_so_that_opening_it_names_the_error(folder: Path) -> None:
    """One missing path must not stop the others."""
    assert _names(find_sources([folder / "missing.pdf", folder / "d.docx"]), folder) == ["missing.pdf", "d.docx"]


def test_a_file_named_like_a_pattern_is_that_file(folder: Path) -> None:
    """Brackets are common in file names and must not be read as a pattern when the file is there."""
    (folder / "report [1].txt").write_text("x")
    assert _names(find_sources([folder / "report [1].txt"]), folder) == ["report [1].txt"]


def test_a_pattern_without_matches_is_an_error(folder: Path) -> None:
    """A pattern that matches nothing is a slip, and the message repeats it."""
    with pytest.raises(SourceNotFoundError, match=r"\*\.xyz matches no file"):
        find_sources([f"{folder}/*.xyz"])


def test_a_file_is_identified_by_its_absolute_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative and an absolute path to one file are one source."""
    monkeypatch.chdir(folder)
    source = open_source("a.md", metadata={"k": 1})
    assert source.source_id == str(folder / "a.md") == open_source(folder / "a.md").source_id
    assert (source.name, source.media_type, source.data) == ("a.md", "text/markdown", b"x")
    assert source.fingerprint == hashlib.sha256(b"x").hexdigest()
    assert source.metadata == {"k": 1}


def test_bytes_are_identified_by_their_content_unless_named() -> None:
    """Equal bytes are one source until the caller says otherwise."""
    assert open_source(b"x").source_id == open_source(b"x").source_id != open_source(b"y").source_id
    named = open_source(b"x", source_id="s", name="n.md")
    assert (named.source_id, named.name, named.media_type) == ("s", "n.md", "text/markdown")


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (b"%PDF-1.7\n", "report", "application/pdf"),
        (b"junk\r\n%PDF-1.4\n", "x.txt", "application/pdf"),
        (b"# A", "README.MD", "text/markdown"),
        (b"# A", "notes", "text/plain"),
        (b"\xff\xfeA\0", "notes", "text/plain"),
    ],
)
def test_content_tells_the_format_before_the_name_does(data: bytes, name: str, media_type: str) -> None:
    """A PDF is a PDF under any name; other formats are told by the ending, else they are text."""
    assert open_source(data, name=name).media_type == media_type


def test_a_pdf_header_past_the_first_kilobyte_does_not_count() -> None:
    """Readers accept the header within 1,024 bytes; a text that mentions one later is a text."""
    assert open_source(b" " * 1100 + b"%PDF-1.4", name="x.txt").media_type == "text/plain"


_LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"


@pytest.mark.parametrize(
    ("data", "looks_like"),
    [
        (_LFS, "a Git LFS pointer"),
        (b"\n<!DOCTYPE html><title>404</title>", "an HTML page"),
        (b"<html>", "an HTML page"),
        (b"PK\x03\x04\0\0", "a ZIP archive or office document"),
        (b"\x89PNG\0\0", "binary data"),
        (b"plain words", "text"),
    ],
)
def test_a_pdf_by_name_only_is_refused_with_what_it_looks_like(data: bytes, looks_like: str) -> None:
    """The error names the file, what it really seems to be, and the way out."""
    with pytest.raises(UnsupportedFormatError) as caught:
        open_source(data, name="x.pdf")
    assert caught.value.what == "x.pdf is not a PDF."
    assert caught.value.why.endswith(f"it looks like {looks_like}.")
    assert caught.value.remedy
    assert caught.value.exit_code == 3


def test_binary_of_unknown_kind_is_refused() -> None:
    """An image or archive is not read as text."""
    with pytest.raises(UnsupportedFormatError, match="photo is not a format we read"):
        open_source(b"\x89PNG\0\0", name="photo")


@pytest.mark.parametrize(("name", "message"), [("missing.pdf", "does not exist"), ("sub", "is a folder")])
def test_what_is_no_file_is_not_found(folder: Path, name: str, message: str) -> None:
    """A missing file and a folder are told apart, both as the typed error and as Python's own."""
    with pytest.raises(SourceNotFoundError, match=f"{name} {message}") as caught:
        open_source(folder / name)
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value.__cause__, OSError)


def test_an_empty_file_is_an_error_that_names_it(folder: Path) -> None:
    """Zero bytes are told before any format."""
    (folder / "empty.pdf").write_bytes(b"")
    with pytest.raises(EmptySourceError, match=r"empty\.pdf is empty"):
        open_source(folder / "empty.pdf")


def test_a_name_the_system_refuses_is_a_typed_error(folder: Path) -> None:
    """Whatever the system says against a path arrives as an input error with its reason."""
    with pytest.raises(InputError, match="cannot be opened"):
        open_source(folder / ("x" * 5000))
