"""What may not go on in a forked process as it is: connections, locks, and what threads of the parent hold."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """**Protocol:** an object that a forked process inherits."""

    def leave_parent(self) -> None:
        """Put aside what belongs to the parent process."""


_watched: WeakSet[Forked] = WeakSet()


def watch(inherited: Forked) -> None:
    """Have an object leave the parent behind in each process that is forked as long as the object lives."""
    _watched.add(inherited)


def _leave_parents() -> None:
    for inherited in list(_watched):
        inherited.leave_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_parents)
