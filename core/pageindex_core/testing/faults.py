"""What a model server can do instead of answering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of the server or of the wire. Make one with the class methods, each named after what happens."""

    status: int = 200
    """HTTP status. 200 answers with ``text``, as far as ``cut`` lets it."""
    message: str = ""
    code: str | None = None
    """OpenAI's error code, such as ``insufficient_quota``."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    """Silence before the first byte."""
    body: str | None = None
    """Sent in place of OpenAI's format."""
    cut: Literal["no", "connection", "body", "trickle"] = "no"
    """``connection``: closed without a byte. ``body``: closed in the middle of the body. ``trickle``: bytes keep
    coming, and the reply never does."""
    text: str = "Too late."
    """What the reply says where there is one."""

    @classmethod
    def busy(cls, retry_after_s: float | None = None) -> Fault:
        """429: too many requests, with the header Retry-After where a number is given."""
        headers = {} if retry_after_s is None else {"Retry-After": f"{retry_after_s:g}"}
        return cls(429, "Rate limit reached for requests.", "rate_limit_exceeded", headers)

    @classmethod
    def quota(cls) -> Fault:
        """429 as OpenAI sends it when the account is used up; waiting does not help."""
        return cls(429, "You exceeded your current quota, please check your plan.", "insufficient_quota")

    @classmethod
    def denied(cls, status: int = 401) -> Fault:
        """401 for a wrong key, 403 for a key without the right."""
        return cls(status, "Incorrect API key provided.", "invalid_api_key")

    @classmethod
    def failing(cls, status: int = 500) -> Fault:
        """500, 502, 503 or 529: the server's own trouble."""
        return cls(status, "The server had an error while processing your request.", "server_error")

    @classmethod
    def refusing(cls, message: str = "The request cannot be processed.", status: int = 400) -> Fault:
        """400, 404 or 422: the request itself is refused; sending it again does not help."""
        return cls(status, message, "invalid_request_error")

    @classmethod
    def garbage(cls, body: str = "<html>Welcome to the captive portal</html>") -> Fault:
        """200 with a body that is no completion."""
        return cls(body=body)

    @classmethod
    def slow(cls, delay_s: float, text: str = "Too late.") -> Fault:
        """A good answer after a silence."""
        return cls(delay_s=delay_s, text=text)

    @classmethod
    def trickling(cls, for_s: float = 60.0) -> Fault:
        """A byte every few milliseconds and never a reply: no read of the client's ever times out."""
        return cls(cut="trickle", delay_s=for_s)

    @classmethod
    def cut_connection(cls) -> Fault:
        """The connection closes where the reply should begin."""
        return cls(cut="connection")

    @classmethod
    def cut_body(cls, text: str = "This reply ends in the middle of its body.") -> Fault:
        """The connection closes in the middle of the reply; a streamed one loses its second half."""
        return cls(cut="body", text=text)
