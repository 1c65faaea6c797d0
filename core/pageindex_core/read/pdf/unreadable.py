"""Text in fonts that do not say which characters they show: it comes out as other characters, and is left out.

Source of the shares: letter frequencies of twenty languages in Latin script (Wikipedia, "Letter frequency"): the nine
letters below are 52 (Polish) to 70 (French) percent of a text, and 35 percent of letters drawn at random or shifted.
"""

from __future__ import annotations

import re
import string

from pageindex_core.read.pdf.lines import TextLines

_COMMON = b"aeionrstlAEIONRSTL"
_LETTERS = string.ascii_letters.encode()
_DIGITS = string.digits.encode()

_LEAST_SHARE = 0.42
"""Share of the common letters below which a text is no text: Vietnamese without its marked letters has 48 percent."""

_LEAST_LETTERS = 80
"""Letters from which the share can be trusted: chance moves it by 0.05 then."""

_FEW_LETTERS = 8
"""Letters that are enough beside other unreadable text on the same page."""

_MOST_DIGITS = 0.1
"""Share of digits from which letters are codes: part numbers, and Base64 with one digit in six."""

_LEAST_DISTINCT = 14
"""Different letters of a text; hexadecimal numbers and genes have fewer."""

_JUNK = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_JUNK_SIGNS = "\x01\x03\x04\x05\x06\x07\x0f\x10\x11\x12\x13\ufffd\uf061\uf065\uf06e"
"""What is looked for first, since it costs less: some of these are in any text of that kind."""

_SHORTEST_WORD = 2.5
"""Mean letters of a word below which a text is formulas, which have their own favourite letters."""
_MOST_JUNK = 0.5
_LEAST_JUNK = 8
"""Characters without a meaning in a line, and their share, from which it is left out; bullets come alone."""


def unreadable_lines(found: TextLines, kept: list[int]) -> set[int]:
    """Indexes of the lines that came out as other characters than are shown."""
    hopeless: set[int] = set()
    if any(map(found.text.__contains__, _JUNK_SIGNS)):
        hopeless = {index for index in kept if _is_junk(found, index)}
    if not _is_odd(found.text.encode("ascii", "ignore"), _LEAST_LETTERS, whole_page=True):
        return hopeless
    by_font: dict[str, list[int]] = {}
    for index in kept:
        by_font.setdefault(found.lines[index].font, []).append(index)
    texts = {
        font: " ".join(found.lines[index].text for index in lines).encode("ascii", "ignore")
        for font, lines in by_font.items()
    }
    bad = {font for font, text in texts.items() if _is_odd(text, _LEAST_LETTERS)}
    if bad:
        bad |= {font for font, text in texts.items() if _is_odd(text, _FEW_LETTERS)}
    return hopeless.union(*(by_font[font] for font in bad))


def _is_junk(found: TextLines, index: int) -> bool:
    first, last = found.spans[index]
    raw = found.text[first : last + 1]
    junk = len(_JUNK.findall(raw))
    return junk >= _LEAST_JUNK and junk > _MOST_JUNK * sum(not char.isspace() for char in raw)


def _is_odd(text: bytes, least_letters: int, *, whole_page: bool = False) -> bool:
    """Whether a text has too few of the letters that every language in Latin script lives of."""
    letters = len(text) - len(text.translate(None, _LETTERS))
    if letters < least_letters:
        return False
    common = len(text) - len(text.translate(None, _COMMON))
    if whole_page:
        return common < 0.58 * letters  # a page that is unreadable in part; four in five pages pass this at once
    if common >= _LEAST_SHARE * letters:
        return False
    digits = len(text) - len(text.translate(None, _DIGITS))
    distinct = len({*text.lower()} & {*_LETTERS})
    return (
        digits < _MOST_DIGITS * (letters + digits)
        and (distinct >= _LEAST_DISTINCT or least_letters < _LEAST_LETTERS)
        and letters >= _SHORTEST_WORD * len(text.split())
    )
