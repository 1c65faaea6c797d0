"""The installed command as a real process: exit codes, streams, encodings, a reader that goes away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pageindex_core

COMMAND = str(Path(sys.executable).with_name("pageindex-rag"))


def start(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, *arguments], cwd=cwd, capture_output=True, check=False, env={**os.environ, **environment}, timeout=50
    )


def test_version_is_the_package_version(tmp_path: Path) -> None:
    """``--version`` prints name and version."""
    shown = start("--version", cwd=tmp_path)
    assert (shown.returncode, shown.stdout.decode().strip()) == (0, f"pageindex-rag {pageindex_core.__version__}")


@pytest.mark.parametrize("command", ["index", "tree", "search", "show", "list", "remove"])
def test_help_documents_codes_and_keys(tmp_path: Path, command: str) -> None:
    """Each command's help names the exit codes and the keys of its JSON."""
    shown = start(command, "--help", cwd=tmp_path).stdout.decode()
    assert "Exit codes: 0 success, 1 unexpected, 2" in shown
    assert "--json gives: " in shown


def test_whole_road_in_processes(tmp_path: Path, pumps_pdf: bytes) -> None:
    """What one process indexed, others search, show and remove."""
    (tmp_path / "pumps.pdf").write_bytes(pumps_pdf)
    assert start("index", "pumps.pdf", cwd=tmp_path).returncode == 0
    found = start("search", "spring of the valves", "-k", "1", "--json", cwd=tmp_path)
    assert json.loads(found.stdout)["hits"][0]["section_path"] == ["2 Valves"]
    assert b"Valves close by a spring." in start("show", "pumps.pdf", "3", cwd=tmp_path).stdout
    assert start("remove", "pumps.pdf", cwd=tmp_path).returncode == 0
    assert json.loads(start("list", "--json", cwd=tmp_path).stdout) == {"documents": []}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search"], 2),
        (["index", "--nonsense", "a.pdf"], 2),
        (["index", "missing.pdf"], 3),
        (["list"], 4),
    ],
)
def test_codes_reach_the_shell(tmp_path: Path, arguments: list[str], code: int) -> None:
    """The exit codes are those documented, with a message on standard error and no traceback."""
    ended = start(*arguments, cwd=tmp_path)
    assert ended.returncode == code
    assert ended.stderr.strip()
    assert b"Traceback" not in ended.stderr


def test_narrow_encodings_do_not_end_the_work(tmp_path: Path) -> None:
    """Where standard output knows ASCII only, text is escaped and JSON means the same."""
    (tmp_path / "報告.md").write_text("# 概要\n\n軸受は毎年交換する。\n", encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert start("index", "報告.md", cwd=tmp_path, **ascii_only).returncode == 0
    listed = start("list", "--json", cwd=tmp_path, **ascii_only)
    assert json.loads(listed.stdout.decode("ascii"))["documents"][0]["name"] == "報告.md"
    assert start("search", "軸受", cwd=tmp_path, **ascii_only).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows pipes report no broken pipe")
def test_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    """A pipe closed early ends the command quietly with 141."""
    text = "".join(f"# Section {number}\n\nWords.\n\n" for number in range(9000))
    (tmp_path / "long.md").write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [COMMAND, "tree", "long.md"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert (process.wait(50), complaint) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is POSIX")
def test_interrupt_ends_quietly(tmp_path: Path, pumps_pdf: bytes) -> None:
    """Ctrl-C exits with 130 and one line, and what was finished before is kept."""
    (tmp_path / "a.pdf").write_bytes(pumps_pdf)
    (tmp_path / "long.txt").write_text("Each pump is greased in May, and each hall is aired in June.\n" * 300_000)
    process = subprocess.Popen(
        [COMMAND, "index", "a.pdf", "long.txt"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background has them ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while "long.txt" not in states(tmp_path):  # it takes many seconds from then on
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, complaint = process.communicate(timeout=50)
    assert (process.returncode, out) == (130, b"")
    assert complaint == b"pageindex-rag: interrupted; documents that were finished are kept\n"
    assert [name for name, status in states(tmp_path).items() if status == "ready"] == ["a.pdf"]


def states(folder: Path) -> dict[str, str]:
    """The status of each document in the library of a folder; none before there is one."""
    if not (folder / ".pageindex").exists():
        return {}
    shown = start("list", "--json", cwd=folder).stdout
    return {info["name"]: info["status"] for info in json.loads(shown)["documents"]} if shown else {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_no_traceback(tmp_path: Path) -> None:
    """An operating system error outside our own exits with 1 and names the cause."""
    (tmp_path / "a.md").write_text("# One\n\nText.\n", encoding="utf-8")
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [COMMAND, "tree", "a.md"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False, timeout=50
        )
    assert ended.returncode == 1
    assert b"No space left on device" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_usage_errors_load_nothing_heavy(tmp_path: Path) -> None:
    """Help and usage errors answer without PDFium, SQLite, Markdown or a framework."""
    code = (
        "import sys; from pageindex_core.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pypdfium2', 'sqlite3', 'markdown_it', 'langchain_core', 'llama_index', 'pageindex_core.pipeline'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, timeout=50)
    assert (ended.returncode, ended.stderr) == (0, b"")
