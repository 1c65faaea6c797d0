"""An indexing run that is killed, and the one after it: no call that was finished is paid for twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pageindex_core.library import open_library
from pageindex_core.llm import ReplyCache
from pageindex_core.llm.prompts import without_marks
from pageindex_core.pipeline.model import CACHE_FILE
from pageindex_core.testing import ModelServer
from reading_models import reading

INDEXING = """
import sys
from pageindex_core.library import open_library
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.pipeline import index_paths

path, folder, url = sys.argv[1:]
model = LiteLLMModel("openai/test-model", api_base=url, api_key="test", max_concurrency=4)
report = index_paths(path, open_library(folder), model=model)
print(report.indexed[0].status, report.spent.calls, report.spent.cached)
"""
PARTS = 24
CONCURRENCY = 4
"""As above."""


def write_manual(path: Path) -> None:
    """Chapters of two sections each, too long to be their own summary."""
    words = "The keeper of the weir opens the gate before the water rises and writes the hour into the book. " * 14
    path.write_text("\n\n".join(f"{'##' if part % 3 else '#'} Part {part}\n\n{part}: {words}" for part in range(PARTS)))


def indexing(path: Path, folder: Path, server: ModelServer) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INDEXING, str(path), str(folder), server.base_url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )


@pytest.mark.timeout(180)  # two processes load LiteLLM, which takes seconds of a machine that has nothing else to do
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed outright once eight answers are kept, the next run asks only for what was not answered, and completes."""
    manual, folder = tmp_path / "manual.md", tmp_path / "library"
    write_manual(manual)
    with ModelServer(reading(), latency_s=0.3) as server:
        first = indexing(manual, folder, server)
        cache = ReplyCache(folder / CACHE_FILE)
        while len(cache) < 8:
            assert first.poll() is None, first.communicate()[1]
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        while any(request.ended_s is None for request in server.requests):
            time.sleep(0.02)  # what was under way is answered to nobody
        kept, was_asked = len(cache), len(server.requests)
        before = {without_marks(request.prompt) for request in server.requests}
        assert open_library(folder).list()[0].status != "ready"

        second = indexing(manual, folder, server)
        out, err = second.communicate(timeout=150)
        after = [without_marks(request.prompt) for request in server.requests[was_asked:]]

    assert second.returncode == 0, err
    status, calls, cached = out.split()
    assert status == "ready"
    assert int(cached) == kept >= 8
    assert int(calls) == len(after) == len(set(after))
    # Asked twice are only the few that were under way when the first run was killed.
    assert len(before & set(after)) == len(before) - kept <= CONCURRENCY
    tree = open_library(folder).tree(open_library(folder).list()[0].doc_id)
    assert all(section.summary_model == "test-model" for section in tree.walk() if section.title.startswith("Part"))
