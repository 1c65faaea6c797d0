"""The hybrid examples, as a user runs them: offline, from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

WAYS = ("Fused", "Vectors inside sections", "Structure inside the pages that vectors choose", "Side by side")


@pytest.mark.parametrize("name", ["hybrid_langchain.py", "hybrid_llamaindex.py"])
def test_each_way_is_shown(project_root: Path, tmp_path: Path, name: str) -> None:
    """All ways give three results; those that end in sections begin with the section that answers."""
    run = subprocess.run(
        [sys.executable, str(project_root / "examples" / name)],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=150,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    lines = run.stdout.splitlines()
    assert [line for line in lines if not line.startswith("  ")] == list(WAYS)
    assert len(lines) == 4 * len(WAYS)
    for way in ("Fused", "Structure inside the pages that vectors choose", "Side by side"):
        assert lines[lines.index(way) + 1].endswith("8.3.2 Renewing the shaft seal")
    assert list(tmp_path.iterdir()) == []
