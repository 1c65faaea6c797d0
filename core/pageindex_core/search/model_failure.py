"""A call that gave no reply, as a navigator tells it: as a note, a step and a count."""

from __future__ import annotations

from pageindex_core.errors import (
    BudgetExceededError,
    ModelAccessError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pageindex_core.records import Note
from pageindex_core.search.trace import Tally


def note_failure(error: ModelError, tally: Tally, consequence: str) -> Note:
    """Give the note of a failed call, and count it; one that a used-up budget refused was not made.

    Args:
        error: Why there is no reply.
        tally: Where the call and the step are counted.
        consequence: What is given instead, to follow "so".
    """
    tally.model_calls += not isinstance(error, BudgetExceededError) or error.was_begun
    if isinstance(error, BudgetExceededError):
        note = Note("budget_exceeded", f"The budget is used up, so {consequence}. {error}")
    else:
        note = Note("model_failed", f"The model failed, so {consequence}. {error}")
    tally.step("fallback", note.message)
    return note


def ends_asking(error: ModelError) -> bool:
    """Whether the next call would fail alike, whatever it asks: no access, nobody there, or nothing left to spend."""
    return isinstance(error, (ModelAccessError, ModelUnavailableError, ModelTimeoutError, BudgetExceededError))
