"""Limits of a question or an indexing run, and the count of what was spent."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from pageindex_core.errors import BudgetExceededError, ModelError, OptionError
from pageindex_core.llm.protocol import ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; None sets no limit. Cached replies cost nothing."""

    calls: int | None = None
    """Calls to the model, failed ones included."""
    tokens: int | None = None
    """Tokens in and out. A call is not begun when its prompt would pass the limit; its reply may."""
    cost_usd: float | None = None
    """Needs a model whose price is known. Calls that already run are finished, so it may be passed by their cost."""
    seconds: float | None = None
    """From the first call, or from ``Meter.start``. A call that runs when they are over is given up."""

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost_usd", "seconds"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if value is not None and not (is_number and value >= 0):  # "not a number" is above nothing
                raise OptionError(f"Budget {name}={value!r} cannot be used.", "It has to be 0 or more, or None.")


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call, for traces."""

    purpose: str
    prompt_version: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    cost_usd: float | None = None
    """None when no price is known; 0 when the reply came from the cache."""
    seconds: float = 0.0
    cached: bool = False
    error: str = ""
    """What went wrong, where the call failed."""
    notes: tuple[str, ...] = ()
    """What was mended in the reply."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums over calls."""

    calls: int = 0
    """Calls to the model, failed ones included, cached ones not."""
    cached: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    """True when any of the tokens were counted here."""
    cost_usd: float | None = 0.0
    """None when the price of any call is unknown."""
    model_seconds: float = 0.0
    """Sum over the calls; those that ran side by side count each."""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    def plus(self, call: CallRecord) -> Spent:
        """Give the sums with one more call."""
        cost_known = self.cost_usd is not None and call.cost_usd is not None
        return Spent(
            self.calls + (not call.cached),
            self.cached + call.cached,
            self.failed + bool(call.error),
            self.input_tokens + (0 if call.cached else call.input_tokens),
            self.output_tokens + (0 if call.cached else call.output_tokens),
            self.estimated or (call.estimated and not call.cached),
            (self.cost_usd or 0.0) + (call.cost_usd or 0.0) if cost_known else None,
            self.model_seconds + call.seconds,
        )


@dataclass(slots=True)
class _Sums:
    whole: Spent = field(default_factory=Spent)
    by_purpose: dict[str, Spent] = field(default_factory=dict)
    by_model: dict[str, Spent] = field(default_factory=dict)


class Meter:
    """Counts calls, and refuses the next one when a budget is used up. Safe for threads and tasks.

    Args:
        budget: the limits; None only counts.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._lock = threading.Lock()
        self._sums = _Sums()
        self._calls: list[CallRecord] = []
        self._running = 0
        self._reserved_tokens = 0
        self._unpriced_model: str | None = None
        self._started_s: float | None = None
        self._ended = ""

    def start(self) -> None:
        """Start the clock, if it is not running."""
        with self._lock:
            self._start()

    def _start(self) -> float:
        if self._started_s is None:
            self._started_s = time.monotonic()
        return self._started_s

    @property
    def spent(self) -> Spent:
        """The sums so far."""
        with self._lock:
            return self._sums.whole

    @property
    def by_purpose(self) -> Mapping[str, Spent]:
        """The sums for each purpose."""
        with self._lock:
            return dict(self._sums.by_purpose)

    @property
    def by_model(self) -> Mapping[str, Spent]:
        """The sums for each model."""
        with self._lock:
            return dict(self._sums.by_model)

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Every call in the order in which they ended."""
        with self._lock:
            return tuple(self._calls)

    @property
    def seconds(self) -> float:
        """Seconds since the start; 0 before it."""
        with self._lock:
            return 0.0 if self._started_s is None else time.monotonic() - self._started_s

    @property
    def left_s(self) -> float | None:
        """Seconds until the budget is used up; None where it sets no limit."""
        limit = self.budget.seconds
        return None if limit is None else max(0.0, limit - self.seconds)

    def out_of_time(self) -> BudgetExceededError:
        """Give the error for a call that was running when the seconds were over."""
        reason = f"All of its {self.budget.seconds:g} seconds are used; a call that was running was given up."
        with self._lock:
            self._ended = self._ended or reason
        error = BudgetExceededError(*_used_up(reason))
        error.was_begun = True
        return error

    @property
    def ended(self) -> str:
        """Why the budget refused a call; empty while it has refused none."""
        with self._lock:
            return self._ended

    def begin(self, request: ModelRequest) -> int:
        """Reserve a call, and give the tokens reserved, which ``succeeded`` and ``failed`` take back.

        Raises:
            BudgetExceededError: a limit is reached.
        """
        from pageindex_core.llm.replies import input_estimate  # parsers of replies are for those who call a model

        estimate = input_estimate(request)
        with self._lock:
            started_s = self._start()
            seconds = time.monotonic() - started_s
            reason = self._refusal(estimate, seconds)
            if reason:
                self._ended = self._ended or reason
                raise BudgetExceededError(*_used_up(reason))
            self._running += 1
            self._reserved_tokens += estimate
        return estimate

    def succeeded(self, request: ModelRequest, reply: ModelReply, reserved: int) -> None:
        """Count a call that was answered."""
        usage = reply.usage
        record = _record(request, reply)
        with self._lock:
            if usage.cost_usd is None:
                self._unpriced_model = reply.model
            self._settle(reserved)
            self._add(record)

    def failed(self, request: ModelRequest, model: str, error: ModelError, seconds: float, reserved: int) -> None:
        """Count a call that failed. What it cost is not known, and counted as nothing."""
        record = CallRecord(
            request.purpose, request.prompt_version, model, cost_usd=0.0, seconds=seconds, error=str(error)
        )
        with self._lock:
            self._settle(reserved)
            self._add(record)

    def from_cache(self, request: ModelRequest, reply: ModelReply) -> None:
        """Count a reply that cost nothing."""
        with self._lock:
            self._start()
            self._add(_record(request, reply))

    def _settle(self, reserved: int) -> None:
        self._running -= 1
        self._reserved_tokens -= reserved

    def _add(self, record: CallRecord) -> None:
        sums = self._sums
        self._calls.append(record)
        sums.whole = sums.whole.plus(record)
        sums.by_purpose[record.purpose] = sums.by_purpose.get(record.purpose, Spent()).plus(record)
        sums.by_model[record.model] = sums.by_model.get(record.model, Spent()).plus(record)

    def _refusal(self, estimate: int, seconds: float) -> str:
        """Give why no call may begin now; empty where one may."""
        limit, spent = self.budget, self._sums.whole
        begun = spent.calls + self._running
        if limit.calls is not None and begun >= limit.calls:
            return f"{begun} of {limit.calls} model calls are used."
        tokens = spent.tokens + self._reserved_tokens
        if limit.tokens is not None and tokens + estimate > limit.tokens:
            return f"{tokens} of {limit.tokens} tokens are used, and the next prompt has about {estimate}."
        if limit.seconds is not None and seconds >= limit.seconds:
            return f"{seconds:.1f} of {limit.seconds:g} seconds are used."
        if limit.cost_usd is None:
            return ""
        if self._unpriced_model is not None:
            return f"No price is known for {self._unpriced_model!r}, so a limit of cost cannot be kept."
        if (spent.cost_usd or 0.0) >= limit.cost_usd:
            return f"{spent.cost_usd:.4f} of {limit.cost_usd:g} USD are used."
        return ""


def _used_up(reason: str) -> tuple[str, str, str]:
    return "The budget of this run is used up.", reason, "What was done is kept; raise the budget to go on."


def _record(request: ModelRequest, reply: ModelReply) -> CallRecord:
    usage = reply.usage
    return CallRecord(
        request.purpose,
        request.prompt_version,
        reply.model,
        usage.input_tokens,
        usage.output_tokens,
        usage.estimated,
        0.0 if reply.cached else usage.cost_usd,
        reply.seconds,
        reply.cached,
        notes=reply.notes,
    )


def as_json(record: CallRecord) -> dict[str, object]:
    """Give a call as one line of a JSON trace holds it."""
    return dataclasses.asdict(record)
