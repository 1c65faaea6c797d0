"""Finds the files that are meant by files, folders and glob patterns, and counts what it passes over."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pageindex_core.errors import SourceNotFoundError
from pageindex_core.read.source import MEDIA_TYPES, refuse_empty_path
from pageindex_core.records import Paths

LINKED_FOLDER = "linked folder"
"""Counts, among the endings left out, links to folders: they may lead anywhere, and in circles."""

NO_ENDING = "no ending"
"""Counts, among the endings left out, files whose name has none."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found where documents were looked for."""

    files: tuple[Path, ...]
    """Each once, in a stable order."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many files of each other ending the folders hold, the most frequent first."""


def find_sources(paths: Paths) -> list[Path]:
    """Give the files meant by files, folders and glob patterns, each once, in a stable order; see ``survey``.

    Raises:
        SourceNotFoundError: a glob pattern matches nothing, or a path is empty.
    """
    return list(survey(paths).files)


def survey(paths: Paths) -> Found:
    """Give the files meant by files, folders and glob patterns, and what the folders hold besides.

    Folders give the known formats in them and below; names that start with a dot (``.git``, ``.venv``) are passed
    over there. A file or folder named outright is taken whatever its name. What cannot be opened is given too, so that
    opening it names the error: a missing file, a folder that may not be listed, a link that leads nowhere.

    Raises:
        SourceNotFoundError: a glob pattern matches nothing, or a path is empty.
    """
    found: dict[Path, None] = {}
    left_out: Counter[str] = Counter()
    for given in [paths] if isinstance(paths, (str, Path)) else paths:
        refuse_empty_path(given)
        path = Path(given)
        if path.is_dir():
            for below in sorted(_below(path, left_out)):
                found[below] = None
        elif not os.path.lexists(path) and glob.has_magic(str(given)):
            matches = sorted(glob.glob(str(given), recursive=True))
            if not matches:
                raise SourceNotFoundError(
                    f"{given} matches no file.",
                    "The pattern was expanded from the current folder.",
                    "Check the pattern.",
                )
            found.update(dict.fromkeys(Path(match) for match in matches if not Path(match).is_dir()))
        else:
            found[path] = None
    return Found(tuple(found), dict(left_out.most_common()))


def _below(folder: Path, left_out: Counter[str]) -> Iterator[Path]:
    unlisted: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        left_out.update(LINKED_FOLDER for name in folders if Path(parent, name).is_symlink())
        for name in names:
            ending = Path(name).suffix.lower()
            if name.startswith("."):
                continue
            if ending in MEDIA_TYPES:
                yield Path(parent, name)
            else:
                left_out[ending or NO_ENDING] += 1
    yield from (Path(error.filename) for error in unlisted)
