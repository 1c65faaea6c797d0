"""Spreads the pages of a long PDF over processes: PDFium works on one page at a time in each, whatever its threads.

The helpers are interpreters of their own that import this module and nothing of the caller's: no ``__main__`` is run
again, no guard is needed in scripts, and daemon processes may start them. Whatever goes wrong with one, its pages are
read in this process instead.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pypdfium2 as pdfium

from pageindex_core.read.pdf.page import PageReader, PagesRead

SPREAD_FROM_PAGES = 2_000
"""Pages from which processes are started unasked: two of them took longer than one for 600 pages (6.1 s against 3.7 s)
and less for 3,000 (26.4 s against 30.6 s; annual reports joined, two busy cores, 2026-11-30)."""

MOST_PROCESSES = 4
"""Started unasked at most: each holds the file, and the caller may have other work for the machine."""

_LEAST_SHARE_PAGES = 50
"""Pages for which a process is started even when asked for."""

_START = """
import sys
sys.path[:] = sys.argv[1:]
from pageindex_core.read.pdf.processes import serve
serve()
"""

_log = logging.getLogger(__name__)


def process_count(asked: int | None, page_count: int) -> int:
    """How many processes read so many pages, this one included.

    Args:
        asked: What the caller asked for; None leaves it to the length of the document and the cores of the machine.
        page_count: Pages to be read.
    """
    if asked is None:
        asked = min(_cores(), MOST_PROCESSES) if page_count >= SPREAD_FROM_PAGES else 1
    return max(min(asked, page_count // _LEAST_SHARE_PAGES), 1)


def read_spread(
    read_here: Callable[[range], PagesRead], pages: range, processes: int, data: bytes, password: str | None, tags: bool
) -> PagesRead:
    """Read pages in several processes, this one among them; the result is that of one.

    Args:
        read_here: Reads pages in this process.
        pages: Indexes of the pages.
        processes: How many processes read, this one included.
        data: The file.
        password: With which it opens.
        tags: Whether to read the headings that its tags mark.
    """
    if processes < 2 or not sys.executable or getattr(sys, "frozen", False):
        return read_here(pages)
    shares = [pages[number * len(pages) // processes : (number + 1) * len(pages) // processes] for number in
              range(processes)]  # fmt: skip
    with ThreadPoolExecutor(processes - 1) as waiting:
        elsewhere = [waiting.submit(_read_elsewhere, data, password, share, tags) for share in shares[1:]]
        read = read_here(shares[0])
        for share, future in zip(shares[1:], elsewhere, strict=True):
            reply = future.result()
            read.take(_unpacked(reply, share) or read_here(share))
    return read


def serve() -> None:
    """Read the pages asked for on standard input, and write them on standard output."""
    data, password, share, tags = pickle.load(sys.stdin.buffer)
    with pdfium.PdfDocument(data, password=password) as document:
        read = PageReader(document).read(share, tags=tags)
    pickle.dump(read, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)


def _read_elsewhere(data: bytes, password: str | None, share: range, tags: bool) -> bytes:
    """What a process of its own gives for some pages; nothing when it cannot be started or breaks."""
    request = pickle.dumps((data, password, share, tags), pickle.HIGHEST_PROTOCOL)
    command = [sys.executable, "-I", "-c", _START, *(path for path in sys.path if path)]
    try:
        done = subprocess.run(command, input=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("pages %d to %d are read in this process: %s", share[0] + 1, share[-1] + 1, type(error).__name__)
        return b""
    return done.stdout


def _unpacked(reply: bytes, share: range) -> PagesRead | None:
    if not reply:
        return None
    try:
        read = pickle.loads(reply)
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError):
        _log.warning("pages %d to %d came back broken and are read in this process", share[0] + 1, share[-1] + 1)
        return None
    return read if isinstance(read, PagesRead) and len(read.pages) == len(share) else None


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
