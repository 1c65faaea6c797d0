"""Says which extra to install where an optional package is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(extra: str, *packages: str) -> Iterator[None]:
    """Let imports inside name the extra to install when one of the packages is not there.

    Raises:
        ImportError: one of them is missing; any other missing module is reported as it is.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in packages:
            raise
        raise ImportError(
            f"The package {package} is not installed. It is needed here and comes with an extra of pageindex-rag. "
            f"Run: pip install 'pageindex-rag[{extra}]'",
            name=error.name,
        ) from error
