"""Hits to the pages that a model answers from: the pages with the evidence first, within a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from pageindex_core.answer.cite import ReadPage
from pageindex_core.llm.prompts.fence import fence, new_mark
from pageindex_core.records import DocumentInfo, Hit, Scope
from pageindex_core.search.navigate import LibraryRead, Navigation
from pageindex_core.tokens import count_tokens

EVERY_PAGE_HITS = 3
"""Hits whose pages are all read where there is room; of the others, those that hold the evidence."""


def read_context(hits: Sequence[Hit], scope: Scope, max_tokens: int) -> Navigation[tuple[ReadPage, ...]]:
    """Read the pages of hits, the best first, as many as fit; at least one where there is any.

    Args:
        hits: Best first.
        scope: What may be read.
        max_tokens: Most estimated tokens of their text.
    """
    wanted: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        for page in hit.evidence_pages:
            wanted.setdefault((hit.doc_id, page), hit)
    for hit in hits[:EVERY_PAGE_HITS]:
        for page in range(hit.page_start, hit.page_end + 1):
            wanted.setdefault((hit.doc_id, page), hit)
    doc_ids = list(dict.fromkeys(doc_id for doc_id, _ in wanted))
    if not doc_ids:
        return ()
    infos = yield tuple(LibraryRead("get", (doc_id, scope)) for doc_id in doc_ids)
    numbers = {doc_id: [page for known, page in wanted if known == doc_id] for doc_id in doc_ids}
    texts = yield tuple(LibraryRead("pages", (doc_id, numbers[doc_id], scope)) for doc_id in doc_ids)
    known = {info.doc_id: info for info in infos if info is not None}
    pages = {
        (doc_id, page.page_number): page for doc_id, found in zip(doc_ids, texts, strict=True) for page in found or ()
    }
    read: list[ReadPage] = []
    used = 0
    for (doc_id, number), hit in wanted.items():
        found_page = pages.get((doc_id, number))
        if found_page is None or doc_id not in known or not found_page.text.strip():
            continue
        tokens = count_tokens(found_page.text)
        if read and used + tokens > max_tokens:
            continue
        used += tokens
        read.append(ReadPage(known[doc_id], found_page, f"s{len(read) + 1}", hit.section_path))
    return tuple(read)


def whole_document(info: DocumentInfo, scope: Scope, max_tokens: int) -> Navigation[tuple[ReadPage, ...]]:
    """Read all pages of a document; nothing where they do not fit."""
    (pages,) = yield (LibraryRead("pages", (info.doc_id, None, scope)),)
    readable = [page for page in pages or () if page.text.strip()]
    if sum(count_tokens(page.text) for page in readable) > max_tokens:
        return ()
    return tuple(ReadPage(info, page, f"s{place}") for place, page in enumerate(readable, start=1))


def show_context(read: Sequence[ReadPage]) -> tuple[str, str]:
    """Give the mark of this call, and the pages between lines that carry it, each after a line with its label."""
    mark = new_mark(*(one.page.text for one in read))
    shown = []
    for one in read:
        names = " > ".join((one.info.name, *one.section_path))
        heading = f"page {one.page.page_number} of {names}"
        # The name of a document and its headings are its author's words as much as its text is.
        shown.append(f"{one.label}:\n{fence(heading + chr(10) + one.page.text, mark)[1]}")
    return mark, "\n\n".join(shown)
