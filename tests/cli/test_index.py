"""``pageindex-rag index``: what is stored, what is reported, and what bad files do."""

from __future__ import annotations

from pathlib import Path

import pytest

from broken_stages import break_reading_of
from pdf_builder import encrypted, image_only, not_pdf, truncated, zero_pages


def test_files_folders_and_globs_are_indexed_once_each(run, folder: Path, pumps_pdf: bytes) -> None:
    """A file named by its folder, by a pattern and by itself is one document."""
    (folder / "docs").mkdir()
    (folder / "docs" / "pumps.pdf").write_bytes(pumps_pdf)
    (folder / "docs" / "readme.md").write_text("# One\n\nText.\n", encoding="utf-8")
    outcome = run("index", "docs", "docs/*.pdf", "docs/pumps.pdf", "--json")
    assert outcome.code == 0
    assert [info["name"] for info in outcome.json["indexed"]] == ["pumps.pdf", "readme.md"]


def test_report_names_each_document(run, folder: Path, pumps_pdf: bytes) -> None:
    """People are told name, pages, where the structure came from, and the totals."""
    (folder / "pumps.pdf").write_bytes(pumps_pdf)
    outcome = run("index", "pumps.pdf")
    assert outcome.out.splitlines() == [
        "indexed  pumps.pdf  (3 pages, structure from bookmarks)",
        "1 indexed, 0 unchanged, 0 failed; library .pageindex",
    ]
    assert outcome.err == "", "no progress bar where there is no terminal"


def test_unchanged_files_are_left_alone_and_changed_ones_replaced(run, stored: Path) -> None:
    """Indexing again works only for what has changed, and keeps one document for each file."""
    (stored / "notes.md").write_text("# Orders\n\nGaskets are ordered in June.\n", encoding="utf-8")
    again = run("index", "pumps.pdf", "notes.md", "--json").json
    assert [info["name"] for info in again["unchanged"]] == ["pumps.pdf"]
    assert [info["name"] for info in again["indexed"]] == ["notes.md"]
    assert len(run("list", "--json").json["documents"]) == 2
    assert run("search", "gaskets", "-k", "1", "--json").json["hits"][0]["doc_name"] == "notes.md"


def test_library_folder_is_chosen(run, stored: Path) -> None:
    """``--library`` keeps documents apart from those of the default library."""
    assert run("index", "notes.md", "--library", "other").code == 0
    names = [info["name"] for info in run("list", "--library", "other", "--json").json["documents"]]
    assert names == ["notes.md"]


def test_metadata_is_typed(run, folder: Path) -> None:
    """Numbers and flags become JSON values; quoted numbers and all else stay text."""
    (folder / "a.txt").write_text("Words.", encoding="utf-8")
    given = ["n=3", "flag=true", 'text="3"', "word=a=b", "list=[1]", "huge=1e999"]
    arguments = [part for entry in given for part in ("--meta", entry)]
    metadata = run("index", "a.txt", *arguments, "--json").json["indexed"][0]["metadata"]
    assert metadata == {"n": 3, "flag": True, "text": "3", "word": "a=b", "list": "[1]", "huge": "1e999"}


def test_bookmarks_can_be_left_out(run, folder: Path, pumps_pdf: bytes) -> None:
    """``--no-bookmarks`` finds the structure by other signals."""
    (folder / "pumps.pdf").write_bytes(pumps_pdf)
    info = run("index", "pumps.pdf", "--no-bookmarks", "--json").json["indexed"][0]
    assert info["toc_source"] == "detected"


@pytest.mark.parametrize(
    ("name", "data", "kind", "words"),
    [
        ("missing.pdf", None, "SourceNotFoundError", "does not exist"),
        ("empty.pdf", b"", "EmptySourceError", "is empty"),
        ("page.pdf", not_pdf("html"), "UnsupportedFormatError", "HTML page"),
        ("zero.pdf", zero_pages(), "NoPagesError", "no pages"),
    ],
)
def test_bad_file_is_named_with_cause(run, folder: Path, name: str, data: bytes | None, kind: str, words: str) -> None:
    """Each kind of bad file exits with 3 and one readable block that names file and cause."""
    if data is not None:
        (folder / name).write_bytes(data)
    outcome = run("index", name)
    assert outcome.code == 3
    assert outcome.err.startswith(f"pageindex-rag: failed: {name}")
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert run("index", name, "--json").json["failed"][0]["kind"] == kind


def test_truncated_file_fails(run, folder: Path, pumps_pdf: bytes) -> None:
    """A PDF cut short exits with 3 and says that it is damaged."""
    (folder / "cut.pdf").write_bytes(truncated(pumps_pdf))
    outcome = run("index", "cut.pdf", "--json")
    assert outcome.code == 3
    assert outcome.json["failed"][0]["kind"] == "DamagedFileError"


def test_password_is_asked_for_and_taken(run, folder: Path, pumps_pdf: bytes) -> None:
    """A protected file names the option that opens it, a wrong password fails, the right one works."""
    (folder / "locked.pdf").write_bytes(encrypted(pumps_pdf, user="crane"))
    without = run("index", "locked.pdf")
    assert (without.code, "--password" in without.err) == (3, True)
    assert run("index", "locked.pdf", "--password", "stork").code == 3
    assert run("index", "locked.pdf", "--password", "crane").code == 0
    assert run("search", "seals", "-k", "1", "--json").json["hits"][0]["doc_name"] == "locked.pdf"


def test_mistyped_path_leaves_no_library(run, folder: Path) -> None:
    """Where nothing exists, nothing is made."""
    assert run("index", "nothing.pdf").code == 3
    assert list(folder.iterdir()) == []


def test_broken_files_do_not_stop_the_others(run, folder: Path, pumps_pdf: bytes) -> None:
    """In a folder, and beside a pattern that matches nothing, the good files are indexed and each failure is named."""
    docs = folder / "docs"
    docs.mkdir()
    (docs / "a.pdf").write_bytes(not_pdf("text"))
    (docs / "b.pdf").write_bytes(pumps_pdf)
    (docs / "c.md").write_text("# One\n\nText.\n", encoding="utf-8")
    outcome = run("index", "none*.pdf", "docs")
    assert outcome.code == 3
    assert "2 indexed, 0 unchanged, 2 failed" in outcome.out
    assert "none*.pdf matches no file" in outcome.err
    assert "a.pdf is not a PDF" in outcome.err
    ready = [info["name"] for info in run("list", "--json").json["documents"] if info["status"] == "ready"]
    assert ready == ["b.pdf", "c.md"]


def test_folder_without_documents_fails(run, folder: Path) -> None:
    """An empty folder is not success: nothing was indexed."""
    (folder / "docs").mkdir()
    outcome = run("index", "docs")
    assert outcome.code == 3
    assert "docs holds no document" in outcome.err


def test_scan_is_indexed_with_a_note(run, folder: Path) -> None:
    """A file without text is stored as unreadable, and the report says that it needs OCR."""
    (folder / "scan.pdf").write_bytes(image_only(2))
    outcome = run("index", "scan.pdf")
    assert outcome.code == 0
    assert "(2 pages, unreadable)" in outcome.out
    assert "OCR" in outcome.out


def test_metadata_without_a_value_is_refused(run, folder: Path) -> None:
    """``--meta`` takes key=value and says so."""
    (folder / "a.txt").write_text("Words.", encoding="utf-8")
    outcome = run("index", "a.txt", "--meta", "year")
    assert outcome.code == 2
    assert "key=value" in outcome.err


def test_files_of_one_name_are_told_apart_by_their_paths(run, folder: Path) -> None:
    """Each failure says which file it means, and the list keeps both with the reason."""
    for parent in ("dup/a", "dup/b"):
        (folder / parent).mkdir(parents=True)
        (folder / parent / "r.pdf").write_bytes(b"")
    outcome = run("index", "dup")
    assert "failed: dup/a/r.pdf is empty." in outcome.err
    assert "failed: dup/b/r.pdf is empty." in outcome.err
    stored = run("list", "--json").json["documents"]
    assert [info["source_id"] for info in stored] == [str(folder / f"dup/{name}/r.pdf") for name in "ab"]
    assert all(info["status"] == "failed" and "is empty" in info["error"] for info in stored)


def test_what_folders_hold_besides_is_counted(run, folder: Path) -> None:
    """Other formats are not passed over in silence."""
    (folder / "docs").mkdir()
    for name in ("a.md", "b.docx", "c.docx", "d.png"):
        (folder / "docs" / name).write_text("Words.", encoding="utf-8")
    outcome = run("index", "docs")
    assert "3 files of other formats were left out: .docx 2, .png 1" in outcome.out.splitlines()
    assert outcome.code == 0
    assert run("index", "docs", "--json").json["left_out"] == {".docx": 2, ".png": 1}


def test_an_empty_path_is_told_as_that(run, folder: Path) -> None:
    """An empty argument is not the current folder."""
    (folder / "a.md").write_text("Words.", encoding="utf-8")
    outcome = run("index", "")
    assert outcome.code == 3
    assert "An empty path was given" in outcome.err
    assert "a.md" not in outcome.out


def test_a_fault_of_ours_is_one_failure_with_its_own_code(run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody foresaw is told for its document, the others are indexed, and the exit code is 1."""
    break_reading_of(monkeypatch, "b.md")
    for name in ("a.md", "b.md", "c.md", "empty.md"):
        (folder / name).write_text("" if name == "empty.md" else "Words.", encoding="utf-8")
    outcome = run("index", "a.md", "b.md", "c.md", "empty.md")
    assert outcome.code == 1
    assert "2 indexed, 0 unchanged, 2 failed" in outcome.out
    assert "failed: b.md could not be indexed.\n  An unexpected RuntimeError came up: no such glyph" in outcome.err
