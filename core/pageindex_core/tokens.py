"""Estimated language-model tokens, counted the same way everywhere."""

from __future__ import annotations

import re

_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its characters, one for each CJK character.

    An estimate, since the count depends on the model; OpenAI's guidance of four characters a token for English
    and roughly one a character for CJK scripts.
    """
    wide = len(_WIDE.findall(text))
    return -(-(len(text) - wide) // 4) + wide
