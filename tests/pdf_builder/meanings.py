"""Fonts that mean other characters than they draw: text in any script, placed letter by letter."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pikepdf


def with_meanings(pdf: bytes, meanings: Mapping[str, str]) -> bytes:
    """Give the file with a character map by which Latin letters mean others, in all fonts of all pages."""
    rows = "\n".join(f"<{ord(letter):02X}> <{ord(meaning):04X}>" for letter, meaning in meanings.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Test def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(meanings)} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        for page in opened.pages:
            for font in page.Resources.Font.values():
                font.ToUnicode = opened.make_stream(cmap.encode())
        opened.save(out, deterministic_id=True)
    return out.getvalue()
