"""Floors on generated documents: headings found and questions answered may not fall unseen, in CI and without data.

The floors are in ``light_floors.json``. After a change that raises figures, or one whose loss is meant, pin them with
``PIN_LIGHT_FLOORS=1 pytest tests/benchmarks/test_light_floors.py``; a floor falls only with
``PIN_LIGHT_FLOORS=allow-regression``, and a line in CHANGELOG.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pypdfium2 as pdfium
import pytest

from pageindex_core import IndexOptions, OutlineOptions, Scope, index_source, make_tree, open_library, search
from pageindex_core.records import PageTree

HERE = Path(__file__).parent
FLOORS = HERE / "light_floors.json"
SAMPLE = HERE.parents[1] / "examples" / "sample"
PIN = os.environ.get("PIN_LIGHT_FLOORS", "")

VARIANTS = {
    "bookmarks and links": [],
    "no bookmarks": ["--no-bookmarks"],
    "neither": ["--no-bookmarks", "--no-links"],
}


def module(name: str) -> ModuleType:
    """Load a script that is not part of a package."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


floors = module("floors")
module("generated")
light_documents = module("light_documents")


def squashed(title: str) -> str:
    return re.sub(r"\W", "", title).casefold()


def heading_figures(tree: PageTree, gold: Iterable[tuple[str, int, str | None]]) -> dict[str, float]:
    """Give recall, precision and nesting: found with the right page, claimed rightly, and under the right parent."""
    found: dict[tuple[str, int], str | None] = {}

    def add(sections: Any, parent: str | None) -> None:
        for section in sections:
            if not section.synthetic:
                found[squashed(section.title), section.start_page] = parent
            add(section.children, parent if section.synthetic else squashed(section.title))

    add(tree.sections, None)
    wanted = {(squashed(title), page): squashed(parent) if parent else None for title, page, parent in gold}
    right = wanted.keys() & found.keys()
    return {
        "recall": len(right) / len(wanted),
        "precision": len(right) / max(1, len(found)),
        "nesting": sum(found[key] == wanted[key] for key in right) / len(wanted),
    }


def check(measured: dict[str, dict[str, float]]) -> None:
    """Compare with the floors of the same measurements, or pin them where that was asked for."""
    stored = floors.load_floors(FLOORS)
    if PIN:
        rounded = {name: {key: round(value, 4) for key, value in own.items()} for name, own in measured.items()}
        pinned, _ = floors.pinned_anew(rounded, stored["floors"], allow_regression=PIN == "allow-regression")
        floors.save_floors(FLOORS, None, pinned)
    assert measured.keys() <= stored["floors"].keys() or PIN, "not pinned yet: set PIN_LIGHT_FLOORS=1"
    short = floors.shortfalls(
        measured,
        {name: own for name, own in stored["floors"].items() if name in measured},
        dict.fromkeys(measured, 0.001),  # rounding of the pinned figures; generated text knows no other noise
    )
    assert not short or PIN, "\n".join(["fell below light_floors.json:", *map(str, short)])


def manual(folder: Path, options: list[str]) -> Path:
    """The sample manual in one of its variants."""
    path = folder / "manual.pdf"
    subprocess.run([sys.executable, SAMPLE / "write_manual.py", path, *options], check=True)
    return path


def bookmarks() -> list[tuple[str, int, str | None]]:
    """Title, page and parent of each heading of the sample manual, as its own bookmarks say."""
    open_at: list[str] = []
    gold = []
    with pdfium.PdfDocument(SAMPLE / "manual.pdf") as document:
        for mark in document.get_toc():
            del open_at[mark.level :]
            gold.append((mark.get_title(), mark.get_dest().get_index() + 1, open_at[-1] if open_at else None))
            open_at.append(mark.get_title())
    return gold


@pytest.mark.parametrize("variant", VARIANTS)
def test_headings_of_the_sample_manual_stay_found(variant: str, tmp_path: Path) -> None:
    """With bookmarks, with linked contents alone, and with neither, as many headings are found as before."""
    tree = make_tree(manual(tmp_path, VARIANTS[variant]))
    check({f"headings, sample manual, {variant}": heading_figures(tree, bookmarks())})


def test_headings_of_generated_documents_stay_found() -> None:
    """A manual, a report, a statute and an essay keep their headings, with the pages and the parents."""
    options = IndexOptions(outline=OutlineOptions(use_bookmarks=False))
    check(
        {
            f"headings, {sample.name}": heading_figures(make_tree(sample.pdf, options), sample.headings)
            for sample in light_documents.samples()
        }
    )


def test_questions_on_generated_documents_stay_answered() -> None:
    """Asked of their own document and of all together, questions find their page first, and among the first five."""
    library = open_library(None)
    ids = {}
    for sample in light_documents.samples():
        ids[sample.name] = index_source(sample.pdf, library, name=f"{sample.name}.pdf")[0].doc_id
    asked = [
        (question, ids[sample.name], page)
        for sample in light_documents.samples()
        for question, page in sample.questions
    ]
    measured = {}
    for name, scoped in (("pages, own document", True), ("pages, together", False)):
        first = five = 0
        for question, doc_id, page in asked:
            scope = Scope(documents=(doc_id,)) if scoped else Scope()
            hits = search(library, question, k=5, scope=scope).hits
            places = [(hit.doc_id, number) for hit in hits for number in hit.evidence_pages]
            first += places[:1] == [(doc_id, page)]
            five += (doc_id, page) in places[:5]
        measured[name] = {"hit@1": first / len(asked), "hit@5": five / len(asked)}
    library.close()
    check(measured)


def test_questions_on_the_sample_manual_stay_answered() -> None:
    """The questions of the demo find the section that answers them first."""
    library = open_library(None)
    index_source(SAMPLE / "manual.pdf", library)
    questions = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    right = sum(
        question["section"] in search(library, question["question"], k=1).hits[0].section_path for question in questions
    )
    library.close()
    check({"sections, sample manual": {"hit@1": right / len(questions)}})
