"""Public names of a package, loaded from the modules that define them when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

Loading = Callable[[], AbstractContextManager[None]]


def lazy_names(
    package: str, home: Mapping[str, str], loading: Loading = nullcontext
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Give a package's ``__getattr__`` and ``__dir__``.

    Args:
        package: Its ``__name__``.
        home: Public name to the module of the package that defines it.
        loading: What a module is loaded within, such as ``needs_extra``.
    """

    def load(name: str) -> Any:
        """Load a public name from the module that defines it."""
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with loading():
            value = getattr(importlib.import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        """Give what is loaded, and what can be."""
        return sorted({*vars(sys.modules[package]), *home})

    return load, names
