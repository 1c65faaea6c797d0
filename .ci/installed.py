"""Says which framework versions an environment holds, and fails unless our packages are there as the wheel put them."""

from __future__ import annotations

import sys
import sysconfig
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

FRAMEWORKS = ("langchain-core", "langchain-tests", "llama-index-core", "pydantic")
OURS = ("pageindex_core", "pageindex_langchain", "pageindex_llamaindex")


def origin_of(name: str) -> Path:
    """Give the file that an import would load; the root where there is none."""
    spec = find_spec(name)
    return Path(spec.origin if spec and spec.origin else "/").resolve()


def main() -> int:
    """Print the versions; give 1 where one of our packages is a checkout's."""
    installed = Path(sysconfig.get_path("purelib")).resolve()
    print(*(f"{name} {metadata.version(name)}" for name in FRAMEWORKS), sep=", ")
    strays = [name for name in OURS if installed not in origin_of(name).parents]
    print(*(f"{name} is not in {installed}" for name in strays), sep="\n", end="\n" if strays else "")
    return 1 if strays else 0


if __name__ == "__main__":
    sys.exit(main())
