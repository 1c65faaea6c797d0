"""Bookmarks, links and page labels, with targets in every form the PDF specification allows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from pdf_builder.items import PAGE_HEIGHT_PT

DestinationForm = Literal["array", "action", "name tree", "dests dictionary", "fit"]
"""``array``: /Dest with an XYZ array. ``action``: /A GoTo with the same. ``name tree``: a string in a name tree of two
Kids. ``dests dictionary``: a name object in the catalog's old /Dests. ``fit``: an array that gives the page alone."""

BookmarkSpec = tuple[int, str | bytes, int | None] | tuple[int, str | bytes, int | None, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation."""

    page: int
    """Page it stands on, from 1."""
    box: tuple[float, float, float, float]
    """From the top left of the page."""
    to_page: int | None = None
    to_y: float | None = None
    """Points from the top of the target page; None names the page alone."""
    uri: str | None = None
    """An address instead of a page."""


def add_bookmarks(pdf: pikepdf.Pdf, bookmarks: Sequence[BookmarkSpec], form: DestinationForm = "array") -> None:
    """Write an outline. Built without recursion, so it may be thousands of levels deep."""
    root = pdf.make_indirect(Dictionary(Type=Name.Outlines))
    path: list[pikepdf.Object] = [root]
    for level, title, page_number, *rest in bookmarks:
        if not 1 <= level <= len(path):
            raise ValueError(f"bookmark {title!r} has level {level} below level {len(path) - 1}")
        del path[level:]
        parent = path[-1]
        text = String(title) if isinstance(title, str) else pikepdf.Object.parse(b"<" + title.hex().encode() + b">")
        item = pdf.make_indirect(Dictionary(Title=text, Parent=parent))
        if page_number is not None:
            _set_target(pdf, item, page_number, rest[0] if rest else None, form)
        if "/First" in parent:
            parent.Last.Next, item.Prev = item, parent.Last
        else:
            parent.First = item
        parent.Last = item
        parent.Count = int(parent.get("/Count", 0)) + 1
        path.append(item)
    pdf.Root.Outlines = root


def add_links(pdf: pikepdf.Pdf, links: Sequence[Link], form: DestinationForm = "array") -> None:
    """Write link annotations."""
    for link in links:
        page = pdf.pages[link.page - 1]
        x0, y0, x1, y1 = link.box
        annotation = pdf.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=Array([x0, PAGE_HEIGHT_PT - y1, x1, PAGE_HEIGHT_PT - y0]),
                Border=Array([0, 0, 0]),
            )
        )
        if link.uri is not None:
            annotation.A = Dictionary(S=Name.URI, URI=String(link.uri))
        elif link.to_page is not None:
            _set_target(pdf, annotation, link.to_page, link.to_y, form)
        if "/Annots" not in page.obj:
            page.obj.Annots = Array()
        page.obj.Annots.append(annotation)


def add_labels(pdf: pikepdf.Pdf, labels: Mapping[int, str]) -> None:
    """Write page labels from the first label of each range, such as ``{1: "", 2: "i", 10: "1", 20: "A-1"}``."""
    numbers = Array()
    for page_number, label in sorted(labels.items()):
        numbers.append(page_number - 1)
        numbers.append(_label_range(label))
    pdf.Root.PageLabels = Dictionary(Nums=numbers)


def _label_range(label: str) -> Dictionary:
    prefix, number = re.fullmatch(r"(.*?)(\d*)", label).groups()  # type: ignore[union-attr]
    if number:
        style, start = Name.D, int(number)
    elif re.fullmatch("[ivxl]+|[IVXL]+", label):
        style, start, prefix = Name.r if label.islower() else Name.R, _roman(label.lower()), ""
    elif label in ("a", "A"):
        style, start, prefix = Name("/" + label), 1, ""
    else:
        return Dictionary(P=String(label)) if label else Dictionary()
    span = Dictionary(S=style, St=start)
    if prefix:
        span.P = String(prefix)
    return span


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50}[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


def _set_target(
    pdf: pikepdf.Pdf, holder: pikepdf.Object, page_number: int, y: float | None, form: DestinationForm
) -> None:
    page = pdf.pages[page_number - 1].obj
    place = [Name.Fit] if y is None or form == "fit" else [Name.XYZ, 0, PAGE_HEIGHT_PT - y, 0]
    array = Array([page, *place])
    if form in ("array", "fit"):
        holder.Dest = array
    elif form == "action":
        holder.A = Dictionary(S=Name.GoTo, D=array)
    elif form == "name tree":
        holder.Dest = String(_add_to_name_tree(pdf, array))
    else:
        holder.Dest = Name("/" + _add_to_dests(pdf, array))


def _add_to_name_tree(pdf: pikepdf.Pdf, array: Array) -> str:
    """Name a destination in a name tree that has two leaves: names of even and of odd number."""
    if "/Names" not in pdf.Root:
        leaves = Array([pdf.make_indirect(Dictionary(Names=Array())) for _ in range(2)])
        pdf.Root.Names = Dictionary(Dests=pdf.make_indirect(Dictionary(Kids=leaves)))
    leaves = pdf.Root.Names.Dests.Kids
    count = sum(len(leaf.Names) for leaf in leaves) // 2
    leaf = leaves[count % 2]
    name = f"{'ab'[count % 2]}{count:05}"
    leaf.Names.append(String(name))
    leaf.Names.append(Dictionary(D=array))
    leaf.Limits = Array([leaf.Names[0], String(name)])
    return name


def _add_to_dests(pdf: pikepdf.Pdf, array: Array) -> str:
    if "/Dests" not in pdf.Root:
        pdf.Root.Dests = pdf.make_indirect(Dictionary())
    name = f"place{len(pdf.Root.Dests.keys()):05}"
    pdf.Root.Dests["/" + name] = array
    return name
