"""The async twins of methods that have nothing to wait for but themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Give the async twin of a method: it does the same in a thread, and leaves the event loop free.

    ::

        ainsert = in_thread(insert)

    It takes the same arguments, and where a subclass has another ``insert``, it calls that one.
    """
    name = method.__name__

    @wraps(method)
    async def twin(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await asyncio.to_thread(getattr(self, name), *args, **kwargs)
        return result

    twin.__name__ = f"_a{name[1:]}" if name.startswith("_") else f"a{name}"
    twin.__doc__ = f"Do as ``{name}`` does, in a thread."
    return twin
