"""Replies on disk: found again, never mixed up, safe across processes and kills."""

from __future__ import annotations

import dataclasses
import gc
import json
import multiprocessing
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from llm_requests import GOOD, SCHEMA, TOOL, ask, make_request
from pageindex_core.errors import LibraryError, ModelAccessError, SchemaVersionError
from pageindex_core.llm import Message, ModelReply, ModelRequest, ReplyCache, ToolCall, Usage, metered
from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.prompts import fence
from pageindex_core.testing import Fault, ModelServer, always, scripted

Make = Callable[..., LiteLLMModel]

REPLY = ModelReply(
    "text \ud800",
    Usage(10, 20, True, 0.5),
    "m",
    {"ids": ["a"]},
    (ToolCall("c", "n", "{}"),),
    1.5,
    choice_logprobs={"A": -0.1},
    notes=("mended",),
)


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    """An empty cache in a folder that does not exist yet."""
    return ReplyCache(tmp_path / "deep" / "replies.sqlite")


def test_a_reply_comes_back_whole_free_and_marked(cache: ReplyCache) -> None:
    """Everything is as it was but the cost and the time, which are nothing, and the mark."""
    cache.put("m", make_request(), REPLY)

    held = cache.get("m", make_request())

    expected = dataclasses.replace(REPLY, usage=Usage(10, 20, True, 0.0), cached=True, seconds=0.0)
    assert held == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": "summary"},
        {"prompt_version": "tree.v2"},
        {"schema": SCHEMA},
        {"tools": (TOOL,)},
        {"max_output_tokens": 5},
        {"choices": ("A",)},
        {"text": "How often is the filter replaced? "},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_every_part_of_a_request_counts(cache: ReplyCache, changes: dict[str, Any]) -> None:
    """A request that differs anywhere is another request, and so is another model."""
    cache.put("m", make_request(), REPLY)

    assert cache.get("m", make_request(**changes)) is None
    assert cache.get("other", make_request()) is None
    assert cache.get("m", make_request()) is not None


def test_roles_and_borders_of_messages_count(cache: ReplyCache) -> None:
    """The same words in another role, or split elsewhere, are another request."""
    shapes = [
        (Message("user", "ab"),),
        (Message("system", "ab"),),
        (Message("user", "a"), Message("user", "b")),
        (Message("user", "ab", tool_call_id="x"),),
    ]
    requests = [ModelRequest(messages, "tree", "tree.v1") for messages in shapes]
    cache.put("m", requests[0], REPLY)

    assert [cache.get("m", request) is not None for request in requests] == [True, False, False, False]


def test_the_random_mark_of_a_fence_does_not_count_but_its_text_does(cache: ReplyCache) -> None:
    """Two calls alike but for their marks are one request; a changed document is not."""
    first, second, other = (make_request(fence(text)[1]) for text in ("pages", "pages", "other pages"))
    assert first != second
    cache.put("m", first, REPLY)

    assert cache.get("m", second) is not None
    assert cache.get("m", other) is None


def test_failed_calls_are_not_kept(server: ModelServer, make_litellm: Make, cache: ReplyCache) -> None:
    """After a refusal the same request is sent again, and its answer kept."""
    server.answer = scripted([Fault.denied()], then="ok")
    model = metered(make_litellm(), cache=cache)

    with pytest.raises(ModelAccessError):
        model.complete(make_request())
    texts = [model.complete(make_request()).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert len(server.requests) == 2
    assert len(cache) == 1


@pytest.mark.parametrize("way", ["sync", "async", "stream", "astream"])
def test_each_way_of_calling_uses_it(server: ModelServer, make_litellm: Make, cache: ReplyCache, way: str) -> None:
    """The second call of the same kind sends nothing and gives the same value."""
    server.answer = always(GOOD)
    model = metered(make_litellm(), cache=cache)

    first, second = (ask(model, make_request(schema=SCHEMA), way) for _ in range(2))

    assert (first.cached, second.cached) == (False, True)
    assert first.value == second.value
    assert first.text == second.text
    assert len(server.requests) == 1


KILLED = """
import os, sys
from pageindex_core.llm import Message, ModelRequest, metered, open_model

model = metered(open_model("openai/test-model", api_base=sys.argv[1], api_key="test"), cache=sys.argv[2])
for number in range(6):
    if number == int(sys.argv[3]):
        os.kill(os.getpid(), 9)
    model.complete(ModelRequest((Message("user", f"summarise section {number}"),), "summary", "summary.v1"))
"""


def test_a_killed_run_goes_on_where_it_was(server: ModelServer, tmp_path: Path) -> None:
    """A process killed after four calls has paid for four; the next one asks for the other two only."""
    script = [sys.executable, "-c", KILLED, server.base_url, str(tmp_path / "replies.sqlite")]

    killed = subprocess.run([*script, "4"], capture_output=True)
    assert killed.returncode == -9
    assert len(server.requests) == 4
    server.forget()
    done = subprocess.run([*script, "-1"], capture_output=True)

    assert (done.returncode, done.stderr) == (0, b"")
    assert [request.prompt for request in server.requests] == ["summarise section 4", "summarise section 5"]


WRITER = """
import sys
from pageindex_core.llm import Message, ModelReply, ModelRequest, ReplyCache, Usage

cache = ReplyCache(sys.argv[1])
for number in range(40):
    request = ModelRequest((Message("user", f"{sys.argv[2]} {number}"),), "summary", "summary.v1")
    cache.put("m", request, ModelReply(f"{sys.argv[2]} {number}", Usage(1, 1), "m"))
"""


def test_processes_share_one_file(tmp_path: Path) -> None:
    """Three processes that make and fill the same file at once lose nothing."""
    path = tmp_path / "replies.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]

    cache = ReplyCache(path)
    assert len(cache) == 120
    held = cache.get("m", ModelRequest((Message("user", "b 17"),), "summary", "summary.v1"))
    assert held is not None
    assert held.text == "b 17"


def test_threads_share_one_cache(cache: ReplyCache) -> None:
    """Eight threads put and get through one object."""
    requests = [make_request(str(number)) for number in range(64)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda request: cache.put("m", request, REPLY), requests))
        held = list(threads.map(lambda request: cache.get("m", request), requests))

    assert all(held)


def test_the_file_stays_open_between_replies(tmp_path: Path) -> None:
    """The log is moved into the file when the cache is given up, not after each reply, which waits for the disk."""
    cache = ReplyCache(tmp_path / "replies.sqlite")
    log = cache.path.with_name(cache.path.name + "-wal")
    for number in range(3):
        cache.put("m", make_request(str(number)), REPLY)
        assert log.exists()

    path = cache.path
    del cache
    gc.collect()

    assert not log.exists()
    assert len(ReplyCache(path)) == 3


def test_a_pickled_cache_is_the_same_file(cache: ReplyCache) -> None:
    """What one process put, another that was sent the object finds."""
    cache.put("m", make_request(), REPLY)

    assert pickle.loads(pickle.dumps(cache)).get("m", make_request()) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_opens_the_file_itself(cache: ReplyCache) -> None:
    """Parent and child go on with the same object, even where the child gives it up first."""
    cache.put("m", make_request("before"), REPLY)
    child = multiprocessing.get_context("fork").Process(target=_put_in_child, args=(cache,))

    child.start()
    child.join(20)
    cache.put("m", make_request("after"), REPLY)

    assert child.exitcode == 0
    assert len(cache) == 3


def _put_in_child(cache: ReplyCache) -> None:
    assert cache.get("m", make_request("before")) is not None
    cache.put("m", make_request("in the child"), REPLY)


def test_clearing_empties_it(cache: ReplyCache) -> None:
    """After clearing, nothing is found."""
    cache.put("m", make_request(), REPLY)
    cache.clear()

    assert cache.get("m", make_request()) is None


def test_a_file_that_is_no_cache_is_refused(tmp_path: Path) -> None:
    """Another kind of file, a folder, and another version are each a typed error that says what to do."""
    text = tmp_path / "notes.txt"
    text.write_text("These are my notes, and no database at all. " * 50)
    newer = tmp_path / "newer.sqlite"
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version=99")
    connection.close()

    with pytest.raises(LibraryError, match="cannot be used"):
        ReplyCache(text)
    with pytest.raises(LibraryError, match="cannot be used"):
        ReplyCache(tmp_path)
    with pytest.raises(SchemaVersionError, match="99"):
        ReplyCache(newer)
    assert text.read_text().startswith("These are my notes")


def test_a_reply_is_not_lost_when_it_cannot_be_kept(
    server: ModelServer, make_litellm: Make, cache: ReplyCache, caplog: pytest.LogCaptureFixture
) -> None:
    """A cache that breaks after the call was paid for costs a warning, not the answer."""

    def answer(request: dict[str, Any]) -> str:
        connection = sqlite3.connect(cache.path)
        connection.execute("DROP TABLE reply")
        connection.close()
        return "ok"

    server.answer = answer

    assert metered(make_litellm(), cache=cache).complete(make_request()).text == "ok"
    assert "could not be kept" in caplog.text


def test_the_file_holds_no_prompt(cache: ReplyCache) -> None:
    """Only replies are stored; what was sent is there as a hash."""
    cache.put("m", make_request("a confidential page"), REPLY)

    connection = sqlite3.connect(cache.path)
    rows = connection.execute("SELECT * FROM reply").fetchall()
    connection.close()
    assert len(rows) == 1
    assert "confidential" not in json.dumps(rows)
