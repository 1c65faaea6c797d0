"""The helper that compares with golden files."""

from __future__ import annotations

from pathlib import Path

import pytest

import golden


def test_goldens_are_compared_and_not_rewritten(pytestconfig: pytest.Config) -> None:
    """A run that rewrites goldens proves nothing, so it fails: run again without the option."""
    assert not pytestconfig.getoption("--update-goldens")
    assert golden.is_updating is pytestconfig.getoption("--update-goldens")


def test_a_difference_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another text, another line end and a missing file are all told apart from the golden one."""
    monkeypatch.setattr(golden, "is_updating", False)
    path = tmp_path / "golden.txt"
    path.write_bytes(b"one\n")

    golden.assert_golden("one\n", path)
    for text in ("two\n", "one", "one\r\n"):
        with pytest.raises(AssertionError, match="differs"):
            golden.assert_golden(text, path)
    with pytest.raises(AssertionError, match="missing"):
        golden.assert_golden("one\n", tmp_path / "other.txt")


def test_updating_writes_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the option the file, and its folder, are written, and the comparison holds afterwards."""
    path = tmp_path / "goldens" / "golden.txt"
    monkeypatch.setattr(golden, "is_updating", True)
    golden.assert_golden("one\n", path)
    monkeypatch.setattr(golden, "is_updating", False)

    golden.assert_golden("one\n", path)
