"""The scripts that measure large libraries, long files and stages: small runs, whose figures must hang together."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_builder import build_pdf, page

SCRIPTS = Path(__file__).parent


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    """A folder with one document of six pages."""
    folder = tmp_path / "pdfs"
    folder.mkdir()
    pages = [page(f"# {number} Pumps of kind {number}", f"Pump {number} moves water. " * 30) for number in range(1, 7)]
    (folder / "pumps.pdf").write_bytes(build_pdf(pages))
    return folder


def run(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a script as its users do."""
    command = [sys.executable, SCRIPTS / script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=55, check=False)


def test_a_generated_library_has_the_size_asked_for_and_its_questions_find_their_documents(tmp_path: Path) -> None:
    """Ten documents of some 40 pages are indexed, kept for the next run, and nearly every question finds its own."""
    options = ("--generate", "10", "--pages", "40", "--library", tmp_path / "library")
    done = run("big_library.py", *options)
    found = re.search(
        r"^10 documents, (\d+) pages, 10 questions: median (\S+) ms, 95th percentile (\S+) ms", done.stdout
    )
    assert found is not None, done.stderr
    assert 30 <= int(found[1]) <= 50
    assert 0 < float(found[2]) <= float(found[3])
    share = re.search(r"first hit of the right document (\S+)$", done.stdout.strip())
    assert share is not None
    assert float(share[1]) >= 0.9
    written = (tmp_path / "library" / "library.sqlite3").stat().st_mtime_ns
    assert run("big_library.py", *options).returncode == 0
    assert (tmp_path / "library" / "library.sqlite3").stat().st_mtime_ns == written


def test_a_question_that_takes_longer_than_the_limit_fails(pdfs: Path, tmp_path: Path) -> None:
    """No question is answered in no time, and none here takes a minute."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "What does pump 3 move?"}) + "\n")
    options = ("--pdfs", pdfs, "--questions", tmp_path / "a.jsonl")
    done = run("big_library.py", *options, "--most-median", "0", "--most-high", "60000")
    assert done.returncode == 1
    assert done.stderr.strip().startswith("The median took ")
    assert "percentile" not in done.stderr
    assert run("big_library.py", *options, "--most-median", "60000").returncode == 0


def test_questions_of_several_files_are_asked_of_all_pdfs_of_a_folder(pdfs: Path, tmp_path: Path) -> None:
    """The lines of both files count, and without a right document known no share is told."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"question": f"What does pump {name} move?"}) + "\n")
    done = run("big_library.py", "--pdfs", pdfs, "--questions", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert done.stdout.startswith("1 documents, 6 pages, 2 questions: median ")
    assert "right document" not in done.stdout


def test_long_files_are_made_as_long_as_asked_and_held_to_the_limit(pdfs: Path) -> None:
    """A file of 20 repeated pages is indexed and told; a limit that no process can keep fails, and says why."""
    done = run("long_files.py", "--pdf", pdfs / "pumps.pdf", "--pages", "20")
    assert done.returncode == 0, done.stderr
    assert re.match(r" +20 pages, file .+ ms a page, peak +\d+ MB", done.stdout)
    over = run("long_files.py", "--pdf", pdfs / "pumps.pdf", "--as-is", "--limit-mb", "5")
    assert over.returncode == 1
    assert re.match(r"6 pages took \d+ MB, over 5\.", over.stderr)


def test_stages_add_up_to_the_tree_time_and_the_dearest_functions_are_named(pdfs: Path) -> None:
    """Read, outline, tree and describe make the tree time; functions come with their share, the dearest first."""
    done = run("stages.py", "--pdfs", pdfs, "--docs", "pumps", "--runs", "1", "--functions", "3")
    row = next(line for line in done.stdout.splitlines() if line.startswith("pumps")).split()
    assert row[1] == "6"
    assert sum(map(float, row[3:7])) == pytest.approx(float(row[-1]), abs=0.03)
    shares = [float(share) for share in re.findall(r"^ +(\S+) %", done.stdout, re.MULTILINE)]
    assert len(shares) == 3
    assert shares == sorted(shares, reverse=True)


def test_questions_at_once_are_answered_right_and_every_way_is_measured() -> None:
    """A small run tells lag and added time for the core and both plugins, and finds the results equal."""
    done = run("concurrency.py", "--generate", "3", "--asked", "4", "--runs", "1")
    at_once, one_by_one = done.stdout.split("One by one")
    for name in ("core", "langchain", "langchain, tree", "llamaindex", "llamaindex, tree"):
        row = re.search(rf"^{name} +-?[\d.]+ +([\d.]+) +([\d.]+) +[\d.]+  as one by one$", at_once, re.MULTILINE)
        assert row is not None, f"{name}: {at_once}{done.stderr}"
        assert float(row[1]) <= float(row[2])
    for name in ("langchain", "llamaindex"):
        assert re.search(rf"^{name} +[\d.]+( +-?[\d.]+){{3}}$", one_by_one, re.MULTILINE), one_by_one
