"""The README shows what really comes out, scores included; ``...`` stands for what it leaves out."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def readme(project_root: Path, tmp_path: Path) -> list[tuple[str, str]]:
    """The README's fenced blocks, language and content; the examples are copied to where they are run."""
    shutil.copytree(project_root / "examples", tmp_path / "examples")
    return _BLOCK.findall((project_root / "README.md").read_text("utf-8"))


def check(shown: str, real: str) -> None:
    assert doctest.OutputChecker().check_output(shown, real, doctest.ELLIPSIS), f"shown:\n{shown}\nreal:\n{real}"


def test_python_blocks_print_what_is_shown(readme: list[tuple[str, str]], tmp_path: Path) -> None:
    """Each Python block is followed by its output, and together they print it."""
    pairs = list(pairwise(readme))
    code = [body for language, body in readme if language == "python"]
    shown = [after for (language, _), (mark, after) in pairs if (language, mark) == ("python", "text")]
    assert len(code) == len(shown) > 0
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(code)],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=50,
        encoding="utf-8",
    )
    check("".join(shown), run.stdout)


def test_commands_print_what_is_shown(readme: list[tuple[str, str]], tmp_path: Path) -> None:
    """Below each command stands what it prints."""
    (console,) = [body for language, body in readme if language == "console"]
    for part in console.removeprefix("$ ").split("\n$ "):
        command, _, shown = part.rstrip("\n").partition("\n")
        name, *arguments = shlex.split(command, comments=True)
        run = subprocess.run(
            [str(Path(sys.executable).with_name(name)), *arguments],
            cwd=tmp_path,
            capture_output=True,
            check=True,
            timeout=50,
            encoding="utf-8",
        )
        check(shown + "\n", run.stdout)
