"""The gate's own mechanism, with made-up figures: what falls below a floor, what pinning changes, what is told."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parent
GATE = SCRIPTS / "gate.py"

SCORER = """
import json, sys
what, gold, got = sys.argv[1:4]
figures = json.loads((__import__("pathlib").Path(__file__).with_name("figures.json")).read_text())
if what == "headings":
    print("cutF1 0.100  F1 0.100  recall 0.100  a_document")
    print("MACRO " + "  ".join(f"{name} {figures['recall']:.3f}" for name in
                               ("cutF1", "F1", "recall", "precision", "nesting", "exactpage")) + "  documents 1")
"""
"""A scorer whose figures come from a file beside it."""


def module(name: str) -> ModuleType:
    """Load a script that is not part of a package."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


floors = module("floors")
gate = module("gate")


def test_a_figure_within_the_margin_is_noise_and_one_beyond_it_is_a_shortfall() -> None:
    """0.80 pinned with a margin of 0.01 lets 0.79 pass and stops 0.789."""
    pinned = {"pages": {"recall@5": 0.80}}
    assert floors.shortfalls({"pages": {"recall@5": 0.79}}, pinned, {"pages": 0.01}) == []
    (short,) = floors.shortfalls({"pages": {"recall@5": 0.789}}, pinned, {"pages": 0.01})
    assert str(short) == "pages: recall@5 is 0.789; floor 0.800, margin 0.010"


def test_a_cost_falls_short_by_rising() -> None:
    """What is pinned for a cost is a ceiling: more is worse, less is never a shortfall."""
    pinned = {"map": {"cost": 3.0, "outside": 0.0}}
    assert floors.shortfalls({"map": {"cost": 2.0, "outside": 0.0}}, pinned, {}) == []
    (short,) = floors.shortfalls({"map": {"cost": 3.1, "outside": 0.0}}, pinned, {"map": 0.05})
    assert str(short) == "map: cost is 3.100; ceiling 3.000, margin 0.050"


def test_a_pinned_figure_that_was_not_measured_is_a_shortfall() -> None:
    """A scorer that no longer prints a figure cannot make its floor hold."""
    (short,) = floors.shortfalls({"pages": {}}, {"pages": {"recall@5": 0.5}}, {"pages": 1.0})
    assert str(short) == "pages: recall@5 was not measured; floor 0.500, margin 1.000"


def test_pinning_raises_floors_and_lowers_none_by_itself() -> None:
    """What got better is pinned, what got worse keeps its floor, and what is new is added; each change is told."""
    pinned = {"pages": {"recall@5": 0.5, "recall@10": 0.6}, "map": {"cost": 3.0}, "other": {"recall": 1.0}}
    measured = {"pages": {"recall@5": 0.55, "recall@10": 0.4}, "map": {"cost": 3.5, "outside": 0.0}}
    kept, changes = floors.pinned_anew(measured, pinned, allow_regression=False)
    assert kept == {
        "pages": {"recall@5": 0.55, "recall@10": 0.6},
        "map": {"cost": 3.0, "outside": 0.0},
        "other": {"recall": 1.0},
    }
    assert changes == ["pages: recall@5 0.500 -> 0.550", "map: outside new -> 0.000"]


def test_pinning_lowers_floors_where_a_regression_is_allowed() -> None:
    """With the flag what was measured is pinned, whichever way it went."""
    pinned = {"pages": {"recall@10": 0.6}, "map": {"cost": 3.0}}
    measured = {"pages": {"recall@10": 0.4}, "map": {"cost": 3.5}}
    kept, changes = floors.pinned_anew(measured, pinned, allow_regression=True)
    assert kept == measured
    assert len(changes) == 2


def test_the_hash_of_the_data_tells_a_changed_byte_a_renamed_file_and_a_missing_one(tmp_path: Path) -> None:
    """Same bytes under the same names give the same mark wherever they lie; anything else is told, with counts."""
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").write_text('{"doc": "a"}\n\n{"doc": "b"}\n')
        (tmp_path / folder / "a.pdf").write_bytes(b"%PDF-1")

    def mark(folder: str) -> dict[str, object]:
        found: dict[str, object] = floors.data_mark(tmp_path / folder, (tmp_path / folder).iterdir())
        return found

    pinned = mark("here")
    assert pinned["counts"] == {"lines of a.jsonl": 2, "pdf files": 1}
    assert floors.mark_changes(mark("there"), pinned) == []
    (tmp_path / "there" / "a.pdf").write_bytes(b"%PDF-2")
    assert floors.mark_changes(mark("there"), pinned) == ["as many files and lines as then, with other content"]
    (tmp_path / "there" / "a.pdf").unlink()
    assert floors.mark_changes(mark("there"), pinned) == ["pdf files: 1 then, 0 now"]
    (tmp_path / "here" / "a.pdf").rename(tmp_path / "here" / "b.pdf")
    assert floors.mark_changes(mark("here"), pinned) != []


def test_a_saved_file_of_floors_is_read_back_and_another_format_is_refused(tmp_path: Path) -> None:
    """Saving then loading is the identity; a file of another format is named, not guessed at."""
    path = tmp_path / "floors.json"
    assert floors.load_floors(path)["floors"] == {}
    floors.save_floors(path, {"sha256": "0", "counts": {}}, {"map": {"cost": 3.0}})
    assert floors.load_floors(path) == {
        "format": 1,
        "data": {"sha256": "0", "counts": {}},
        "floors": {"map": {"cost": 3.0}},
    }
    path.write_text('{"format": 7}')
    with pytest.raises(ValueError, match="format 7"):
        floors.load_floors(path)


def test_figures_are_read_from_the_line_that_counts() -> None:
    """Each figure is the number behind its name, on the line that starts as the measurement says."""
    told = "a_document recall@5 0.1\nevidence_pages questions 2 MRR 0.3 recall@5 0.250 recall@10 0.500\n"
    assert gate.figures_of(told, "evidence_pages", ("recall@5", "recall@10", "within4000")) == {
        "recall@5": 0.25,
        "recall@10": 0.5,
    }


def test_everything_that_is_measured_has_a_margin_and_a_floor() -> None:
    """The stored floors name exactly the measurements of the gate, with all figures of each, and a hash of the data."""
    stored = floors.load_floors(gate.FLOORS)
    expected = {one.name: set(one.figures) for one in gate.measurements()}
    assert {name: set(figures) for name, figures in stored["floors"].items()} == expected
    assert all(one.margin > 0 for one in gate.measurements())
    assert len(stored["data"]["sha256"]) == 64


def test_every_way_of_hybrid_search_has_a_margin_and_a_floor() -> None:
    """The same for the file of its own; the data are those of the other floors, without outlines and scorer."""
    stored = floors.load_floors(gate.HYBRID_FLOORS)
    expected = {one.name: set(one.figures) for one in gate.hybrid_measurements()}
    assert {name: set(figures) for name, figures in stored["floors"].items()} == expected
    assert all(one.margin > 0 for one in gate.hybrid_measurements())
    counts = floors.load_floors(gate.FLOORS)["data"]["counts"]
    assert stored["data"]["counts"] == {
        name: count for name, count in counts.items() if name not in ("lines of outlines.jsonl", "py files")
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder without documents, and a scorer whose figures the test sets."""
    folder = tmp_path / "data"
    (folder / "pdfs").mkdir(parents=True)
    for name in ("outlines", "financebench", "mmlongbench"):
        (folder / f"{name}.jsonl").write_text("")
    (tmp_path / "score.py").write_text(SCORER)
    return folder


def run_gate(data: Path, recall: float, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the gate on the headings measurement alone, with floors of its own."""
    (data.parent / "figures.json").write_text(json.dumps({"recall": recall}))
    files = (
        "--data",
        str(data),
        "--scorer",
        str(data.parent / "score.py"),
        "--floors",
        str(data.parent / "floors.json"),
    )
    command = [sys.executable, str(GATE), *files, "--only", "bookmarks ignored", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=55, check=False)


def test_the_gate_pins_passes_and_fails_and_says_what_to_run_next(data: Path) -> None:
    """Floors are pinned, hold within the margin, and stop a drop with the commands to look and to pin."""
    unpinned = run_gate(data, 0.9)
    assert unpinned.returncode == 1
    assert f"gate.py --data {data} --pin" in unpinned.stderr
    assert run_gate(data, 0.9, "--pin").returncode == 0
    assert run_gate(data, 0.896).returncode == 0
    dropped = run_gate(data, 0.8)
    assert dropped.returncode == 1
    assert "headings, bookmarks ignored: recall is 0.800; floor 0.900, margin 0.005" in dropped.stderr
    assert f'--data {data} --only "headings, bookmarks ignored" --keep' in dropped.stderr
    assert f"gate.py --data {data} --pin --allow-regression" in dropped.stderr


def test_the_gate_keeps_a_floor_that_was_not_reached_unless_told_otherwise(data: Path) -> None:
    """Pinning after a drop changes nothing and says so; with --allow-regression it lowers the floor."""
    run_gate(data, 0.9, "--pin")
    kept = run_gate(data, 0.8, "--pin")
    assert "Floors that were kept" in kept.stderr
    assert run_gate(data, 0.8).returncode == 1
    run_gate(data, 0.8, "--pin", "--allow-regression")
    assert run_gate(data, 0.8).returncode == 0


def test_changed_data_fails_the_gate_until_it_is_pinned_on_purpose(data: Path) -> None:
    """A line more in an annotation file is told before anything is measured, and --pin alone does not accept it."""
    run_gate(data, 0.9, "--pin")
    (data / "outlines.jsonl").write_text("\n{}\n")
    for options in ((), ("--pin",)):
        changed = run_gate(data, 0.9, *options)
        assert changed.returncode == 1
        assert "lines of outlines.jsonl: 0 then, 1 now" in changed.stderr
        assert "--pin --allow-regression" in changed.stderr


def test_the_gate_skips_without_data_and_names_what_is_missing_in_it(tmp_path: Path) -> None:
    """No data is a reason, not a failure; data that is named and not there is one."""
    environment = {name: value for name, value in os.environ.items() if name != "DATA"}
    skipped = subprocess.run(
        [sys.executable, str(GATE)], capture_output=True, text=True, timeout=55, check=False, env=environment
    )
    assert skipped.returncode == 0
    assert skipped.stdout.startswith("skipped: ")
    missing = run_gate(tmp_path / "data", 0.9)
    assert missing.returncode == 2
    assert "outlines.jsonl" in missing.stderr
    assert "make floors DATA=" in missing.stderr


def test_the_gate_of_hybrid_search_reads_what_the_benchmark_prints(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run gives all ways, over both sets; floors of their own are pinned, hold, and stop a drop."""
    pytest.importorskip("faiss")
    from benchmarks.hybrid import report

    commands: list[list[str]] = []
    recalls = {way: {"one": [(0.5, 0.75)] * 3, "two": [(1.0, 1.0)]} for way in gate.HYBRID_WAYS}

    def run(command: list[str]) -> str:
        commands.append(command)
        capsys.readouterr()
        report(recalls)
        return capsys.readouterr().out

    monkeypatch.setattr(gate, "run", run)
    given = ["--data", str(data), "--hybrid", "--vectors", "kept", "--floors", str(data.parent / "hybrid.json")]
    assert gate.main(given) == 1
    assert "--hybrid --pin" in capsys.readouterr().err
    assert gate.main([*given, "--pin"]) == 0
    pinned = floors.load_floors(data.parent / "hybrid.json")["floors"]
    assert pinned == {way: {"recall@5": 0.625, "recall@10": 0.812} for way in gate.HYBRID_WAYS}
    assert gate.main(given) == 0
    recalls["hybrid"]["two"] = [(0.9, 1.0)]
    assert gate.main(given) == 1
    told = capsys.readouterr().err
    assert "hybrid: recall@5 is 0.600; floor 0.625" in told
    assert "--keep" not in told
    assert len(commands) == 4
    assert commands[0][-2:] == ["--cache", "kept"]
    assert gate.main([*given, "--only", "words"]) == 0  # a way whose figures held
