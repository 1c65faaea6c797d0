"""The script that switches rules of search off: what it tells of a rule, and that no weight is left out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pageindex_core.search import listings, rank, references, score
from pdf_builder import build_pdf, page

SCRIPTS = Path(__file__).parent


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module; its neighbours lie beside it."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import ablation as module

    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A document of twelve pages in which a word stands on many pages, but in the first lines of one alone."""
    plain = "Pumps are painted grey and stand in a row beside the river. " * 12
    pages = [page(plain, f"On page {number} a valve, a valve and a valve stand.") for number in range(1, 12)]
    pages.append(page("The valve", plain))
    (tmp_path / "pumps.pdf").write_bytes(build_pdf(pages))
    question = {"id": 1, "doc": "pumps", "question": "What about the valve?", "evidence_pages": [12]}
    lost = {"id": 2, "doc": "missing", "question": "Anything?", "evidence_pages": [1]}
    (tmp_path / "set.jsonl").write_text(f"{json.dumps(question)}\n{json.dumps(lost)}\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the script as its users do."""
    command = [sys.executable, SCRIPTS / "ablation.py", "--pdfs", folder, "--questions", folder / "set.jsonl"]
    return subprocess.run([*map(str, command), *options], capture_output=True, text=True, timeout=55, check=False)


def test_a_row_tells_what_a_rule_gains(folder: Path) -> None:
    """A rule that finds the page has a gain in points and a probability; one without any effect is at one half."""
    done = run(folder, "--only", "first lines of the page,quoted phrases")
    rows = {cells[0]: cells[1:] for line in done.stdout.splitlines() if len(cells := line.strip("| ").split(" | ")) > 1}
    assert "missing" in done.stderr
    own, together, changed, *probabilities = rows["first lines of the page"]
    assert float(own) > 0
    assert float(together) > 0
    assert (changed, probabilities) == ("2", ["1.00", "1.00"])
    assert rows["quoted phrases"] == ["+0.00", "+0.00", "0", "0.50", "0.50"]


def test_an_unknown_rule_is_named(folder: Path) -> None:
    """What there is instead is said, and nothing is indexed."""
    done = run(folder, "--only", "luck")
    assert done.returncode == 2
    assert "luck" in done.stderr
    assert "quoted phrases" in done.stderr


def test_every_weight_has_a_rule(ablation: ModuleType) -> None:
    """A weight or share that is added to search without a way to switch it off fails here."""
    switched = {name for rule in ablation.RULES for name in rule.off}
    weights = {
        name
        for module in (score, rank, references, listings)
        for name in vars(module)
        if re.fullmatch(r"[A-Z][A-Z_]*_(?:WEIGHT|SHARE)", name)
    }
    assert weights <= switched


def test_a_rule_is_on_again_afterwards(ablation: ModuleType) -> None:
    """Its constants have other values only while it is off, whatever happens then."""

    def fail(rule: Any) -> None:
        with ablation.switched_off(rule):
            assert {name: getattr(rule.module, name) for name in rule.off} == rule.off != before
            raise RuntimeError

    for rule in ablation.RULES:
        before = {name: getattr(rule.module, name) for name in rule.off}
        with pytest.raises(RuntimeError):
            fail(rule)
        assert {name: getattr(rule.module, name) for name in rule.off} == before


def test_the_probability_of_a_gain_is_that_of_resampled_questions(ablation: ModuleType) -> None:
    """All gains are sure, all losses surely none, and as much of both says nothing."""
    assert ablation.probability([0.5] * 40) == 1.0
    assert ablation.probability([-0.5] * 40) == 0.0
    assert ablation.probability([0.0] * 40) == 0.5
    assert ablation.probability([0.5, -0.5] * 20) == pytest.approx(0.5, abs=0.05)
