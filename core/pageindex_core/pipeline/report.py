"""What an indexing run tells: how far it is, and what became of each source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pageindex_core.errors import InputError
from pageindex_core.records import DocumentInfo

if TYPE_CHECKING:
    from pageindex_core.llm.budget import Spent


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be indexed, and why."""

    source_id: str
    error: InputError


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of each source of one indexing run."""

    indexed: tuple[DocumentInfo, ...] = ()
    unchanged: tuple[DocumentInfo, ...] = ()
    failed: tuple[Failure, ...] = ()
    spent: Spent | None = None
    """Calls, tokens and cost of the model; None without one."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many files of each other ending the given folders hold: they were not looked at."""

    def raise_failed(self) -> None:
        """Raise what the first source failed with, with a note on each of the others; nothing where none failed.

        Raises:
            InputError: a source failed.
        """
        if self.failed:
            first, *others = self.failed
            for other in others:
                first.error.add_note(f"Failed as well: {other.source_id}: {other.error}")
            raise first.error


@dataclass(frozen=True, slots=True)
class Progress:
    """Told to the ``progress`` callback each time a source has been dealt with."""

    done: int
    total: int
    source_id: str
    outcome: str
    """``indexed``, ``unchanged`` or ``failed``."""
