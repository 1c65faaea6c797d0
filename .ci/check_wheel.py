"""Takes a built wheel, fails unless it holds exactly the three packages: each module, each ``py.typed``, no more."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT / "core" / "pageindex_core", ROOT / "pageindex_langchain", ROOT / "pageindex_llamaindex")


def expected_files() -> set[str]:
    """Give the files of the three packages, named as an import sees them."""
    return {
        path.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def main(wheel: Path) -> int:
    """Compare, and say what is missing and what is too much."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    info = {name for name in held if name.split("/")[0].endswith(".dist-info")}
    expected = expected_files() | info
    typed = {f"{package.name}/py.typed" for package in PACKAGES}
    problems = [f"missing: {name}" for name in sorted((expected | typed) - held)]
    problems += [f"unexpected: {name}" for name in sorted(held - expected)]
    if not any(name.endswith("/licenses/LICENSE") for name in info):
        problems.append("missing: the licence")
    print(
        *problems or [f"{wheel.name}: {len(held - info)} files in {len(PACKAGES)} packages, as in the source"], sep="\n"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
