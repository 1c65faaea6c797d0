"""Texts put together under a limit of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pageindex_core.tokens import count_tokens


def pack(texts: Sequence[str], max_tokens: int, *, tokens: Callable[[str], int] = count_tokens) -> list[range]:
    """Give the positions of neighbouring texts that fit into one prompt together, in order, each position once.

    A text that is over the limit by itself stands alone; cutting it is for the caller, who knows where.

    Args:
        texts: in reading order.
        max_tokens: the most that the texts of one group have together.
        tokens: counts the tokens of a text.
    """
    groups: list[range] = []
    start = held = 0
    for position, text in enumerate(texts):
        size = tokens(text)
        if position > start and held + size > max_tokens:
            groups.append(range(start, position))
            start, held = position, 0
        held += size
    if texts:
        groups.append(range(start, len(texts)))
    return groups
