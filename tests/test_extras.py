"""A plugin without its framework says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pageindex_core.extras import needs_extra

_BLOCKED = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
try:
    from {plugin} import PageIndex
except ImportError as error:
    assert type(error) is ImportError
    assert isinstance(error.__cause__, ModuleNotFoundError)
    print(error)
"""


@pytest.mark.parametrize(
    ("plugin", "package", "extra"),
    [
        ("pageindex_langchain", "langchain_core", "langchain"),
        ("pageindex_llamaindex", "llama_index", "llamaindex"),
    ],
)
def test_a_plugin_without_its_framework_names_package_and_extra(plugin: str, package: str, extra: str) -> None:
    """The ImportError can be acted on, and the missing module is its cause."""
    script = _BLOCKED.format(plugin=plugin, package=package)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=50)
    assert f"The package {package} is not installed." in run.stdout
    assert f"pip install 'pageindex-rag[{extra}]'" in run.stdout


def test_any_other_missing_module_is_reported_as_it_is() -> None:
    """A broken installation of something else does not send anyone after the wrong extra."""
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"), needs_extra("langchain", "langchain_core"):
        import nowhere_to_be_found  # noqa: F401
