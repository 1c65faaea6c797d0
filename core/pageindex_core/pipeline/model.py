"""The part of the road where a model helps: structure, division and summaries of one document, as one schedule.

::

    Outline ── nothing found? outline.standard ──> Outline ── tree ──> sections
    sections ── long leaves: outline.model proposes, tree.expand decides ──┐
             └── others: describe.model sums up, children first ───────────┴──> PageTree ── describe fills what is left

Loaded only when there is a model. Nothing here does I/O but the two drivers at the end.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pageindex_core.describe import describe
from pageindex_core.describe.model import Kept, Summarizer
from pageindex_core.llm import Budget, ChatModel, MeteredModel, metered, open_model
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.prompts import load_prompt
from pageindex_core.llm.schedule import LATER, Job, Together, arun_job, run_job
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.outline import find_headings
from pageindex_core.outline.choose import DOMINANT
from pageindex_core.outline.layout import Layout
from pageindex_core.outline.model.propose import propose_headings
from pageindex_core.outline.model.standard import standard_outline
from pageindex_core.records import Heading, Outline, Pages, PageTree, Section, TocSource
from pageindex_core.tokens import count_tokens
from pageindex_core.tree import build_tree
from pageindex_core.tree.expand import Growth, TooLong, grow
from pageindex_core.tree.spans import Place, number_sections

PROMPTS = (
    "contents_entries",
    "contents_pages",
    "description",
    "find_entries",
    "headings",
    "summary",
    "summary_of_parts",
)
"""Every prompt of indexing. Their versions are part of a document's fingerprint."""

CACHE_FILE = "replies.sqlite"
"""Name of the reply cache in a library's folder."""

_SHAPING = (
    "structure",
    "summaries",
    "summary_words",
    "short_leaf_tokens",
    "expand_pages",
    "expand_rounds",
    "contents_pages",
    "node_pages",
    "node_tokens",
    "context_tokens",
    "repair_rounds",
)
"""The options that shape what is stored; the others say only how fast and how far."""


@dataclass(frozen=True, slots=True)
class ModelRun:
    """One indexing run with a model: its documents share the budget, the cache and the count of what was spent."""

    model: MeteredModel
    options: ModelOptions

    @property
    def mark(self) -> str:
        """16 hex digits of all that shapes what this model writes: name, options and prompts."""
        versions = [load_prompt(name, self.options.prompts).version for name in PROMPTS]
        shaping = [(name, getattr(self.options, name)) for name in _SHAPING]
        return hashlib.sha256(f"{self.model.name}|{shaping!r}|{versions!r}".encode()).hexdigest()[:16]


def open_run(
    model: str | ChatModel,
    options: ModelOptions | None = None,
    *,
    folder: Path | None = None,
    api_base: str | None = None,
) -> ModelRun:
    """Give the run of a model's name or of a model object.

    Args:
        model: See ``llm.open_model``.
        options: What the model does and may cost.
        folder: The library's, where the reply cache goes unless the options name another file.
        api_base: Address of a gateway or local server, for a name.

    Raises:
        OptionError: not a model, or a replaced prompt that cannot be used.
    """
    options = options or ModelOptions()
    if isinstance(model, str):
        given = {"api_base": api_base} if api_base else {}
        opened = open_model(model, max_concurrency=options.concurrency, **given)
    else:
        opened = open_model(model)
    assert opened is not None
    budget = Budget(options.max_calls, options.max_tokens, options.max_cost_usd, options.max_seconds)
    cache = options.cache or (folder / CACHE_FILE if folder is not None else None)
    run = ModelRun(metered(opened, budget=budget, cache=cache), options)
    _ = run.mark  # a prompt that cannot be used is named before anything is read
    return run


def tree_with_model(
    pages: Pages, options: IndexOptions, run: ModelRun, kept: Kept | None = None
) -> tuple[PageTree, bool]:
    """Give the described tree of a document, and whether every call was made.

    Args:
        pages: The document as read.
        options: How the stages work.
        run: The model.
        kept: Summaries of an earlier version, for what has not changed.

    Raises:
        ModelAccessError: the provider refuses the key, or the quota is used up.
    """
    asking = Asking(prompts=run.options.prompts)
    job = tree_job(pages, options, run.options, asking, kept)
    return run_job(job, run.model, concurrency=run.options.concurrency), asking.is_complete


async def atree_with_model(
    pages: Pages, options: IndexOptions, run: ModelRun, kept: Kept | None = None
) -> tuple[PageTree, bool]:
    """Do what ``tree_with_model`` does, with the model's calls under the running event loop."""
    asking = Asking(prompts=run.options.prompts)
    job = tree_job(pages, options, run.options, asking, kept)
    return await arun_job(job, run.model, concurrency=run.options.concurrency), asking.is_complete


def tree_job(
    pages: Pages, options: IndexOptions, model_options: ModelOptions, asking: Asking, kept: Kept | None = None
) -> Job[PageTree]:
    """Give the work of one document, for any driver: what it yields is what it waits for."""
    outline = find_headings(pages, options.outline)
    if not pages.has_text:
        return describe(build_tree(pages, outline, options.tree), pages, options.describe)
    layout = Layout.measure(pages.pages)
    read: Outline | None = None
    if _wants_reading(outline, len(pages.pages), model_options):
        read = yield from standard_outline(layout, asking, model_options)
    tree = build_tree(pages, read or outline, options.tree)
    summarizer = Summarizer(pages.pages, asking, model_options, kept)

    def propose(leaf: Section, stop: Place, divided: int) -> Job[list[Heading]]:
        start = (leaf.start_page, leaf.start_line)
        about = f"the division of {leaf.title!r}"
        return propose_headings(layout, start, stop, asking, model_options, about=about)

    growth = Growth.of(
        pages.pages,
        _too_long(pages, options, model_options, is_standard=read is not None),
        propose,
        summarizer.finish if model_options.summaries else None,
        rounds=model_options.expand_rounds,
        group_pages=options.tree.group_pages,
    )
    sections = yield from grow(tree.sections, growth)
    numbered = number_sections(sections, pages.pages)
    toc_source, shares = _source(tree, numbered)
    tree = replace(tree, sections=numbered, toc_source=toc_source, shares=shares)
    jobs: list[Job[Any]] = [_quoted(tree, pages, options)]
    if model_options.summaries:
        jobs.append(summarizer.describe(pages.name, sections))
    described: PageTree
    described, *sentences = yield Together(jobs)
    description = next((one for one in sentences if one is not None), described.description)
    return replace(described, description=description, notes=described.notes + asking.notes())


def _quoted(tree: PageTree, pages: Pages, options: IndexOptions) -> Job[PageTree]:
    """Fill what no model wrote with quoted words, while its last call is under way."""
    yield LATER
    return describe(tree, pages, options.describe)


def _wants_reading(outline: Outline, page_count: int, options: ModelOptions) -> bool:
    """Whether the model is to find the structure: told so, or layout found nothing in more pages than one leaf has."""
    if options.structure == "auto":
        return outline.toc_source == "pages" and page_count > options.expand_pages
    return options.structure == "standard"


def _too_long(pages: Pages, options: IndexOptions, model_options: ModelOptions, *, is_standard: bool) -> TooLong:
    """Which leaves are offered: all long ones when optimising, else only what ``standard`` mode may not leave whole."""
    divides = options.tree.optimize in ("auto", "full")
    tokens = [count_tokens(page.text) for page in pages.pages] if is_standard else []

    def too_long(leaf: Section, stop: Place) -> bool:
        count = leaf.end_page - leaf.start_page + 1
        if divides and count > model_options.expand_pages:
            return True
        held = tokens[leaf.start_page - 1 : leaf.end_page]
        return is_standard and count > 1 and (count > model_options.node_pages or sum(held) > model_options.node_tokens)

    return too_long


def _source(tree: PageTree, sections: tuple[Section, ...]) -> tuple[TocSource, Mapping[str, float]]:
    """Where the headings of a tree came from, once a model's are among them."""
    counts = Counter(one.evidence for root in sections for one in root.walk() if one.evidence is not None)
    if "model" not in counts:
        return tree.toc_source, tree.shares
    total = counts.total()
    first, most = counts.most_common(1)[0]
    shares = {str(evidence): round(count / total, 3) for evidence, count in counts.most_common()}
    return (first if most >= DOMINANT * total else "hybrid"), shares
