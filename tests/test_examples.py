"""The examples run offline, as a reader would start them, and say what is true."""

from __future__ import annotations

import contextlib
import difflib
import http.client
import importlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAIRS = [("langchain_vector", "langchain_pageindex"), ("llamaindex_vector", "llamaindex_pageindex")]
ANSWERS = [
    "? For whom are broken shear pins kept?",
    "broken pins are kept for the maker.",
    "  source: printed page 23",
    "? May mineral oil and ester be mixed?",
    "= Mineral oil and ester must never be mixed:",
    "  source: printed page 21",
]
"""What each application prints, in this order, whatever it retrieves with."""

AGENT = ["find_in_document: ", "get_page_content: ", "a new sleeve has a delivery time of fourteen weeks."]
FILTERED = ["everything: manual.pdf, pump.md\n", "equal: pump.md\n", "operators: manual.pdf\n"]
SEAL = "8.3.2 Renewing the shaft seal\n"
HYBRID = [
    "Fused\n",
    SEAL,
    "Vectors inside sections\n",
    "Structure inside the pages that vectors choose\n",
    SEAL,
    "Side by side\n",
    SEAL,
]
SAID = {
    "langchain_vector": ANSWERS,
    "langchain_pageindex": ANSWERS,
    "llamaindex_vector": ANSWERS,
    "llamaindex_pageindex": ANSWERS,
    "langchain_agent": AGENT,
    "llamaindex_agent": AGENT,
    "langchain_filters": [
        *FILTERED,
        "a function: pump.md\n",
        "nothing: \n",
        "supplier says: Dosing pump DP 40 > Maintenance > Diaphragm | Replace the diaphragm every 8,000 hours",
    ],
    "llamaindex_filters": [*FILTERED, "nested: pump.md\n", "a section: pump.md\n"],
    "hybrid_langchain": HYBRID,
    "hybrid_llamaindex": HYBRID,
    "markdown_manual": [
        "      [0004] Priming  · p. 1\n",
        "   Dosing pump DP 40 > Maintenance > Diaphragm\n  | Replace the diaphragm every 8,000 hours",
        "   Dosing pump DP 40 > Operation > Setting the dose\n  | | 10 m³/h | 60 % | 96 ml/min |",
    ],
}
"""Example -> texts that it prints, in this order."""


def has_mock_of_function_calls() -> bool:
    """Whether this version of LlamaIndex has the mock LLM that the agent's example is written with."""
    mock = importlib.import_module("llama_index.core.llms.mock")
    return hasattr(mock, "MockFunctionCallingLLM")


@pytest.mark.parametrize("name", SAID)
def test_the_example_says_what_it_should(name: str, tmp_path: Path) -> None:
    """From any folder the example prints the expected texts, and leaves nothing."""
    if name == "llamaindex_agent" and not has_mock_of_function_calls():
        pytest.skip("this version of the framework has no mock model that calls tools")
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=100,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 0, run.stderr
    place = 0
    for text in SAID[name]:
        assert text in run.stdout[place:], run.stdout
        place = run.stdout.index(text, place)
    assert list(tmp_path.iterdir()) == []


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that turn one example into another, as ``diff`` marks them."""
    texts = [(EXAMPLES / f"{name}.py").read_text("utf-8").splitlines() for name in (before, after)]
    return [line for line in difflib.unified_diff(*texts, n=0) if not line.startswith(("---", "+++", "@@"))]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_a_swap_changes_one_import_and_one_constructor(before: str, after: str) -> None:
    """Nothing else of the application is touched, neither a line more nor a line less."""
    gone, come, was, becomes = changed_lines(before, after)
    assert re.fullmatch(r"-from \S+ import \w+", gone)
    assert re.fullmatch(r"\+from pageindex_\w+ import PageIndex", come)
    assert re.fullmatch(r"- +index = \w+\.from_documents\(pages, .+\)", was)
    assert re.fullmatch(r"\+ +index = PageIndex\.from_documents\(pages\)", becomes)


def test_the_readme_shows_the_swaps_as_they_are(project_root: Path) -> None:
    """Its diff blocks are the differences between the examples, one for each framework."""
    shown = re.findall(r"^```diff\n(.*?)^```$", (project_root / "README.md").read_text("utf-8"), re.M | re.S)
    assert [block.splitlines() for block in shown] == [changed_lines(*pair) for pair in PAIRS]


def test_every_example_is_listed_and_run() -> None:
    """The index names each file of the folder once as a link, and none is without a test."""
    listed = re.findall(r"\]\((\w+)\.py\)", (EXAMPLES / "README.md").read_text("utf-8"))
    assert sorted(listed) == sorted(path.stem for path in EXAMPLES.glob("*.py"))
    tested = {*SAID, "demo", "langchain_web"}  # the demo in tests/cli, the web handler below
    assert set(listed) - tested == set()


@pytest.fixture(scope="module")
def web() -> Iterator[int]:
    """The web example as a process of its own; gives its port."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, str(EXAMPLES / "langchain_web.py"), str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") as server:
        try:
            told = []
            for line in server.stderr or ():
                told.append(line)
                if "Uvicorn running" in line:
                    break
            else:
                pytest.fail("".join(told))
            yield port
        finally:
            server.terminate()


def get(port: int, path: str) -> tuple[int, list[bytes]]:
    """Ask the server; give the status, and the pieces of the answer as they were sent."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, list(iter(response.read1, b""))


def test_the_web_handler_streams_sources_then_words(web: int) -> None:
    """Over a real connection the sources come first and the answer follows, one word a piece."""
    status, pieces = get(web, f"/ask?q={quote('May mineral oil and ester be mixed?')}")
    assert status == 200
    sources, *words = (json.loads(line) for line in b"".join(pieces).splitlines())
    assert sources["sources"][0] == "21"
    assert "".join(word["text"] for word in words) == "Mineral oil and ester must never be mixed:"
    assert len(pieces) > 5


def test_the_web_handler_refuses_an_empty_question(web: int) -> None:
    """What the client left out is said to the client, not raised in the server."""
    status, pieces = get(web, "/ask?q=+")
    assert status == 400
    assert json.loads(b"".join(pieces)) == {"error": "Ask with ?q=…"}
