"""When a failed call is tried again, and how long to wait before."""

from __future__ import annotations

import random
from dataclasses import dataclass

from pageindex_core.errors import ModelError

LONGEST_WAIT_S = 20.0
"""Longer silences are for the server to ask for, by Retry-After."""
JITTER = 0.25
"""Share by which waits are shortened at random, so that calls that failed together do not return together."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A provider's error, translated."""

    error: ModelError
    """What the caller gets if it is not tried again."""
    is_transient: bool
    retry_after_s: float | None = None
    """What the server asked for."""


def wait_s(attempt: int, retry_after_s: float | None, first_s: float) -> float:
    """Give the seconds to wait after a failed attempt.

    Args:
        attempt: counted from 0; the wait doubles with each.
        retry_after_s: what the server asked for: never less than that.
        first_s: the wait after the first attempt.
    """
    own: float = min(first_s * 2.0**attempt, LONGEST_WAIT_S) * (1 - JITTER * random.random())
    return own if retry_after_s is None else max(own, retry_after_s)
