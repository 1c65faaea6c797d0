"""Texts held against files: a change of wording is seen as a diff of the file, and made on purpose.

``pytest --update-goldens`` rewrites the files. Such a run always fails, in ``test_golden.py``, so that no machine that
checks our work can rewrite what it checks against.
"""

from __future__ import annotations

from pathlib import Path

is_updating = False
"""Set by ``--update-goldens``."""


def assert_golden(text: str, path: Path) -> None:
    """Fail unless the file holds exactly this text, or write it when goldens are being updated.

    Args:
        text: what the code gives now.
        path: the golden file, beside the test that owns it, such as ``tests/llm/goldens/tree.v1.txt``.
    """
    if is_updating:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    assert path.is_file(), f"{path} is missing: run pytest --update-goldens, and look at what it writes"
    assert text == path.read_bytes().decode("utf-8"), (
        f"{path.name} differs: if that is meant, run pytest --update-goldens"
    )
