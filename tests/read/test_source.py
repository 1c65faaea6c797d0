"""Finding sources and telling what they are, before anything is parsed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from pageindex_core.errors import (
    EmptySourceError,
    InputError,
    OptionError,
    SourceNotFoundError,
    UnsupportedFormatError,
)
from pageindex_core.read import find_sources, open_source, survey


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
        (b"\x89PNG\0\0", "a PNG image"),
        (bytes(range(64)), "binary data"),
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


@pytest.mark.parametrize("name", ["photo", "photo.md", "photo.txt"])
@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"\x1f\x8b words", bytes(range(256)) * 9])
def test_binary_content_is_refused_whatever_the_ending(data: bytes, name: str) -> None:
    """An image or archive is not read as text, even when it is called one."""
    with pytest.raises(UnsupportedFormatError, match=f"{name} is not a format we read"):
        open_source(data, name=name)


@pytest.mark.parametrize(
    "text",
    [
        "a stray \0 in a text",
        "\x1b[31mred\x1b[0m\n" * 50,
        "B\bBO\bOL\bLD\bD\n" * 9,
        "\f\f\f\f\fpage",
        "<h1>Title</h1>\n# A",
    ],
)
def test_text_with_odd_characters_is_text(text: str) -> None:
    """Colours of a log, struck-over letters, form feeds, a stray NUL and tags in Markdown change nothing."""
    assert open_source(text.encode(), name="x.md").media_type == "text/markdown"
    assert open_source(b"\xff\xfe" + text.encode("utf-16-le"), name="x").media_type == "text/plain"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<!-- saved -->\n<!DOCTYPE HTML><p>Words", "page.md"),
        (b"\xef\xbb\xbf<html lang='en'>", "page.txt"),
        (b'<?xml version="1.0"?>\n<html>', "page"),
        (b"<p>Words</p>", "page.HTML"),
        (b"<p>Words</p>", "page.htm"),
    ],
)
def test_html_is_refused_with_a_way_out(data: bytes, name: str) -> None:
    """HTML is told by content or ending, and never indexed with its tags."""
    with pytest.raises(UnsupportedFormatError, match=r"is HTML\..*Convert it to Markdown or PDF"):
        open_source(data, name=name)


def test_the_caller_can_say_the_media_type() -> None:
    """It stands in for an ending; what is not so, or not known, is refused."""
    assert open_source(b"# A", media_type="text/markdown").media_type == "text/markdown"
    assert open_source(b"# A", name="a.md", media_type="text/plain").media_type == "text/plain"
    assert open_source(b"%PDF-1.4", media_type="application/pdf").media_type == "application/pdf"
    with pytest.raises(UnsupportedFormatError, match="is not a PDF"):
        open_source(b"# A", media_type="application/pdf")
    with pytest.raises(OptionError, match="text/x"):
        open_source(b"# A", media_type="text/x")


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_not_the_current_folder(path: str) -> None:
    """An unset variable of a script must not index whatever lies around."""
    with pytest.raises(SourceNotFoundError, match="An empty path was given"):
        open_source(path)
    with pytest.raises(SourceNotFoundError, match="An empty path was given"):
        find_sources([path])


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """Opening a named pipe that nobody writes to would never end."""
    os.mkfifo(tmp_path / "x.fifo")
    with pytest.raises(UnsupportedFormatError, match=r"x\.fifo is not a regular file"):
        open_source(tmp_path / "x.fifo")


def test_hidden_names_below_a_folder_are_passed_over_unless_named(folder: Path) -> None:
    """``.git`` and ``.venv`` hold no documents; who names one outright means it."""
    (folder / ".venv" / "lib").mkdir(parents=True)
    for name in (".venv/lib/a.md", ".hidden.md"):
        (folder / name).write_text("x")
    assert _names(find_sources([folder]), folder) == ["a.md", "b.pdf", "c.TXT", "sub/e.markdown"]
    assert _names(find_sources([folder / ".venv", folder / ".hidden.md"]), folder) == [".venv/lib/a.md", ".hidden.md"]


def test_what_a_folder_holds_besides_is_counted(folder: Path) -> None:
    """Other formats are named by their ending, and so are links to folders, which are not followed."""
    for name in ("x.docx", "LICENSE", "y.png"):
        (folder / "sub" / name).write_text("x")
    (folder / "again").symlink_to(folder)
    found = survey([folder])
    assert found.left_out == {".docx": 2, "linked folder": 1, "no ending": 1, ".png": 1}
    assert len(found.files) == 4


def test_a_dangling_link_is_given_and_told(folder: Path) -> None:
    """A link to nothing does not vanish: opening it says what it is."""
    (folder / "gone.pdf").symlink_to(folder / "nothing.pdf")
    assert "gone.pdf" in _names(find_sources([folder]), folder)
    with pytest.raises(SourceNotFoundError, match=r"gone\.pdf is a link to nothing"):
        open_source(folder / "gone.pdf")


def test_a_folder_that_may_not_be_listed_is_given_and_told(closed_folder: Path) -> None:
    """An unreadable folder, named or found below another, does not pass for an empty one."""
    for named in (closed_folder, closed_folder.parent):
        assert find_sources([named]) == [closed_folder]
    with pytest.raises(SourceNotFoundError, match=r"closed cannot be opened\. Permission denied"):
        open_source(closed_folder)


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
