"""Files that cannot be read, or only in part."""

from __future__ import annotations

import io

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas


def encrypted(pdf: bytes, user: str = "", owner: str = "x", R: int = 6) -> bytes:
    """Give the file encrypted: R 2 is RC4-40, 3 RC4-128, 4 AES-128, 6 AES-256. An empty ``user`` opens for anyone."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        opened.save(
            out,
            encryption=pikepdf.Encryption(owner=owner, user=user, R=R, aes=R >= 4, metadata=R >= 4),  # type: ignore[arg-type]
        )
    return out.getvalue()


def truncated(pdf: bytes, keep: float = 0.2) -> bytes:
    """Give the first part of the file: no cross-reference table, and at this share no page tree either."""
    return pdf[: int(len(pdf) * keep)]


def zero_pages() -> bytes:
    """Give a well-formed PDF whose page tree is empty."""
    out = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.save(out, deterministic_id=True)
    return out.getvalue()


def not_pdf(kind: str = "html") -> bytes:
    """Give what is often found under a .pdf name: ``html``, ``lfs`` (a pointer), ``zip``, ``text`` or ``empty``."""
    return {
        "html": b"<!DOCTYPE html><html><body><h1>404 Not Found</h1></body></html>\n",
        "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4" * 64 + b"\nsize 48213\n",
        "zip": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(40),
        "text": b"This is not a PDF at all.\n",
        "empty": b"",
    }[kind]


def image_only(n: int = 1) -> bytes:
    """Give ``n`` pages that hold one image each and no text, like a scan."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    for shade in range(n):
        pixels = b"P6 2 2 255\n" + bytes([(shade * 37 + corner * 61) % 256 for corner in range(12)])
        canvas.drawImage(ImageReader(io.BytesIO(pixels)), 40, 40, 515, 762)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def cropped(pdf: bytes, left: float, top: float, right: float, bottom: float) -> bytes:
    """Give the file with every page cropped by so many points on each side."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            x0, y0, x1, y1 = (float(edge) for edge in page.mediabox)
            page.cropbox = Array([x0 + left, y0 + bottom, x1 - right, y1 - top])
        opened.save(out, deterministic_id=True)
    return out.getvalue()


def xfa_form(pdf: bytes) -> bytes:
    """Give the file as a dynamic XFA form: the pages are the placeholder that readers without XFA show."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        template = opened.make_stream(b'<template xmlns="http://www.xfa.org/schema/xfa-template/2.8/"/>')
        opened.Root.AcroForm = Dictionary(Fields=Array(), XFA=Array([String("template"), template]))
        opened.Root.NeedsRendering = True
        opened.Root.Extensions = Dictionary(ADBE=Dictionary(BaseVersion=Name("/1.7"), ExtensionLevel=3))
        opened.save(out, deterministic_id=True)
    return out.getvalue()
