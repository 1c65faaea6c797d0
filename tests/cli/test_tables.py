"""What fits a terminal: East Asian width, cutting, columns, progress."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pageindex_core.cli.tables import ProgressBar, fit, table, width_of
from pageindex_core.pipeline import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "cells"), [("", 0), ("abc", 3), ("報告書", 6), ("한글", 4), ("Ａ", 2), ("e\u0301", 1), ("a\u200bb", 2)]
)
def test_width_counts_cells(text: str, cells: int) -> None:
    """Wide characters take two cells, combining and invisible ones none."""
    assert width_of(text) == cells


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", None, "abcdef"),
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abc…"),
        ("報告書", 6, "報告書"),
        ("報告書", 5, "報告…"),
        ("報告書", 4, "報…"),
        ("abc", 1, "…"),
    ],
)
def test_cutting_never_exceeds_the_width(text: str, width: int | None, expected: str) -> None:
    """A cut text ends in an ellipsis and fits, also where a wide character would straddle the edge."""
    assert fit(text, width) == expected


def test_columns_line_up_under_wide_characters() -> None:
    """Rows of Latin and CJK text start their second column in the same cell; numbers stand to the right."""
    lines = table([("報告書.pdf", 7, "x"), ("a.pdf", 120, "y")], ("NAME", "PAGES", "S"), None)
    assert lines == ["NAME        PAGES  S", "報告書.pdf      7  x", "a.pdf         120  y"]


def test_names_are_cut_before_ids(run, stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table keeps to the width it knows by cutting names, and an id can still be copied."""
    (stored / f"{'報告' * 30}.md").write_text("# One\n\nText.\n", encoding="utf-8")
    (info,) = run("index", f"{'報告' * 30}.md", "--json").json["indexed"]
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("list").out.splitlines()
    assert max(width_of(line) for line in lines) <= 80
    assert any("報告" in line and "…" in line and line.endswith(info["doc_id"]) for line in lines)


def test_lines_are_cut_as_a_last_resort() -> None:
    """Where even short names leave no room, no line is longer than the width and each shows that it was cut."""
    lines = table([("pumps-and-valves.pdf", "ready", "0123456789abcdef")], ("NAME", "STATUS", "DOC_ID"), 30)
    assert [width_of(line) for line in lines] == [28, 30]
    assert lines[1].startswith("pumps-and-v…  ready")
    assert lines[1].endswith("…")


def test_progress_is_drawn_on_terminals_only() -> None:
    """A terminal sees the count and the file, wiped at the end; a pipe sees nothing."""
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        bar = ProgressBar(stream)
        bar(Progress(1, 2, "/docs/a.pdf", "indexed"))
        bar(Progress(2, 2, "/docs/b.pdf", "failed"))
    assert pipe.getvalue() == ""
    assert "[############------------] 1/2 indexed a.pdf" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_one_long_name_does_not_widen_a_piped_table(run, stored: Path) -> None:
    """Where no width has to be kept to, names are cut to a readable column, and ids stay in sight."""
    name = f"{'long-' * 45}name.md"
    (stored / name).write_text("# One\n\nText.\n", encoding="utf-8")
    run("index", name, "--folder", "/deep" * 40)
    lines = run("list").out.splitlines()
    assert max(map(width_of, lines)) < 180
    assert sum("long-long" in line and "…" in line for line in lines) == 1
