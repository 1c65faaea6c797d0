"""Measures indexing with a model: the time of its calls against what latency and concurrency allow at best.

Usage: python tests/benchmarks/model_indexing.py [--pages N] [--latency-ms N] [--concurrency N] [--runs N] [--pdf FILE]
                                                 [--client openai|litellm]

A model server in a process of its own answers after the latency: headings by rule, summaries by first words. The
document is made up (chapters whose parts only a reader finds), or a PDF of yours. The limit is
1.3 x max(longest dependent chain, calls / concurrency) x latency + 5 ms a call. The chain is counted by answering all
calls that wait at once, in waves. Exit code 1 where the best run passes the limit, since other work on the machine only
adds to it, or where a second run over the reply cache asks again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pageindex_core.llm import Message, ModelReply, ModelRequest, Usage
from pageindex_core.llm.asking import Asking
from pageindex_core.llm.openai import OpenAIModel
from pageindex_core.llm.retrying import RetryingModel
from pageindex_core.llm.schedule import Schedule
from pageindex_core.options import IndexOptions, ModelOptions
from pageindex_core.pipeline import tree_of
from pageindex_core.pipeline.model import ModelRun, open_run, tree_job, tree_with_model
from pageindex_core.read import open_source, read_pages
from pageindex_core.records import Line, Page, Pages, PageTree
from pageindex_core.testing import ModelServer, schema_of, texts_in

PER_CALL_S = 0.005
SLACK = 1.3
CHAPTER_PAGES = 15
PART_PAGES = 2

NOUNS = ("pump", "seal", "valve", "pipe", "filter", "gauge", "bearing", "shaft", "motor", "float", "screen", "gate")


def made_up(page_count: int) -> Pages:
    """A document of numbered chapters whose parts are named by lines set like the text."""
    pages = []
    for number in range(1, page_count + 1):
        lines = [_sentence(100 * number + row) for row in range(30)]
        if number % CHAPTER_PAGES == 1:
            lines[0] = f"{number // CHAPTER_PAGES + 1} Chapter about {_two(number)}"
        elif number % PART_PAGES == 0:
            lines[15:15] = [f"Care of the {_two(number)}", "once a day"]  # over a sentence, rules would find it
        pages.append(Page(number, tuple(map(Line, lines))))
    return Pages("made-up.pdf", "made-up.pdf", "application/pdf", "0" * 64, tuple(pages))


def _two(seed: int) -> str:
    return " and ".join(random.Random(seed).sample(NOUNS, 2)) + f" {chr(97 + seed % 26)}{chr(97 + seed // 26)}"


def _sentence(seed: int) -> str:
    one, two, three, four = random.Random(seed).sample(NOUNS, 4)
    return f"The {one} beside the {two} is checked before the {three} so that no sand reaches the {four} again."


def answer(request: dict[str, Any]) -> str:
    """Name short lines that end without a stop as headings, and sum up by the first words."""
    schema = schema_of(request) or {}
    key = next(iter(schema.get("properties", {"summary": {}})))
    texts = texts_in(request)
    if key in ("summary", "description"):
        return json.dumps({key: f"About {' '.join(texts[0].split())[:200]}"})
    if key != "headings":
        return json.dumps({key: []})
    headings, page = [], 0
    for line in texts[-1].splitlines():
        if line.startswith("[page "):
            page = int(line[6:-1])
        elif len(line) < 60 and line[:1].isupper() and line[-1:].isalpha():
            headings.append({"title": line, "page": page, "level": 1})
    return json.dumps({key: headings})


class Instant:
    """The same answers at once, in this process: to count calls and waves."""

    name = "openai/test-model"

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer as the server does."""
        body = {
            "messages": [_as_sent(message) for message in request.messages],
            "response_format": {"type": "json_schema", "json_schema": {"schema": dict(request.schema or {})}},
        }
        text = answer(body)
        return ModelReply(text, Usage(0, 0), "test-model", json.loads(text))


def _as_sent(message: Message) -> dict[str, str]:
    return {"role": message.role, "content": message.content}


def count_waves(pages: Pages, options: ModelOptions) -> tuple[int, int, PageTree]:
    """Give the longest dependent chain, the number of calls and the tree."""
    model = Instant()
    schedule = Schedule(tree_job(pages, IndexOptions(), options, Asking()))
    waves = calls = 0
    while not schedule.is_done:
        waiting = schedule.take(1_000_000)
        waves += bool(waiting)  # empty where work was left for later
        calls += len(waiting)
        for ticket, request in waiting:
            schedule.finish(ticket, model.complete(request))
    return waves, calls, schedule.result


def serve(latency_s: float, pipe: Connection) -> None:
    """Run the server until the pipe closes."""
    with ModelServer(answer, latency_s=latency_s, keeps_alive=True) as server:
        pipe.send(server.base_url)
        try:
            pipe.recv()
        except EOFError:
            return


def _run(client: str, url: str, options: ModelOptions, cache: Path | None) -> ModelRun:
    model: RetryingModel
    if client == "litellm":
        from pageindex_core.llm.litellm import LiteLLMModel

        model = LiteLLMModel("openai/test-model", api_base=url, api_key="test", max_concurrency=options.concurrency)
    else:
        model = OpenAIModel("test-model", api_base=url, api_key="test", max_concurrency=options.concurrency)
    return open_run(model, ModelOptions(concurrency=options.concurrency, cache=str(cache) if cache else None))


def main() -> int:
    """Measure and print; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--latency-ms", type=float, default=200)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pdf", type=Path)
    parser.add_argument("--client", choices=["openai", "litellm"], default="openai")
    given = parser.parse_args()
    pages = read_pages(open_source(given.pdf)) if given.pdf else made_up(given.pages)
    options = ModelOptions(concurrency=given.concurrency)
    chain, calls, expected = count_waves(pages, options)
    latency_s = given.latency_ms / 1000
    limit_s = SLACK * max(chain, calls / given.concurrency) * latency_s + PER_CALL_S * calls
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(latency_s, theirs), daemon=True)
    server.start()
    theirs.close()
    url = ours.recv()
    whole, without, cpu = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.runs):
            started = time.perf_counter()
            tree_of(pages)
            without.append(time.perf_counter() - started)
            run = _run(given.client, url, options, Path(folder) / f"{number}.sqlite")
            started, began_cpu = time.perf_counter(), time.process_time()
            tree, _ = tree_with_model(pages, IndexOptions(), run)
            whole.append(time.perf_counter() - started)
            cpu.append(time.process_time() - began_cpu)
            assert [one.title for one in tree.walk()] == [one.title for one in expected.walk()]
        again = _run(given.client, url, options, Path(folder) / f"{given.runs - 1}.sqlite")
        tree_with_model(pages, IndexOptions(), again)
        repeated = again.model.meter.spent.calls
    ours.close()
    layout_s = min(without)
    samples = [seconds - layout_s for seconds in whole]
    model_s = min(samples)
    found = sum(one.evidence == "model" for one in expected.walk())
    print(f"{len(pages.pages)} pages: {calls} calls, longest chain {chain}, {found} sections found by the model")
    print(f"at {given.latency_ms:g} ms and {given.concurrency} at once; without a model {layout_s:.2f} s")
    shown = ", ".join(f"{seconds:.2f}" for seconds in samples)
    print(
        f"model time: best {model_s:.2f} s, median {statistics.median(samples):.2f} s ({shown}); limit {limit_s:.2f} s"
    )
    print(f"processor time of a whole run: best {min(cpu):.2f} s; load of the machine {os.getloadavg()[0]:.1f}")
    print(f"calls of a second run over the same cache: {repeated}")
    return int(model_s > limit_s or repeated > 0)


if __name__ == "__main__":
    sys.exit(main())
