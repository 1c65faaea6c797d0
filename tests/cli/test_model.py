"""``index --model``: what the command line says and stores, against a real server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pageindex_core.testing import Fault, ModelServer, always
from reading_models import purposes, reading

WORDS = "The keeper opens the gate before the water rises and writes the hour into the book. "


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with ModelServer(reading(is_heading=lambda line: line.startswith("Duty of the"))) as running:
        yield running


@pytest.fixture
def manual(folder: Path) -> Path:
    """One chapter over many pages, whose parts no rule takes for headings, and a short one."""
    names = ("river", "weir", "gate", "mill", "lock", "dam")
    parts = [f"Duty of the {name} keeper\n\n" + f"{name}: {WORDS * 40}\n" for name in names]
    (folder / "manual.md").write_text("# Duties\n\n" + "\n".join(parts) + "\n# Orders\n\nNone.\n", encoding="utf-8")
    return folder / "manual.md"


def titles(nodes: list[dict]) -> list[str]:
    found = []
    for node in nodes:
        found += [node["title"], *titles(node.get("nodes", []))]
    return found


def test_a_model_divides_and_describes(run, server: ModelServer, manual: Path) -> None:
    """Its calls, tokens and cost are reported; the stored tree has its sections and summaries."""
    done = run("index", "manual.md", "--model", "openai/test-model", "--api-base", server.base_url)

    assert done.code == 0, done.err
    assert "1 indexed, 0 unchanged, 0 failed" in done.out
    assert f"model: {len(server.requests)} calls (0 failed), 0 replies from the cache, " in done.out
    tree = run("tree", "manual.md", "--library", ".pageindex", "--json").json
    assert "Duty of the weir keeper" in titles(tree["structure"])
    assert tree["structure"][0]["summary_model"] == "test-model"


def test_a_second_run_asks_nothing(run, server: ModelServer, manual: Path) -> None:
    """Neither with the model nor without it is anything indexed again."""
    model = ("--model", "openai/test-model", "--api-base", server.base_url)
    run("index", "manual.md", *model)
    server.forget()

    assert "0 indexed, 1 unchanged" in run("index", "manual.md", *model).out
    assert "0 indexed, 1 unchanged" in run("index", "manual.md").out
    assert server.requests == []


def test_limits_and_modes_reach_the_model(run, server: ModelServer, manual: Path) -> None:
    """``--max-calls`` ends the run with a note; ``--optimize off`` divides nothing; both show in the JSON."""
    model = ("--model", "openai/test-model", "--api-base", server.base_url, "--json")
    cut = run("index", "manual.md", *model, "--max-calls", "2").json
    assert cut["model"]["calls"] == 2
    assert [note["code"] for note in cut["indexed"][0]["notes"]][-1] == "model_ended"

    server.forget()
    run("index", "manual.md", *model, "--optimize", "off")
    assert "headings" not in purposes(server.requests)


def test_a_refused_key_ends_with_a_code_of_its_own(run, server: ModelServer, manual: Path) -> None:
    """Exit code 5, and a message that says what to do; nothing was stored."""
    server.answer = always(Fault.denied())
    done = run("index", "manual.md", "--model", "openai/test-model", "--api-base", server.base_url)

    assert done.code == 5
    assert "key" in done.err.lower()
    assert run("list", "--json").json["documents"][0]["status"] == "failed"


@pytest.mark.parametrize("flag", [("--api-base", "http://127.0.0.1:9/v1"), ("--max-calls", "3")])
def test_options_of_a_model_need_one(run, manual: Path, flag: tuple[str, str]) -> None:
    """A flag that would do nothing is refused, not ignored."""
    done = run("index", "manual.md", *flag)

    assert done.code == 2
    assert f"{flag[0]} goes with --model" in done.err


def test_full_divides_without_a_model(run, manual: Path) -> None:
    """``index --optimize full`` stores what layout shows; ``tree --decisions`` says why, and changes nothing."""
    run("index", "manual.md")
    shown = run("tree", "manual.md", "--optimize", "full", "--decisions")
    assert "Duty of the weir keeper" in shown.out
    assert "Duties: whole" in shown.out
    assert "divided" in shown.out
    assert "optimised: leaves" in shown.out
    stored = run("tree", "manual.md", "--library", ".pageindex", "--json").json
    assert "Duty of the weir keeper" not in titles(stored["structure"])

    run("index", "manual.md", "--optimize", "full")
    stored = run("tree", "manual.md", "--library", ".pageindex", "--json").json
    assert "Duty of the weir keeper" in titles(stored["structure"])
