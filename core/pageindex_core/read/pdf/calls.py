"""PDFium functions that are asked thousands of times a document, without pypdfium2's typed pointers.

Those asked about every line convert nothing: they take ``byref`` and ``pointer_to`` objects made once, and plain ints
for indexes, which costs half; a ``c_void_p`` works too, and is converted each time. The others take and give plain
addresses, which costs a quarter less. None lets go of the interpreter's lock, since each takes less time than that.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int, c_ulong, c_void_p
from typing import Any

import pypdfium2.raw as pdfium_c


def _by_address(function: Any, result: type | None, *arguments: type) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, c_void_p).value or 0)


def _unconverted(function: Any, result: type | None) -> Any:
    plain = _by_address(function, result)
    plain.argtypes = None
    return plain


pointer_to = c_void_p.from_param
"""Gives an address as an argument of those that convert nothing."""

# Of one character of a text page: page and index, then where the answer goes.
char_box = _unconverted(pdfium_c.FPDFText_GetLooseCharBox, c_int)
char_piece = _unconverted(pdfium_c.FPDFText_GetTextObject, c_void_p)
char_matrix = _unconverted(pdfium_c.FPDFText_GetMatrix, c_int)
char_size = _unconverted(pdfium_c.FPDFText_GetFontSize, c_double)

# The same with plain addresses: where a character stands on its baseline, and left, right, bottom and top of what it
# draws, without the space around it.
char_origin = _by_address(pdfium_c.FPDFText_GetCharOrigin, c_int, c_void_p, c_int, c_void_p, c_void_p)
char_ink = _by_address(pdfium_c.FPDFText_GetCharBox, c_int, c_void_p, c_int, *[c_void_p] * 4)

# Of one piece of text, drawn at once.
piece_font = _unconverted(pdfium_c.FPDFTextObj_GetFont, c_void_p)
piece_mode = _unconverted(pdfium_c.FPDFTextObj_GetTextRenderMode, c_int)
piece_color = _unconverted(pdfium_c.FPDFPageObj_GetFillColor, c_int)

# Of a link or a bookmark, and of where it leads.
next_link = _unconverted(pdfium_c.FPDFLink_Enumerate, c_int)
link_dest = _unconverted(pdfium_c.FPDFLink_GetDest, c_void_p)
link_action = _unconverted(pdfium_c.FPDFLink_GetAction, c_void_p)
link_rect = _unconverted(pdfium_c.FPDFLink_GetAnnotRect, c_int)
bookmark_dest = _unconverted(pdfium_c.FPDFBookmark_GetDest, c_void_p)
bookmark_action = _unconverted(pdfium_c.FPDFBookmark_GetAction, c_void_p)
action_type = _unconverted(pdfium_c.FPDFAction_GetType, c_ulong)
action_dest = _unconverted(pdfium_c.FPDFAction_GetDest, c_void_p)
dest_page = _unconverted(pdfium_c.FPDFDest_GetDestPageIndex, c_int)
dest_location = _unconverted(pdfium_c.FPDFDest_GetLocationInPage, c_int)

# Of anything drawn.
object_color = _by_address(pdfium_c.FPDFPageObj_GetFillColor, c_int, *[c_void_p] * 5)
object_content_id = _by_address(pdfium_c.FPDFPageObj_GetMarkedContentID, c_int, c_void_p)
object_type = _by_address(pdfium_c.FPDFPageObj_GetType, c_int, c_void_p)
object_bounds = _unconverted(pdfium_c.FPDFPageObj_GetBounds, c_int)
object_matrix = _by_address(pdfium_c.FPDFPageObj_GetMatrix, c_int, c_void_p, c_void_p)
page_object = _unconverted(pdfium_c.FPDFPage_GetObject, c_void_p)
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
