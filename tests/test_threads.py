"""Async twins of methods."""

from __future__ import annotations

import asyncio
import inspect
import threading
from contextvars import ContextVar
from typing import Any

from pageindex_core.threads import in_thread

asked_by: ContextVar[str] = ContextVar("asked_by", default="nobody")


class Shelf:
    """Keeps words, and notes who put them there."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.threads: set[int] = set()

    def put(self, word: str, *, times: int = 1, **more: Any) -> int:
        """Put a word down."""
        self.threads.add(threading.get_ident())
        self.words += [f"{word} of {asked_by.get()}"] * times
        return len(self.words)

    def _drop(self) -> None:
        """Drop all."""
        self.words.clear()

    aput = in_thread(put)
    _adrop = in_thread(_drop)


async def test_the_twin_does_the_same_in_another_thread() -> None:
    """Arguments, result and context variables are those of the call; the loop's own thread stays free."""
    shelf = Shelf()
    asked_by.set("me")
    assert await shelf.aput("tin", times=2, anything="more") == 2
    assert shelf.words == ["tin of me"] * 2
    assert threading.get_ident() not in shelf.threads
    await shelf._adrop()
    assert shelf.words == []


async def test_the_twin_calls_what_a_subclass_put_in_the_methods_place() -> None:
    """Overriding the method is enough to change both."""

    class Loud(Shelf):
        def put(self, word: str, *, times: int = 1, **more: Any) -> int:
            return super().put(word.upper(), times=times)

    loud = Loud()
    assert sorted(await asyncio.gather(loud.aput("tin"), loud.aput("tin"))) == [1, 2]
    assert set(loud.words) == {"TIN of nobody"}


def test_the_twin_is_known_by_its_own_name_and_the_methods_arguments() -> None:
    """``help`` and editors see what the method takes."""
    assert (Shelf.aput.__name__, Shelf._adrop.__name__) == ("aput", "_adrop")
    assert Shelf.aput.__doc__ == "Do as ``put`` does, in a thread."
    assert inspect.iscoroutinefunction(Shelf.aput)
    assert inspect.signature(Shelf.aput).parameters.keys() == inspect.signature(Shelf.put).parameters.keys()
