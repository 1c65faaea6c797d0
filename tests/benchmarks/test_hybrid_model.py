"""Hybrid search with a real small embedding model, offline; needs the extra hybrid-bench."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

PARAPHRASES = [
    ("By how much may water drip from the sealing of the rotating axle once it was repacked?", 28),
    ("How strongly may the machine shake before it shuts itself off?", 17),
]
"""Questions about the sample manual in other words than its own, and the page of the answer."""


def test_the_benchmark_runs_on_the_sample_manual(
    project_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Indexing, embedding, FAISS and all ways run for real; hybrid finds at ten what either side finds at five."""
    pytest.importorskip("sentence_transformers")
    from benchmarks.hybrid import main

    shutil.copy(project_root / "examples" / "sample" / "manual.pdf", tmp_path / "manual.pdf")
    rows = [
        {"id": number, "doc": "manual", "question": question, "evidence_pages": [page]}
        for number, (question, page) in enumerate(PARAPHRASES)
    ]
    questions = tmp_path / "sample.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["--pdfs", str(tmp_path), "--questions", str(questions), "--cache", str(tmp_path / "cache")]) == 0
    told = capsys.readouterr().out
    figures = dict(re.findall(r"^(\w[\w ]*?) +recall@5/10 .* all \(2\) (\S+)$", told, re.MULTILINE))
    recalls = {way: [float(value) for value in given.split("/")] for way, given in figures.items()}
    assert len(recalls) == 6
    assert recalls["hybrid"][1] >= max(recalls["words"][0], recalls["vectors"][0])
    assert recalls["vectors"][1] > 0
    assert len(list((tmp_path / "cache").iterdir())) == 1 + len(PARAPHRASES)
