"""Pages of placed things -> the bytes of a PDF."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pdf_builder.damage import encrypted
from pdf_builder.items import MARGIN_PT, PAGE_HEIGHT_PT, PAGE_WIDTH_PT, Fill, Item, Picture, Rule, Run, font_for, lines
from pdf_builder.navigation import BookmarkSpec, DestinationForm, Link, add_bookmarks, add_labels, add_links

PageSpec = str | Sequence[Item]


def build_pdf(
    pages: Sequence[PageSpec],
    *,
    bookmarks: Sequence[BookmarkSpec] | None = None,
    labels: Mapping[int, str] | None = None,
    links: Sequence[Link] | None = None,
    encrypt: Mapping[str, Any] | None = None,
    rotate: int | Mapping[int, int] | None = None,
    upright: bool = False,
    destinations: DestinationForm = "array",
) -> bytes:
    """Give the bytes of a PDF, the same on every run.

    Args:
        pages: Each a list of items, or text set line by line from the top; "" and [] are blank pages.
        bookmarks: ``(level, title, page_number)`` or ``(level, title, page_number, y)``, in order; a page number of
            None is an entry without a destination, a title may be raw bytes.
        labels: First label of each range by its first page number, ``{1: "", 2: "i", 10: "1", 20: "A-1"}``: style and
            start are read from it, and the pages after count on.
        links: Link annotations.
        encrypt: Arguments of ``encrypted``, such as ``{"user": "secret", "R": 6}``.
        rotate: Degrees with the clock for all pages, or by page number.
        upright: Draw the content of rotated pages turned back, so that they display as given: the way scanned and
            landscape pages are stored. Otherwise the content turns with the page.
        destinations: How bookmarks and links name their targets.
    """
    turns = {number: _turn(rotate, number) for number in range(1, len(pages) + 1)}
    drawn, tags = _draw(pages, turns if upright else {})
    with pikepdf.open(io.BytesIO(drawn)) as pdf:
        for number, degrees in turns.items():
            if degrees:
                pdf.pages[number - 1].obj.Rotate = degrees
        if any(tags):
            _add_structure(pdf, tags)
        if bookmarks:
            add_bookmarks(pdf, bookmarks, destinations)
        if labels:
            add_labels(pdf, labels)
        if links:
            add_links(pdf, links, destinations)
        out = io.BytesIO()
        pdf.save(out, deterministic_id=True)
    return encrypted(out.getvalue(), **encrypt) if encrypt is not None else out.getvalue()


def _turn(rotate: int | Mapping[int, int] | None, number: int) -> int:
    if isinstance(rotate, Mapping):
        return rotate.get(number, 0) % 360
    return (rotate or 0) % 360


def _draw(pages: Sequence[PageSpec], turns: Mapping[int, int]) -> tuple[bytes, list[list[str]]]:
    """Give the drawn PDF, and for each page the structure tags in order of their marked-content id."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(PAGE_WIDTH_PT, PAGE_HEIGHT_PT), invariant=1, pageCompression=0)
    canvas.setTitle("synthetic test document")
    tags: list[list[str]] = []
    for number, spec in enumerate(pages, start=1):
        width, height = PAGE_WIDTH_PT, PAGE_HEIGHT_PT
        matrices = {90: (0, 1, -1, 0, height, 0), 180: (-1, 0, 0, -1, width, height), 270: (0, -1, 1, 0, 0, width)}
        degrees = turns.get(number, 0)
        canvas.setPageSize((height, width) if degrees in (90, 270) else (width, height))
        if degrees:
            canvas.transform(*matrices[degrees])
        page_tags: list[str] = []
        for item in lines(*spec.splitlines(), y=MARGIN_PT) if isinstance(spec, str) else spec:
            _draw_item(canvas, item, page_tags)
        tags.append(page_tags)
        canvas.showPage()
    canvas.save()
    return out.getvalue(), tags


def _draw_item(canvas: Canvas, item: Item, page_tags: list[str]) -> None:
    match item:
        case Run():
            if item.tag:
                canvas.addLiteral(f"/{item.tag} <</MCID {len(page_tags)}>> BDC")
            _draw_run(canvas, item)
            if item.tag:
                canvas.addLiteral("EMC")
                page_tags.append(item.tag)
        case Rule():
            canvas.setLineWidth(item.width)
            canvas.line(item.x0, PAGE_HEIGHT_PT - item.y, item.x1, PAGE_HEIGHT_PT - item.y)
        case Fill():
            canvas.setFillColorRGB(*item.color)
            canvas.rect(item.x0, PAGE_HEIGHT_PT - item.y1, item.x1 - item.x0, item.y1 - item.y0, stroke=0, fill=1)
        case Picture():
            canvas.drawImage(
                ImageReader(io.BytesIO(_GREY_PPM)),
                item.x0, PAGE_HEIGHT_PT - item.y1, item.x1 - item.x0, item.y1 - item.y0,
            )  # fmt: skip


_GREY_PPM = b"P6 2 2 255\n" + bytes([90, 90, 90, 150, 150, 150, 150, 150, 150, 200, 200, 200])


def _draw_run(canvas: Canvas, run: Run) -> None:
    canvas.saveState()
    canvas.translate(run.x, PAGE_HEIGHT_PT - run.y)
    if run.angle:
        canvas.rotate(run.angle)
    canvas.scale(run.scale, run.scale)
    text = canvas.beginText(0, 0)
    text.setFont(font_for(run), run.size / run.scale)
    text.setFillColorRGB(*run.color)
    text.setTextRenderMode(run.render_mode)
    text.textOut(run.text)
    canvas.drawText(text)
    canvas.restoreState()


def _add_structure(pdf: pikepdf.Pdf, tags: Sequence[Sequence[str]]) -> None:
    """Write the structure tree of a tagged PDF: one flat element for each tagged run."""
    root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
    elements, by_page = Array(), Array()
    for page_index, page_tags in enumerate(tags):
        page = pdf.pages[page_index].obj
        page.StructParents = page_index
        own = Array(
            [
                pdf.make_indirect(
                    Dictionary(Type=Name.StructElem, S=Name("/" + tag), P=document, Pg=page, K=content_id)
                )
                for content_id, tag in enumerate(page_tags)
            ]
        )
        elements.extend(own)
        by_page.append(page_index)
        by_page.append(pdf.make_indirect(own))
    document.K = elements
    root.K = document
    root.ParentTree = pdf.make_indirect(Dictionary(Nums=by_page))
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = Dictionary(Marked=True)
