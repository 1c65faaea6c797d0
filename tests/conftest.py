"""Fixtures and settings for all tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import golden

ROOT = Path(__file__).resolve().parent.parent

# Machines differ in speed and share their cores: no test fails for being slow, only for hanging (see pyproject).
settings.register_profile("project", deadline=None, print_blob=True)
settings.load_profile("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let goldens be rewritten from what the code gives now; see ``golden.assert_golden``."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files, then fail: look at the diff")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the helper what was asked for."""
    golden.is_updating = bool(config.getoption("--update-goldens"))


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds ``pyproject.toml``."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The evaluation data: ``PAGEINDEX_DATA``, or ``../shared/data`` beside the project."""
    folder = Path(os.environ.get("PAGEINDEX_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "pdfs").is_dir():
        pytest.skip(f"the evaluation data is not part of the project: no {folder}; name it in PAGEINDEX_DATA")
    return folder


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    """A folder ``closed`` that this process may not list, alone in another; root gives up its rights for the test."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        closed = Path(parent, "closed")
        closed.mkdir(mode=0)
        is_root = os.geteuid() == 0
        try:
            if is_root:
                os.seteuid(nobody)
            yield closed
        finally:
            if is_root:
                os.seteuid(0)
            closed.chmod(0o755)
