"""Takes a ``PageTree`` and its ``Pages``, gives the tree with summaries, key items and a description.

Nothing is written, all is quoted: a summary is whole sentences of the section's own text, a key item is a term or a
caption that stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from pageindex_core.describe.extract import Extractor, cut, document_title
from pageindex_core.describe.furniture import furniture_of
from pageindex_core.describe.passages import passages_of
from pageindex_core.options import DescribeOptions
from pageindex_core.records import Pages, PageTree, Section

__all__ = ["describe"]

DESCRIPTION_CHARS = 300
"""Longest description of a document: a title and one sentence, a line or two in a list of documents."""


def describe(tree: PageTree, pages: Pages, options: DescribeOptions | None = None) -> PageTree:
    """Give the tree with a summary and key items for each section, and a description of the document.

    A section without telling sentences of its own is summed up by the titles of its children; one without readable
    text keeps ``summary=None``. A summary that is there already is kept, and so are key items, before ours.

    Args:
        tree: The sections, in the order of the text.
        pages: The document they come from.
        options: Lengths and numbers.
    """
    options = options or DescribeOptions()
    furniture = furniture_of(pages.pages)
    passages = passages_of(tree, pages, furniture)
    extractor = Extractor(passages)
    indexes = count()
    sections = tuple(_described(section, extractor, indexes, options) for section in tree.sections)
    description = tree.description or _description(document_title(pages.pages, furniture), extractor)
    return replace(tree, sections=sections, description=description)


def _description(title: str | None, extractor: Extractor) -> str | None:
    """Quote the title as printed and the first sentence that fits behind it: "<title>: <sentence>"."""
    if title is None:
        return extractor.opening_sentence(DESCRIPTION_CHARS)
    sentence = extractor.opening_sentence(DESCRIPTION_CHARS - len(title) - 2)
    if sentence is None:
        return cut(title, DESCRIPTION_CHARS)
    return sentence if sentence.startswith(title) else f"{title}: {sentence}"


def _described(section: Section, extractor: Extractor, indexes: Iterator[int], options: DescribeOptions) -> Section:
    """Describe a section and then all below it, so that indexes are taken in pre-order."""
    index = next(indexes)
    summary, key_items = section.summary, section.key_items
    if summary is None and options.summary_chars:
        titles = [child.title for child in section.children if not child.synthetic]
        summary = extractor.summary(index, section.title, titles, options.summary_chars)
    found = extractor.key_items(index, section.title, max(0, options.max_key_items - len(key_items)))
    children = tuple(_described(child, extractor, indexes, options) for child in section.children)
    if summary is None and children and all(child.synthetic for child in children):
        # Page groups hold all the text of their section: what opens them opens it.
        summary = next((child.summary for child in children if child.summary), None)
    return replace(section, summary=summary, key_items=tuple(dict.fromkeys(key_items + found)), children=children)
