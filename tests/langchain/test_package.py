"""The package itself: lazy names, and its version."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pageindex_core
import pageindex_langchain


def test_importing_the_package_imports_nothing_else() -> None:
    """Names are loaded on use, so the bare import touches neither LangChain nor PDFium."""
    script = (
        "import sys, pageindex_langchain\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'langchain_core', 'pydantic', 'pypdfium2'}, loaded\n"
        "pageindex_langchain.PageIndex\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "assert 'langchain_core' in loaded\n"
        "assert not loaded & {'langchain', 'langchain_classic', 'langchain_community', 'pypdfium2', 'llama_index'}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_version_is_the_cores() -> None:
    """One distribution, one version."""
    assert pageindex_langchain.__version__ == pageindex_core.__version__


def test_unknown_names_are_refused() -> None:
    """A misspelt name is an AttributeError that says so."""
    with pytest.raises(AttributeError, match="PageIndexx"):
        _ = pageindex_langchain.PageIndexx
