"""Tells by their first bytes which files are no text, whatever they are called."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from pageindex_core.errors import UnsupportedFormatError

_LOOKED_AT_BYTES = 8_192
"""Binary formats show themselves much earlier; Git looks at as many."""

_MOST_CONTROLS = 0.05
"""Text has no control characters but the odd stray one. Compressed and random data has 27 in 256, images more."""

_STRAY_CONTROLS = 3
"""As many are forgiven however short the text is."""

_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\b\x1b") + b"\x7f"
"""Control characters that no text needs: backspace and escape stand in manual pages and in logs with colours."""

_UTF16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_SIGNATURES = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive or office document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"{\\rtf", "an RTF document"),
)
_HTML_ENDINGS = (".html", ".htm", ".xhtml")
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)


def refuse_unreadable(data: bytes, name: str) -> None:
    """Stop at content that is not text, and at HTML, whose tags would be read as words.

    Raises:
        UnsupportedFormatError: it is binary or HTML; the message says what it looks like and what to do.
    """
    if _HTML.match(data[:_LOOKED_AT_BYTES]) or Path(name).suffix.lower() in _HTML_ENDINGS:
        raise UnsupportedFormatError(
            f"{name} is HTML.",
            "HTML is not read yet, and its tags would be taken for text.",
            "Convert it to Markdown or PDF.",
        )
    if _is_binary(data):
        raise UnsupportedFormatError(
            f"{name} is not a format we read.",
            f"It is not text; it looks like {guess_format(data)}.",
            "Convert it to PDF, Markdown or text.",
        )


def guess_format(data: bytes) -> str:
    """Give what a file seems to be, for a message."""
    head = data[:_LOOKED_AT_BYTES]
    for signature, format_name in _SIGNATURES:
        if head.startswith(signature):
            return format_name
    if head.lstrip().startswith(b"version https://git-lfs"):
        return "a Git LFS pointer"
    if _HTML.match(head):
        return "an HTML page"
    return "binary data" if _is_binary(data) else "text"


def _is_binary(data: bytes) -> bool:
    head = data[:_LOOKED_AT_BYTES]
    if head.startswith(_UTF16_OR_32):
        return False
    if head.startswith(tuple(signature for signature, _ in _SIGNATURES)):
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > max(_STRAY_CONTROLS, len(head) * _MOST_CONTROLS)
