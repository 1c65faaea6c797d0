"""A folder to work in, small documents, and the command line as a call that gives code, output and messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pageindex_core.cli.main import main
from pdf_builder import build_pdf, page


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: empty, and with no terminal width to keep to."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in the folder; a usage error counts as its exit code."""

    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        shown = capsys.readouterr()
        return Outcome(code, shown.out, shown.err)

    return call


@pytest.fixture(scope="session")
def pumps_pdf() -> bytes:
    """A PDF of three pages, labelled iv, v and 1, with two sections and a section below the first."""
    return build_pdf(
        [
            page("# 1 Pumps", "Each pump moves 40 litres a minute.", "## 1.1 Seals", "Replace the seals every year."),
            page("Seals are kept in the red cabinet of the workshop."),
            page("# 2 Valves", "Valves close by a spring."),
        ],
        bookmarks=[(1, "1 Pumps", 1), (2, "1.1 Seals", 1), (1, "2 Valves", 3)],
        labels={1: "iv", 2: "v", 3: "1"},
    )


@pytest.fixture
def stored(run: Command, folder: Path, pumps_pdf: bytes) -> Path:
    """The folder with ``pumps.pdf`` and ``notes.md`` indexed; notes in /shop with metadata."""
    (folder / "pumps.pdf").write_bytes(pumps_pdf)
    (folder / "notes.md").write_text("# Orders\n\nSeals are ordered in May.\n\n# Visits\n\nNone.\n", encoding="utf-8")
    assert run("index", "pumps.pdf").code == 0
    assert run("index", "notes.md", "--folder", "/shop", "--meta", "year=2024", "--meta", "kind=log").code == 0
    return folder
