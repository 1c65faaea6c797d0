"""A real OpenAI-compatible HTTP server on loopback, whose answers are yours to choose.

It speaks ``/v1/chat/completions``, streamed or not, with tools, JSON schemas, token probabilities and usage, and
``/v1/models``; so every client that can talk to OpenAI can be tested against it over the real wire.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from pageindex_core.testing.faults import Fault
from pageindex_core.testing.wire import completion, error_body, stream_chunks

Answer = str | Mapping[str, Any] | Fault
"""Text, or an assistant message with any of ``content``, ``tool_calls`` (each ``name`` and ``arguments``), ``logprobs``
(token to log probability), ``usage`` and ``finish_reason``, or a fault."""

Answerer = Callable[[dict[str, Any]], Answer]
"""Takes the JSON of a request, gives the answer. It runs in a thread for each request. What it raises cuts the
connection, and is raised again when the ``with`` block of the server ends."""

TRICKLE_EVERY_S = 0.01
"""Shorter than any read timeout in use."""


@dataclass(slots=True)
class Recorded:
    """One request as the server saw it."""

    number: int
    """Counted from 0 in order of arrival."""
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    arrived_s: float
    """On the clock of ``time.monotonic``."""
    in_flight: int
    """Requests being answered when this one arrived, itself included."""
    ended_s: float | None = None
    """None while it is being answered."""
    status: int | None = None
    """None where the connection was cut, or is still open."""
    answer: Answer | None = None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation sent."""
        return list(self.body.get("messages", ()))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools offered."""
        return list(self.body.get("tools") or ())

    @property
    def response_format(self) -> dict[str, Any] | None:
        """The form of reply asked for."""
        return self.body.get("response_format")

    @property
    def prompt(self) -> str:
        """All text of all messages, as one."""
        return "\n".join(content_text(message) for message in self.messages)


def content_text(message: Mapping[str, Any]) -> str:
    """Give the text of a message, whose content may be text or a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


@dataclass(slots=True)
class _State:
    """What the handler threads share."""

    answer: Answerer
    latency_s: float
    model: str
    keeps_alive: bool
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)
    requests: list[Recorded] = field(default_factory=list)
    connections: set[socket.socket] = field(default_factory=set)
    in_flight: int = 0
    errors: list[BaseException] = field(default_factory=list)
    """What answerers raised; the first is raised again when the ``with`` block ends."""


class ModelServer:
    """A model server on loopback, for the length of a ``with`` block.

    ::

        with ModelServer(lexical()) as server:
            model = open_model("openai/test-model", api_base=server.base_url, api_key="test")
            ...
            assert len(server.requests) == 2

    Args:
        answer: what to answer; see ``Answerer``, and the ready-made ones in this package.
        latency_s: a pause before each answer, as a model far away has.
        model: the name reported.
        keeps_alive: let connections serve one request after the other, as providers do. Off, since a client that is
            thrown away would leave an open socket for strict tests to report.
    """

    def __init__(
        self, answer: Answerer, *, latency_s: float = 0.0, model: str = "test-model", keeps_alive: bool = False
    ) -> None:
        self._state = _State(answer, latency_s, model, keeps_alive)
        self._http: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> ModelServer:
        self._http = _Server(self._state)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="model-server", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        if self._state.errors and error is None:
            raise self._state.errors[0]

    def close(self) -> None:
        """Stop listening and cut every connection; what waits in the server ends at once."""
        if self._http is None or self._thread is None:
            return
        self._state.closing.set()
        self._http.shutdown()
        self._thread.join()
        with self._state.lock:
            open_now = list(self._state.connections)
        for connection in open_now:
            _hang_up(connection)
        self._http.join_handlers()
        self._http.server_close()
        self._http = None

    @property
    def base_url(self) -> str:
        """Where to point a client, ``/v1`` included."""
        if self._http is None:
            raise RuntimeError("The server is not running: use it in a with block.")
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def model(self) -> str:
        """The name it reports."""
        return self._state.model

    @property
    def requests(self) -> list[Recorded]:
        """The requests for completions so far, in order of arrival."""
        with self._state.lock:
            return list(self._state.requests)

    @property
    def max_in_flight(self) -> int:
        """Most requests that were being answered at the same time."""
        return max((request.in_flight for request in self.requests), default=0)

    @property
    def answer(self) -> Answerer:
        """What answers; assign another one at any time."""
        return self._state.answer

    @answer.setter
    def answer(self, answer: Answerer) -> None:
        self._state.answer = answer

    def forget(self) -> None:
        """Empty the record of requests."""
        with self._state.lock:
            self._state.requests.clear()


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was faster


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing can wait for the handlers
    block_on_close = False  # join_handlers does it, after the connections are cut
    request_queue_size = 128  # more clients than any test starts at once

    def __init__(self, state: _State) -> None:
        self.state = state
        self._handlers: list[threading.Thread] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        """Bind without looking the host's name up, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread that is remembered."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="model-server-reply", daemon=True
        )
        self._handlers = [old for old in self._handlers if old.is_alive()]
        self._handlers.append(thread)
        thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what a broken answerer raised; its client sees a closed connection."""
        error = sys.exc_info()[1]
        if error is not None:
            self.state.errors.append(error)

    def join_handlers(self) -> None:
        """Wait for the threads whose connections were cut."""
        for thread in self._handlers:
            thread.join(timeout=5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True
    recorded: Recorded | None = None
    """The request being answered."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the record is ``ModelServer.requests``."""

    def handle(self) -> None:
        """Serve a connection until either side closes it."""
        state = self.server.state
        with state.lock:
            state.connections.add(self.connection)
        try:
            super().handle()
        except (BrokenPipeError, ConnectionError):
            self.close_connection = True  # the client went away, as one that timed out does
        finally:
            with state.lock:
                state.connections.discard(self.connection)

    def do_GET(self) -> None:
        """Answer ``/v1/models``."""
        if self.path.rstrip("/") == "/v1/models":
            model = {"id": self.server.state.model, "object": "model", "created": 0, "owned_by": "test"}
            self._send_json(200, {"object": "list", "data": [model]})
        else:
            self._send_json(404, error_body("No such path.", "not_found"))

    def do_POST(self) -> None:
        """Answer ``/v1/chat/completions``."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send_json(404, error_body("No such path.", "not_found"))
            return
        try:
            body = json.loads(raw)
        except ValueError:
            self._send_json(400, error_body("The body is not JSON.", "invalid_request_error"))
            return
        self.recorded = self._record(body)
        try:
            self._answer(self.recorded)
        finally:
            self._settle()

    def _settle(self) -> None:
        """Note that the request is answered: before its last bytes go out, so that its client cannot be faster."""
        with self.server.state.lock:
            if self.recorded is not None:
                self.recorded.ended_s = time.monotonic()
                self.server.state.in_flight -= 1
                self.recorded = None

    def _record(self, body: dict[str, Any]) -> Recorded:
        state = self.server.state
        headers = {name.lower(): value for name, value in self.headers.items()}
        with state.lock:
            state.in_flight += 1
            recorded = Recorded(
                len(state.requests), self.path, headers, body, arrived_s=time.monotonic(), in_flight=state.in_flight
            )
            state.requests.append(recorded)
        return recorded

    def _answer(self, recorded: Recorded) -> None:
        state = self.server.state
        if state.latency_s:
            state.closing.wait(state.latency_s)
        answer = state.answer(recorded.body)
        recorded.answer = answer
        if isinstance(answer, Fault):
            self._fail(recorded, answer)
            return
        recorded.status = 200
        self._send_answer(recorded.body, {"content": answer} if isinstance(answer, str) else answer)

    def _fail(self, recorded: Recorded, fault: Fault) -> None:
        if fault.cut == "trickle":
            self._trickle(recorded, fault.delay_s)
            return
        if fault.delay_s:
            self.server.state.closing.wait(fault.delay_s)
        if fault.cut == "connection":
            self.close_connection = True
            self._settle()
            _hang_up(self.connection)
        elif fault.status != 200:
            recorded.status = fault.status
            self._send_json(fault.status, error_body(fault.message, fault.code), fault.headers)
        elif fault.body is not None:
            recorded.status = 200
            self._send(200, fault.body.encode())
        else:
            recorded.status = 200
            self._send_answer(recorded.body, {"content": fault.text}, cut=fault.cut == "body")

    def _trickle(self, recorded: Recorded, for_s: float) -> None:
        """Send what a client has to skip: spaces before JSON, comments in a stream."""
        recorded.status = 200
        streamed = bool(recorded.body.get("stream"))
        self._start(200, "text/event-stream" if streamed else "application/json", chunked=True)
        piece = b": wait\n\n" if streamed else b" "
        end_s = time.monotonic() + for_s
        while time.monotonic() < end_s and not self.server.state.closing.wait(TRICKLE_EVERY_S):
            self._send_chunk(piece)
        self.close_connection = True

    def _send_answer(self, body: Mapping[str, Any], message: Mapping[str, Any], cut: bool = False) -> None:
        if not body.get("stream"):
            self._send_json(200, completion(body, message, self.server.state.model), cut=cut)
            return
        chunks = stream_chunks(body, message, self.server.state.model)
        self._start(200, "text/event-stream", chunked=True)
        for chunk in chunks[: len(chunks) // 2] if cut else chunks:
            self._send_chunk(f"data: {json.dumps(chunk)}\n\n".encode())
        if cut:
            self.close_connection = True
            _hang_up(self.connection)
            return
        self._settle()
        self._send_chunk(b"data: [DONE]\n\n")
        self._send_chunk(b"")

    def _send_json(self, status: int, value: Any, headers: Mapping[str, str] | None = None, cut: bool = False) -> None:
        self._send(status, json.dumps(value).encode(), headers, cut)

    def _send(self, status: int, raw: bytes, headers: Mapping[str, str] | None = None, cut: bool = False) -> None:
        self._start(status, "application/json", headers, length=len(raw))
        self._settle()
        self.wfile.write(raw[: len(raw) // 2] if cut else raw)
        if cut:
            self.close_connection = True
            _hang_up(self.connection)

    def _start(
        self,
        status: int,
        kind: str,
        headers: Mapping[str, str] | None = None,
        *,
        length: int = 0,
        chunked: bool = False,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        if not self.server.state.keeps_alive:
            self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
