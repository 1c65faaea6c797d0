"""The page on what the frameworks demand names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/frameworks.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_exists() -> None:
    """Each name behind a file is a test of a file so called, in either plugin's folder or at the path given."""
    named = re.findall(r"`((?:tests/)?[\w/]*test_\w+)` · ((?:\w+(?:, )?)+)", PAGE)
    assert len(named) > 40
    for file, names in named:
        files = [*ROOT.glob(f"tests/*/{Path(file).name}.py")]
        known = {name for path in files for name in re.findall(r"def test_(\w+)", path.read_text(encoding="utf-8"))}
        assert known, file
        assert not set(re.findall(r"\w+", names)) - known, file


def test_every_file_that_the_page_names_exists() -> None:
    """Files named without a test are there too."""
    for file in set(re.findall(r"`(test_\w+)`", PAGE)):
        assert [*ROOT.glob(f"tests/*/{file}.py")], file
