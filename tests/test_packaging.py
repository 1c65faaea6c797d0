"""The package as a whole: what it exports, what importing it costs, and where its boundaries are written down."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import json
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import pageindex_core

PUBLIC = {
    "pageindex_core": {
        "Answer",
        "Budget",
        "ChatModel",
        "Citation",
        "DescribeOptions",
        "DocumentTools",
        "Event",
        "Hit",
        "IndexOptions",
        "IndexReport",
        "LoadedDocument",
        "ModelOptions",
        "NavigationOptions",
        "OutlineOptions",
        "PageIndexError",
        "PageTree",
        "ReadOptions",
        "Scope",
        "SearchResult",
        "Section",
        "TreeOptions",
        "aask",
        "asearch",
        "ask",
        "astream_answer",
        "index_loaded",
        "index_paths",
        "index_source",
        "make_tree",
        "open_library",
        "read_pages",
        "search",
        "stream_answer",
    },
    "pageindex_langchain": {
        "LangChainModel",
        "PageIndex",
        "PageIndexLoader",
        "PageIndexRetriever",
        "PageIndexToolkit",
        "PageTreeTransformer",
        "VectorPassages",
        "VectorsInsideRetriever",
    },
    "pageindex_llamaindex": {
        "LlamaIndexModel",
        "PageIndex",
        "PageIndexNodeParser",
        "PageIndexReader",
        "PageIndexRetriever",
        "PageIndexToolSpec",
        "VectorPassages",
        "VectorsInsideRetriever",
    },
}

LEFT_ALONE = (
    "langchain",
    "langchain_core",
    "langchain_classic",
    "llama_index",
    "litellm",
    "openai",
    "pypdfium2",
    "pypdfium2_raw",
)


def loaded_after(code: str) -> set[str]:
    """Modules and their packages that a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps([*sys.modules, *(m.split('.')[0] for m in sys.modules)]))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=50)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.splitlines()[-1]))


def configuration(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


def test_importing_the_core_loads_neither_a_framework_nor_pdfium() -> None:
    """A bare import costs nothing that only some users need."""
    assert loaded_after("import pageindex_core").isdisjoint(LEFT_ALONE)


def test_using_the_core_without_a_pdf_loads_neither_a_framework_nor_pdfium() -> None:
    """Every public name can be loaded, and still nothing heavy is."""
    code = "import pageindex_core\nfor name in pageindex_core.__all__: getattr(pageindex_core, name)"
    assert loaded_after(code).isdisjoint(LEFT_ALONE)


@pytest.mark.parametrize(
    ("plugin", "foreign"),
    [("pageindex_langchain", {"llama_index"}), ("pageindex_llamaindex", {"langchain", "langchain_core"})],
)
def test_importing_a_plugin_leaves_the_other_framework_alone(plugin: str, foreign: set[str]) -> None:
    """A user of one framework never pays for the other."""
    assert loaded_after(f"import {plugin}").isdisjoint(foreign)


@pytest.mark.parametrize("plugin", ["pageindex_langchain", "pageindex_llamaindex"])
def test_the_names_of_a_swap_load_what_a_search_needs_and_no_more(plugin: str) -> None:
    """A program that only searches loads neither readers and tree builders nor what parses a model's replies."""
    spared = ("read", "outline", "tree", "describe", "pipeline", "llm.replies", "llm.contract", "answer", "tools")
    loaded = loaded_after(f"from {plugin} import PageIndex, PageIndexRetriever")
    assert loaded.isdisjoint(f"pageindex_core.{module}" for module in spared)


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_are_pinned(package: str) -> None:
    """What users may import changes only on purpose."""
    assert set(importlib.import_module(package).__all__) == PUBLIC[package]


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in PUBLIC for name in sorted(PUBLIC[package])]
)
def test_every_public_name_is_a_class_or_function(package: str, name: str) -> None:
    """Each name of ``__all__`` resolves, and to the thing itself, not to a module of the same name."""
    value = getattr(importlib.import_module(package), name)
    assert inspect.isclass(value) or inspect.isfunction(value)


def test_search_is_the_function_whatever_was_imported_before() -> None:
    """The package ``pageindex_core.search`` does not hide the function that the core exports under its name."""
    loaded_after("import pageindex_core.search.terms\nfrom pageindex_core import search\nassert callable(search)")


def test_unknown_names_are_refused() -> None:
    """A misspelt name is an AttributeError that names it, as for any module."""
    with pytest.raises(AttributeError, match="serach"):
        _ = pageindex_core.serach


def test_version_is_that_of_the_installed_distribution() -> None:
    """The code and the package index speak of the same version."""
    assert pageindex_core.__version__ == importlib.metadata.version("pageindex-rag")


def test_the_changelog_knows_the_version(project_root: Path) -> None:
    """No release without an entry."""
    assert f"## [{pageindex_core.__version__}]" in (project_root / "CHANGELOG.md").read_text("utf-8")


def test_every_stage_is_a_folder_that_says_what_it_takes_and_gives() -> None:
    """The pipeline names the folders, and each opens with its contract."""
    from pageindex_core.pipeline import STAGES

    for stage in STAGES:
        module = importlib.import_module(f"pageindex_core.{stage}")
        assert Path(module.__file__ or "").name == "__init__.py"
        first_line = (module.__doc__ or "").partition("\n")[0]
        assert first_line.startswith("Takes ")
        assert "gives " in first_line


def test_every_stage_is_held_apart_by_the_import_contracts(project_root: Path) -> None:
    """The boundaries between stages are checked by import-linter, none left out."""
    from pageindex_core.pipeline import STAGES

    tool = configuration(project_root)["tool"]
    contracts = {contract["id"]: contract for contract in tool["importlinter"]["contracts"]}
    assert set(contracts) == {"stages", "order", "holdings", "core", "plugins"}
    assert set(contracts["stages"]["modules"]) == {f"pageindex_core.{stage}" for stage in STAGES}


def test_all_means_every_extra_a_user_can_have(project_root: Path) -> None:
    """``pageindex-rag[all]`` installs each extra but the developers' tools."""
    extras = configuration(project_root)["project"]["optional-dependencies"]
    users = sorted(set(extras) - {"all", "dev", "hybrid-bench"})
    assert extras["all"] == [f"pageindex-rag[{','.join(users)}]"]


def test_the_oldest_versions_are_tested(project_root: Path) -> None:
    """What CI installs as the oldest is the floor that each requirement of the base and the plugins names."""
    project = configuration(project_root)["project"]
    plugins = (project["optional-dependencies"][plugin] for plugin in ("langchain", "llamaindex"))
    floors = {Requirement(each) for each in chain(project["dependencies"], *plugins)}
    pins = (line.partition("#")[0].strip() for line in (project_root / ".ci" / "oldest.txt").read_text().splitlines())
    pinned = {pin.name: pin for pin in map(Requirement, filter(None, pins))}
    for floor in floors:
        (lowest,) = (Version(part.version) for part in floor.specifier if part.operator == ">=")
        assert [Version(part.version) for part in pinned[floor.name].specifier] == [lowest], floor.name


def test_every_package_ships_its_types(project_root: Path) -> None:
    """Each package that the wheel holds carries ``py.typed``."""
    packages = configuration(project_root)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {Path(package).name for package in packages} == set(PUBLIC)
    for package in packages:
        assert (project_root / package / "py.typed").is_file()
