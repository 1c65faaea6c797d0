"""Outlines that are damaged, one kind of damage a function."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Literal

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from pdf_builder.build import build_pdf
from pdf_builder.items import page


def outline_with_cycle(kind: Literal["sibling", "self", "child"] = "sibling") -> bytes:
    """Give two pages and an outline that never ends.

    Args:
        kind: ``sibling``: the second item's Next is the first. ``self``: the second item's Next is itself.
            ``child``: the grandchild's First is its grandparent.
    """
    nested = kind == "child"
    pdf = build_pdf(
        [page("# Alpha", "Text about alpha."), page("# Beta", "Text about beta.")],
        bookmarks=[(1, "Alpha", 1), (2, "Beta", 2), (3, "Gamma", 2)] if nested else [(1, "Alpha", 1), (1, "Beta", 2)],
    )

    def close_the_loop(opened: pikepdf.Pdf) -> None:
        first = opened.Root.Outlines.First
        if kind == "child":
            first.First.First.First = first
        else:
            first.Next.Next = first if kind == "sibling" else first.Next

    return _changed(pdf, close_the_loop)


def outline_with_bad_destinations() -> bytes:
    """Give three pages and six entries, of which only the first has a page (the first page).

    In order: ``Good``; ``No destination``; ``Action without target``; ``Web address``; ``Deleted page``; a null title.
    """
    titles = ["Good", "No destination", "Action without target", "Web address", "Deleted page", "Null title"]
    pdf = build_pdf(
        [page("# Good", "Text."), page("# Second", "Text."), page("# Third", "Text.")],
        bookmarks=[(1, title, 1 if title == "Good" else None) for title in titles],
    )

    def spoil(opened: pikepdf.Pdf) -> None:
        items = _siblings(opened)
        items[2].A = Dictionary(S=Name.GoTo)
        items[3].A = Dictionary(S=Name.URI, URI=String("https://example.org/"))
        orphan = opened.make_indirect(Dictionary(Type=Name.Page, MediaBox=Array([0, 0, 595, 842])))
        items[4].Dest = Array([orphan, Name.Fit])
        del items[5].Title

    return _changed(pdf, spoil)


def outline_with_one_bad_entry() -> bytes:
    """Give twenty pages, a bookmark to each: number 7 names nothing known, number 20 has an XYZ of one number."""
    pdf = build_pdf(
        [page(f"# Chapter {number}", f"Text of chapter {number}.") for number in range(1, 21)],
        bookmarks=[(1, f"Chapter {number}", number, 60.0) for number in range(1, 21)],
    )

    def spoil(opened: pikepdf.Pdf) -> None:
        items = _siblings(opened)
        items[6].Dest = String("nowhere")
        items[19].Dest = Array([opened.pages[19].obj, Name.XYZ, 0])

    return _changed(pdf, spoil)


def outline_with_strange_titles() -> bytes:
    """Give one page and six bookmarks to it.

    UTF-16BE Korean, UTF-16LE Chinese, PDFDocEncoding quotes and euro, two NULs at the end, a line break, empty.
    """
    titles = [
        b"\xfe\xff" + "안전 수칙".encode("utf-16-be"),
        b"\xff\xfe" + "第一章 总则".encode("utf-16-le"),
        b"\x8dPrice\x8e \xa0 5",
        b"Ends in nulls\x00\x00",
        b"Broken\nline",
        b"",
    ]
    return build_pdf(["One page."], bookmarks=[(1, title, 1) for title in titles])


def broken_outline_root(value: Literal["null", "number", "missing"]) -> bytes:
    """Give one page whose catalog says that the outline is null, 7, or an object that does not exist."""
    pdf = build_pdf([page("# Only", "One page.")], bookmarks=[(1, "Only", 1)])
    marker = b"/Outlines 7"
    changed = _changed(pdf, lambda opened: setattr(opened.Root, "Outlines", 7), qdf=True)
    if changed.count(marker) != 1:
        raise ValueError("the catalog was not written as expected")
    replacement = {"null": b"/Outlines null", "number": marker, "missing": b"/Outlines 999 0 R"}[value]
    return changed.replace(marker, replacement)


def _siblings(opened: pikepdf.Pdf) -> list[pikepdf.Object]:
    items = [opened.Root.Outlines.First]
    while "/Next" in items[-1]:
        items.append(items[-1].Next)
    return items


def _changed(pdf: bytes, change: Callable[[pikepdf.Pdf], None], *, qdf: bool = False) -> bytes:
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        change(opened)
        opened.save(out, deterministic_id=True, qdf=qdf)
    return out.getvalue()
