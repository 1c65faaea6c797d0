"""The script that writes ranks: its interface, with two small PDFs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pdf_builder import build_pdf, page

SCRIPT = Path(__file__).with_name("write_ranks.py")

QUESTIONS = [
    {"id": "a", "doc": "pump", "question": "How is the valve replaced?"},
    {"id": 2, "doc": "mill", "question": "What does the gearbox weigh?"},
    {"id": "lost", "doc": "missing", "question": "Anything?"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents of twelve pages, and the questions."""
    for name, answer in (("pump", "Replace the valve with a wrench."), ("mill", "The gearbox weighs 61 kg.")):
        pages = [page(answer if number == 7 else f"Plain page {number} of the {name}.") for number in range(12)]
        (tmp_path / f"{name}.pdf").write_bytes(build_pdf(pages))
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)) + "\n", encoding="utf-8")
    return tmp_path


def write_ranks(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[Any, Any]]:
    """Run the script; give the process and the rows it wrote, by id."""
    out = folder / "ranks.jsonl"
    command = [sys.executable, str(SCRIPT), "--pdfs", str(folder), "--questions", str(folder / "questions.jsonl")]
    done = subprocess.run([*command, *options, "--out", str(out)], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return done, {row["id"]: row for row in rows}


def test_each_question_is_asked_of_its_own_document(folder: Path) -> None:
    """The answering page comes first, ten pages at least are named, and units carry their tokens."""
    done, rows = write_ranks(folder)
    assert rows["a"]["pages"][0] == rows[2]["pages"][0] == 8
    assert len(rows["a"]["pages"]) >= 10
    assert len(set(rows["a"]["pages"])) == len(rows["a"]["pages"])
    unit = rows["a"]["units"][0]
    assert unit["page_start"] <= 8 <= unit["page_end"]
    assert unit["tokens"] > 0
    assert done.returncode == 1


def test_a_document_that_cannot_be_indexed_is_named_and_its_questions_get_no_pages(folder: Path) -> None:
    """The failure goes to the error stream; the other questions are answered."""
    done, rows = write_ranks(folder)
    assert "missing" in done.stderr
    assert rows["lost"]["pages"] == []
    assert list(rows) == ["a", 2, "lost"]


def test_together_names_the_document_of_each_page(folder: Path) -> None:
    """Over one library, pages and units say which document they belong to."""
    _, rows = write_ranks(folder, "--together")
    assert rows["a"]["pages"][0] == ["pump", 8]
    assert rows[2]["pages"][0] == ["mill", 8]
    assert rows[2]["units"][0]["doc"] == "mill"
