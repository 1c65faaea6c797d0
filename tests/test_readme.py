"""What the README shows, runs: its Python blocks and its ``pageindex-rag`` commands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(project_root: Path, tmp_path: Path) -> Path:
    """A folder like the project's own, so that the README's relative paths hold and nothing is written there."""
    shutil.copytree(project_root / "examples", tmp_path / "examples")
    return tmp_path


def blocks(root: Path, language: str) -> list[str]:
    """The contents of the README's fenced blocks of one language, in order."""
    return [body for mark, body in _BLOCK.findall((root / "README.md").read_text("utf-8")) if mark == language]


def test_python_blocks_run_in_order(project_root: Path, folder: Path) -> None:
    """Pasted one after the other into a fresh interpreter, the README's Python blocks raise nothing."""
    code = blocks(project_root, "python")
    assert code, "the README shows no Python"
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(code)], cwd=folder, capture_output=True, text=True, check=False, timeout=50
    )
    assert run.returncode == 0, run.stderr


def test_commands_run(project_root: Path, folder: Path) -> None:
    """Every ``$ pageindex-rag …`` line of the README's console blocks succeeds, in order."""
    lines = [line for block in blocks(project_root, "console") for line in block.splitlines()]
    commands = [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ pageindex-rag ")]
    assert commands, "the README shows no command"
    for _, *arguments in commands:
        command = [str(Path(sys.executable).with_name("pageindex-rag")), *arguments]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=50)
        assert run.returncode == 0, f"{shlex.join(arguments)}: {run.stderr}"
