"""The mechanism of the floors: what a pinned figure is, when a measured one falls below it, how floors are pinned.

Nothing here measures. ``gate.py`` runs the measurements on evaluation data, ``test_light_floors.py`` on generated
documents, and both hold what they find against numbers in a file, by the functions of this module.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Figures = Mapping[str, Mapping[str, float]]
"""Measurement ("headings") to figure ("recall") to value."""

LOWER_IS_BETTER = frozenset({"cost", "outside"})
"""Figures whose pinned value is a ceiling: pages and map read by a perfect reader, evidence outside every tree."""

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A figure that is worse than what is pinned, by more than its margin."""

    measurement: str
    figure: str
    measured: float | None
    """None where the measurement gave no such figure."""
    pinned: float
    margin: float

    def __str__(self) -> str:
        """One line for people."""
        found = "was not measured" if self.measured is None else f"is {self.measured:.3f}"
        word = "ceiling" if self.figure in LOWER_IS_BETTER else "floor"
        return f"{self.measurement}: {self.figure} {found}; {word} {self.pinned:.3f}, margin {self.margin:.3f}"


def shortfalls(measured: Figures, pinned: Figures, margins: Mapping[str, float]) -> list[Shortfall]:
    """Give the figures that fell below what is pinned.

    Args:
        measured: What was found now. Figures that are not pinned are passed over.
        pinned: The floors of the same measurements.
        margins: Noise of each measurement. A drop of exactly the margin is still noise.
    """
    found = []
    for measurement, figures in pinned.items():
        margin = margins.get(measurement, 0.0)
        for figure, floor in figures.items():
            value = measured.get(measurement, {}).get(figure)
            if value is None or _drop(figure, value, floor) > margin + 1e-9:
                found.append(Shortfall(measurement, figure, value, floor, margin))
    return found


def pinned_anew(
    measured: Figures, pinned: Figures, *, allow_regression: bool
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Give the floors to store after a measurement, and a line on each that changed.

    A floor rises to what was measured. It falls only where ``allow_regression`` says that the loss was meant; a
    measurement that is not among the measured ones keeps its floors.
    """
    floors = {measurement: dict(figures) for measurement, figures in pinned.items()}
    changes = []
    for measurement, figures in measured.items():
        for figure, value in figures.items():
            old = floors.setdefault(measurement, {}).get(figure)
            if old is not None and (old == value or (_drop(figure, value, old) > 0 and not allow_regression)):
                continue
            floors[measurement][figure] = value
            before = "new" if old is None else f"{old:.3f}"
            changes.append(f"{measurement}: {figure} {before} -> {value:.3f}")
    return floors, changes


def _drop(figure: str, value: float, floor: float) -> float:
    """How much worse a value is than its floor; negative where it is better."""
    return value - floor if figure in LOWER_IS_BETTER else floor - value


def data_mark(root: Path, files: Iterable[Path]) -> dict[str, Any]:
    """Give what tells one set of evaluation data from another: a hash over names and bytes, and counts.

    Args:
        root: Names are taken relative to it, so that the data may lie anywhere.
        files: Annotations and inputs, in any order.
    """
    digest = hashlib.sha256()
    counts: dict[str, int] = {}
    for name, file in sorted((os.path.relpath(file, root).replace(os.sep, "/"), file) for file in files):
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
        if file.suffix == ".jsonl":
            counts[f"lines of {name}"] = sum(1 for line in content.splitlines() if line.strip())
        else:
            kind = f"{file.suffix.lstrip('.') or 'other'} files"
            counts[kind] = counts.get(kind, 0) + 1
    return {"sha256": digest.hexdigest(), "counts": counts}


def mark_changes(now: Mapping[str, Any], pinned: Mapping[str, Any]) -> list[str]:
    """Give a line on each way in which the evaluation data is not what the floors were measured on."""
    if now["sha256"] == pinned["sha256"]:
        return []
    names = sorted({*now["counts"], *pinned["counts"]})
    counts = [
        f"{name}: {pinned['counts'].get(name, 0)} then, {now['counts'].get(name, 0)} now"
        for name in names
        if now["counts"].get(name) != pinned["counts"].get(name)
    ]
    return counts or ["as many files and lines as then, with other content"]


def load_floors(path: Path) -> dict[str, Any]:
    """Read a file of floors; an absent one pins nothing yet.

    Raises:
        ValueError: the file has another format.
    """
    if not path.exists():
        return {"format": FORMAT, "data": None, "floors": {}}
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if stored.get("format") != FORMAT:
        raise ValueError(f"{path} has format {stored.get('format')!r}; this program reads {FORMAT}.")
    return stored


def save_floors(path: Path, data: Mapping[str, Any] | None, floors: Figures) -> None:
    """Replace a file of floors in one step: a killed process leaves the old one."""
    text = json.dumps({"format": FORMAT, "data": data, "floors": floors}, indent=2, sort_keys=True) + "\n"
    waiting = path.with_name(path.name + ".new")
    waiting.write_text(text, encoding="utf-8")
    os.replace(waiting, path)
