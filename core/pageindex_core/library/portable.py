"""``Pages`` as texts, one a page and one for the document, for stores that hold nothing else; nothing is lost."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pageindex_core.library.codec import decode_page, encode_metadata, encode_page
from pageindex_core.records import Bookmark, Heading, Note, Page, Pages


def page_to_text(page: Page) -> str:
    """Give a page with its layout as text."""
    return b64encode(encode_page(page)).decode("ascii")


def document_to_text(pages: Pages) -> str:
    """Give what is known of a document beside its pages as JSON.

    Raises:
        LibraryError: its metadata holds a value that JSON has no type for.
    """
    whole: dict[str, Any] = {
        "name": pages.name,
        "media_type": pages.media_type,
        "fingerprint": pages.fingerprint,
        "metadata": json.loads(encode_metadata(pages.metadata, pages.source_id)),
        "bookmarks": [asdict(bookmark) for bookmark in pages.bookmarks],
        "headings": None if pages.headings is None else [asdict(heading) for heading in pages.headings],
        "notes": [asdict(note) for note in pages.notes],
    }
    return json.dumps(whole)


def pages_from_texts(source_id: str, document: str, pages: Iterable[str]) -> Pages:
    """Give ``Pages`` back from the text of the document and those of the pages that are wanted, in order."""
    whole = json.loads(document)
    headings = whole["headings"]
    return Pages(
        source_id=source_id,
        name=whole["name"],
        media_type=whole["media_type"],
        fingerprint=whole["fingerprint"],
        pages=tuple(decode_page(b64decode(page)) for page in pages),
        metadata=whole["metadata"],
        bookmarks=tuple(Bookmark(**entry) for entry in whole["bookmarks"]),
        headings=None if headings is None else tuple(Heading(**entry) for entry in headings),
        notes=tuple(Note(**entry) for entry in whole["notes"]),
    )
