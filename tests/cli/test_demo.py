"""``examples/demo.py``, which ``make demo`` runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def test_demo_finds_each_answer_first(project_root: Path, tmp_path: Path) -> None:
    """From any folder the demo shows the tree and, for each question, the right section first; it leaves nothing."""
    run = subprocess.run(
        [sys.executable, str(project_root / "examples" / "demo.py")],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=50,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert " 4 Operating limits  · p. 16-18\n" in run.stdout
    assert len(re.findall(r"^  1\. manual\.pdf: .*<- the section that answers$", run.stdout, re.MULTILINE)) == 3
    assert re.search(r"^     page 17 \(printed 11\), score 0\.\d\d$", run.stdout, re.MULTILINE)
    assert "came first for 3 of 3 questions" in run.stdout
    assert list(tmp_path.iterdir()) == []
