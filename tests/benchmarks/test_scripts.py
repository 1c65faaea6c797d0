"""The benchmark scripts keep the interfaces that others call: arguments in, files and tables out, failures named."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pdf_builder import build_pdf, page, truncated

SCRIPTS = Path(__file__).parent
CHAPTERS = [f"{number} Pumps of kind {number}" for number in range(1, 7)]


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    """A folder with two documents of six pages, one with bookmarks that say more than its pages, and a broken file."""
    folder = tmp_path / "pdfs"
    folder.mkdir()
    pages = [page(f"# {title}", "Each pump moves 40 litres a minute. " * 20) for title in CHAPTERS]
    (folder / "plain.pdf").write_bytes(build_pdf(pages))
    marks = [(1, title, number) for number, title in enumerate(CHAPTERS, start=1)]
    (folder / "marked.pdf").write_bytes(build_pdf(pages, bookmarks=marks))
    (folder / "broken.pdf").write_bytes(truncated(build_pdf(pages)))
    return folder


def run(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a script as its users do."""
    return subprocess.run(
        [sys.executable, SCRIPTS / script, *map(str, arguments)], capture_output=True, text=True, timeout=55
    )


def titles(path: Path) -> list[str]:
    return [node["title"] for node in json.loads(path.read_text())["structure"]]


def test_write_trees_writes_one_file_for_each_pdf_and_names_those_that_fail(pdfs: Path, tmp_path: Path) -> None:
    """Every readable document gets NAME.json with structure, source and seconds; the others a line that says why."""
    done = run("write_trees.py", "--pdfs", pdfs, "--out", tmp_path / "out")

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["marked.json", "plain.json"]
    tree = json.loads((tmp_path / "out" / "marked.json").read_text())
    assert titles(tmp_path / "out" / "marked.json") == CHAPTERS
    assert [node["start_index"] for node in tree["structure"]] == [1, 2, 3, 4, 5, 6]
    assert tree["toc_source"] in ("bookmarks", "hybrid")
    assert tree["seconds"] > 0
    assert done.returncode == 1
    assert re.search(r"^broken: broken\.pdf .+Fetch or export the file again\.$", done.stderr, re.MULTILINE)


def test_write_trees_takes_the_documents_from_a_file_and_can_ignore_bookmarks(pdfs: Path, tmp_path: Path) -> None:
    """Only the named documents are read, each once, and the bookmarks leave no trace in the tree."""
    (tmp_path / "docs.jsonl").write_text('{"doc": "marked"}\n\n{"doc": "marked", "question": "?"}\n')
    done = run(
        "write_trees.py",
        "--pdfs",
        pdfs,
        "--docs",
        tmp_path / "docs.jsonl",
        "--ignore-bookmarks",
        "--out",
        tmp_path / "o",
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "o").iterdir()] == ["marked.json"]
    assert json.loads((tmp_path / "o" / "marked.json").read_text())["toc_source"] not in ("bookmarks", "hybrid")


def test_write_trees_stores_every_heading_unless_told_to_merge(pdfs: Path, tmp_path: Path) -> None:
    """Without an option the tree is the stored one; merged, headings of one page share a node and stay as key items."""
    two = [page("# 1 Seals", "Text about seals.", "# 2 Valves", "Text about valves."), page("# 3 Pumps", "Text.")]
    marks = [(1, "1 Seals", 1), (1, "2 Valves", 1), (1, "3 Pumps", 2)]
    (pdfs / "dense.pdf").write_bytes(build_pdf(two, bookmarks=marks))
    (tmp_path / "docs.jsonl").write_text('{"doc": "dense"}\n')
    common = ("--pdfs", pdfs, "--docs", tmp_path / "docs.jsonl", "--out")
    run("write_trees.py", *common, tmp_path / "off")
    run("write_trees.py", *common, tmp_path / "merge", "--optimize", "merge")

    assert titles(tmp_path / "off" / "dense.json") == ["1 Seals", "2 Valves", "3 Pumps"]
    assert titles(tmp_path / "merge" / "dense.json") == ["1 Seals", "3 Pumps"]
    first = json.loads((tmp_path / "merge" / "dense.json").read_text())["structure"][0]
    assert "2 Valves" in first["key_items"]


def test_a_document_that_fails_leaves_no_tree_of_an_earlier_run(pdfs: Path, tmp_path: Path) -> None:
    """A stale file would be scored as if it were today's."""
    out = tmp_path / "out"
    run("write_trees.py", "--pdfs", pdfs, "--out", out)
    (pdfs / "plain.pdf").write_bytes(b"%PDF-1.7 gone")
    run("write_trees.py", "--pdfs", pdfs, "--out", out)

    assert sorted(path.name for path in out.iterdir()) == ["marked.json"]


def test_speed_prints_caveats_versions_rows_and_medians(pdfs: Path) -> None:
    """Caveats come before figures, each document that opens has a row of consistent ratios, the other is named."""
    done = run("speed.py", "--pdfs", pdfs, "--docs", "plain,broken,marked", "--runs", "1")
    head, _, table = done.stdout.partition("\n\n")
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[1:]}

    assert "Caveats" in head
    assert re.search(r"pageindex-rag \d+\.\d+.*pypdfium2 \d+\.\d+.*pageindex (none|\d)", head)
    assert set(rows) == {"plain", "marked", "median"}
    for pages, ours, bare, _, ratio, _ in rows.values():
        assert pages == "6"
        assert float(ours) > 0
        assert float(ratio) == pytest.approx(float(ours) / float(bare), rel=0.6, abs=0.1)
    assert done.returncode == 1
    assert re.search(r"^broken: .*broken\.pdf cannot be opened", done.stderr, re.MULTILINE)


def test_speed_fails_where_a_ratio_passes_its_limit(pdfs: Path) -> None:
    """A tree never takes less than a tenth of the bare pass, so that this limit is passed, and told."""
    done = run(
        "speed.py", "--pdfs", pdfs, "--docs", "plain", "--runs", "1", "--clock", "processor", "--most-worst", "0.1"
    )

    assert done.returncode == 1
    assert re.search(r"^ours/bare worst \d+\.\d\d, over 0\.10$", done.stderr, re.MULTILINE)
    assert "processor time" in done.stdout


@pytest.mark.skipif(importlib.util.find_spec("pageindex") is not None, reason="the rival is installed here")
def test_speed_leaves_the_rivals_columns_empty_where_it_is_not_installed(pdfs: Path) -> None:
    """The rival is optional: a Python without it costs two columns and no error."""
    done = run("speed.py", "--pdfs", pdfs, "--docs", "plain", "--runs", "1", "--rival-python", sys.executable)
    row = done.stdout.splitlines()[-1].split()

    assert done.returncode == 0
    assert (row[4], row[6]) == ("-", "-")
    assert "pageindex none" in done.stdout


def test_memory_reports_the_peak_of_indexing_and_searching(pdfs: Path) -> None:
    """The peak is that of a process that really indexed and found, and grows from the start to the end."""
    done = run("memory.py", "--pdf", pdfs / "plain.pdf", "--question", "litres a minute")
    found = re.search(r"plain: 6 pages, (\d+) hits, peak (\d+) MB \(before (\d+) MB", done.stdout)

    assert found is not None
    hits, peak_mb, before_mb = map(int, found.groups())
    assert hits > 0
    assert 5 < before_mb < peak_mb < 1000


def test_import_time_measures_the_core_and_each_plugin() -> None:
    """One line for each package, with what it costs in milliseconds."""
    done = run("import_time.py", "--runs", "1")

    assert [float(ms) > 0 for ms in re.findall(r"^pageindex_\w+ +(\d+)", done.stdout, re.MULTILINE)] == [True] * 3
