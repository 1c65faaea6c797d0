"""Blocking calls end in time, and their threads serve again."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from pageindex_core.llm import deadline
from pageindex_core.llm.deadline import DeadlineError, call_within, iterate_within


@pytest.fixture(autouse=True)
def _no_threads_of_others() -> None:
    deadline._idle.clear()


def test_the_result_or_the_error_comes_back() -> None:
    """The caller gets what the work returned or raised."""
    assert call_within(5, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        call_within(5, lambda: 1 // 0)


def test_the_caller_leaves_in_time_and_the_next_call_does_not_wait() -> None:
    """Work that hangs costs its limit; a call after it runs at once, in another thread."""
    release = threading.Event()
    begun_s = time.monotonic()

    with pytest.raises(DeadlineError):
        call_within(0.05, lambda: release.wait(10))
    assert call_within(5, lambda: "next") == "next"

    assert time.monotonic() - begun_s < 3
    release.set()


def test_one_thread_serves_calls_in_turn() -> None:
    """Calls one after the other share a thread, also after one that failed or was cut short."""
    used = set()

    def work() -> Iterator[int]:
        used.add(threading.get_ident())
        yield 1
        yield 2

    def failing() -> Iterator[int]:
        used.add(threading.get_ident())
        raise OSError("gone")

    for _ in range(5):
        assert list(iterate_within(5, work)) == [1, 2]
        _wait_for_idle()
        with pytest.raises(OSError, match="gone"):
            list(iterate_within(5, failing))
        _wait_for_idle()
        for one in iterate_within(5, work):
            assert one == 1
            break
        _wait_for_idle()

    assert len(used) == 1


def _wait_for_idle() -> None:
    end_s = time.monotonic() + 5
    while not deadline._idle and time.monotonic() < end_s:
        time.sleep(0.001)


def test_an_idle_thread_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that nobody needs is gone after a while, and calls find a new one."""
    monkeypatch.setattr(deadline, "IDLE_S", 0.05)
    first = call_within(5, threading.current_thread)
    first.join(5)

    assert not first.is_alive()
    assert not deadline._idle
    assert call_within(5, threading.current_thread) is not first


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    """An idle thread does not come over a fork: the child starts one instead of waiting for it."""
    call_within(5, lambda: 1)
    _wait_for_idle()
    child = multiprocessing.get_context("fork").Process(target=_call_in_child)

    child.start()
    child.join(10)

    assert child.exitcode == 0


def _call_in_child() -> None:
    assert call_within(5, lambda: 1) == 1
