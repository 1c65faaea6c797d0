"""Whatever a model says, in whatever order its replies come: the tree is sound and holds what layout knows."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings, strategies as st

from pageindex_core.errors import BudgetExceededError, ModelReplyError, ModelTimeoutError, ModelUnavailableError
from pageindex_core.llm import ModelReply, ModelRequest, Usage
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.schedule import Schedule
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.pipeline import tree_of
from pageindex_core.pipeline.model import tree_job
from pageindex_core.records import Pages, PageTree
from pageindex_core.tree.check import check_tree
from random_outlines import pages_of

NOUNS = ("pump", "seal", "valve", "pipe", "filter", "gauge", "bearing", "shaft")
JUNK: tuple[Any, ...] = (None, "", "null", [], {}, 7, True, {"summary": 3}, {"headings": {}}, {"entries": "x"}, [[1]])


def document(seed: int, *, numbered: bool) -> Pages:
    """Up to twenty pages of short lines, some of them titles; with numbered chapters that layout finds, or without."""
    chance = random.Random(seed)
    texts = []
    for page in range(1, chance.randint(1, 20) + 1):
        lines = [
            f"The {chance.choice(NOUNS)} of row {row} is kept by the keeper." for row in range(chance.randint(0, 9))
        ]
        if chance.random() < 0.5:
            title = f"Care of the {chance.choice(NOUNS)}"
            lines.insert(chance.randint(0, len(lines)), f"{page} {title}" if numbered else title)
        texts.append("\n".join(lines))
    return pages_of(*texts)


def reply_to(request: ModelRequest, pages: Pages, chance: random.Random) -> Any:
    """Something between a good answer and nonsense: most true headings, among other lines and invented ones."""
    (key,) = (request.schema or {})["properties"]
    if chance.random() < 0.2:
        return chance.choice(JUNK)
    lines = [line.text for page in pages.pages for line in page.lines] or ["x"]
    if key in ("summary", "description"):
        return {key: chance.choice(["A summary.", "", "null", "long " * 900])}
    if key == "pages":
        return {key: [chance.randint(-2, 25) for _ in range(chance.randint(0, 4))]}
    true = [(line.text, page.page_number) for page in pages.pages for line in page.lines if "Care" in line.text]
    items: list[dict[str, Any]] = [
        {"entry": f"e{number}", "line": title, "title": title, "page": page, "level": chance.randint(1, 3)}
        for number, (title, page) in enumerate(true)
        if chance.random() < 0.8
    ]
    for _ in range(chance.randint(0, 5)):
        title = chance.choice([*lines, "Invented title", "", None])
        page = chance.choice([chance.randint(-1, 25), str(chance.randint(1, 20)), None, 1e9])
        item = {"title": title, "page": page, "level": chance.choice([1, 2, 3, -4, 99, "2", None])}
        item |= {"entry": f"e{chance.randint(0, 9)}", "line": title}
        items.insert(chance.randint(0, len(items)), item)
    return {key: [*items, *chance.sample(JUNK, 2)]}


def outcome(request: ModelRequest, pages: Pages, chance: random.Random) -> ModelReply | Exception:
    if chance.random() < 0.15:
        kind = chance.choice([ModelReplyError, ModelTimeoutError, ModelUnavailableError, BudgetExceededError])
        return kind("No answer.")
    return ModelReply("", Usage(1, 1), "chaos", reply_to(request, pages, chance))


def indexed(pages: Pages, options: ModelOptions, seed: int) -> tuple[PageTree, Asking]:
    """Run the work with replies that come in random order."""
    chance, asking = random.Random(seed), Asking()
    schedule = Schedule(tree_job(pages, IndexOptions(), options, asking))
    waiting: list[tuple[int, ModelRequest]] = []
    while not schedule.is_done:
        waiting += schedule.take(8 - len(waiting))
        if waiting:
            ticket, request = waiting.pop(chance.randrange(len(waiting)))
            schedule.finish(ticket, outcome(request, pages, chance))  # type: ignore[arg-type]
    return schedule.result, asking


@settings(max_examples=150)
@given(
    st.integers(0, 10_000), st.booleans(), st.sampled_from(["auto", "standard", "layout"]), st.sampled_from([1, 2, 5])
)
def test_no_reply_can_break_a_tree(seed: int, numbered: bool, structure: Any, expand_pages: int) -> None:
    """Every page stays covered, children inside parents, ids and keys unique; every title is a line of its page."""
    pages = document(seed, numbered=numbered)
    options = ModelOptions(structure=structure, expand_pages=expand_pages, context_tokens=500, short_leaf_tokens=20)
    tree, asking = indexed(pages, options, seed)

    assert check_tree(tree) == []
    for section in tree.walk():
        if section.evidence in ("model", "contents") and structure != "layout":
            printed = " ".join(line.text for line in pages.pages[section.start_page - 1].lines)
            assert section.title in printed
        assert section.summary_model in (None, "chaos")
        assert (section.summary_model is None) or 0 < len(section.summary or "") <= 1_500
    if structure != "standard":
        known = {one.title for one in tree_of(pages).walk() if not one.synthetic}
        assert known <= {one.title for one in tree.walk()}
    assert asking.is_complete == (not any(note.code == "model_ended" for note in tree.notes))
