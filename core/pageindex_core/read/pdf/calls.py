"""PDFium functions that are asked thousands of times a document, taking and giving plain addresses.

Asking costs a quarter less this way than through pypdfium2's typed pointers.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int, c_ulong, c_void_p
from typing import Any

import pypdfium2.raw as pdfium_c


def _by_address(function: Any, result: type | None, *arguments: type) -> Any:
    plain = type(function)(ctypes.cast(function, ctypes.c_void_p).value)
    plain.restype = result
    plain.argtypes = arguments
    return plain


# Of one character of a text page.
char_box = _by_address(pdfium_c.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
char_piece = _by_address(pdfium_c.FPDFText_GetTextObject, c_void_p, c_void_p, c_int)
char_matrix = _by_address(pdfium_c.FPDFText_GetMatrix, c_int, c_void_p, c_int, c_void_p)
char_size = _by_address(pdfium_c.FPDFText_GetFontSize, c_double, c_void_p, c_int)

# Of one piece of text, drawn at once.
piece_font = _by_address(pdfium_c.FPDFTextObj_GetFont, c_void_p, c_void_p)
piece_mode = _by_address(pdfium_c.FPDFTextObj_GetTextRenderMode, c_int, c_void_p)

# Of anything drawn.
object_color = _by_address(pdfium_c.FPDFPageObj_GetFillColor, c_int, *[c_void_p] * 5)
object_content_id = _by_address(pdfium_c.FPDFPageObj_GetMarkedContentID, c_int, c_void_p)
object_type = _by_address(pdfium_c.FPDFPageObj_GetType, c_int, c_void_p)
object_bounds = _by_address(pdfium_c.FPDFPageObj_GetBounds, c_int, *[c_void_p] * 5)
object_matrix = _by_address(pdfium_c.FPDFPageObj_GetMatrix, c_int, c_void_p, c_void_p)
page_object = _by_address(pdfium_c.FPDFPage_GetObject, c_void_p, c_void_p, c_int)
form_object = _by_address(pdfium_c.FPDFFormObj_GetObject, c_void_p, c_void_p, c_ulong)
form_count = _by_address(pdfium_c.FPDFFormObj_CountObjects, c_int, c_void_p)
path_mode = _by_address(pdfium_c.FPDFPath_GetDrawMode, c_int, c_void_p, c_void_p, c_void_p)

# Of the structure tree of a page.
tree_children = _by_address(pdfium_c.FPDF_StructTree_CountChildren, c_int, c_void_p)
tree_child = _by_address(pdfium_c.FPDF_StructTree_GetChildAtIndex, c_void_p, c_void_p, c_int)
element_children = _by_address(pdfium_c.FPDF_StructElement_CountChildren, c_int, c_void_p)
element_child = _by_address(pdfium_c.FPDF_StructElement_GetChildAtIndex, c_void_p, c_void_p, c_int)
element_content_id = _by_address(pdfium_c.FPDF_StructElement_GetChildMarkedContentID, c_int, c_void_p, c_int)
element_type = _by_address(pdfium_c.FPDF_StructElement_GetType, c_ulong, c_void_p, c_void_p, c_ulong)
