"""How a question was answered: steps and costs gathered while it is, and written down as JSON lines."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pageindex_core.llm.protocol import ModelReply
from pageindex_core.records import Step, Trace


@dataclass(slots=True)
class Tally:
    """Counts what one question takes."""

    navigator: str
    started: float = field(default_factory=time.perf_counter)
    steps: list[Step] = field(default_factory=list)
    documents_considered: int = 0
    units_considered: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    cost_usd: float | None = 0.0
    model_seconds: float = 0.0
    map_tokens: int = 0
    pages_read: dict[tuple[str, int], None] = field(default_factory=dict)
    rejected: int = 0

    def add(self, reply: ModelReply) -> None:
        """Count one call. A reply from the cache counts as a call that cost nothing."""
        usage = reply.usage
        self.model_calls += 1
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.tokens_estimated |= usage.estimated
        self.model_seconds += reply.seconds
        if not reply.cached:
            self.cost_usd = None if None in (self.cost_usd, usage.cost_usd) else self.cost_usd + usage.cost_usd  # type: ignore[operator]

    def step(self, action: str, detail: str, node_ids: Sequence[str] = ()) -> None:
        """Note one thing that was done."""
        self.steps.append(Step(action, detail, tuple(node_ids)))

    def read(self, doc_id: str, page_numbers: Sequence[int]) -> None:
        """Note pages whose text a model is given."""
        self.pages_read.update(dict.fromkeys((doc_id, number) for number in page_numbers))

    def trace(self) -> Trace:
        """Give what has been gathered so far."""
        return Trace(
            navigator=self.navigator,
            steps=tuple(self.steps),
            milliseconds=round((time.perf_counter() - self.started) * 1000, 3),
            documents_considered=self.documents_considered,
            units_considered=self.units_considered,
            model_calls=self.model_calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            tokens_estimated=self.tokens_estimated,
            cost_usd=self.cost_usd,
            model_seconds=round(self.model_seconds, 6),
            map_tokens=self.map_tokens,
            pages_read=tuple(self.pages_read),
            rejected=self.rejected,
        )


def trace_to_json(question: str, trace: Trace) -> str:
    """Give a trace as JSON lines: first the question with what it took, then each step."""
    totals = {name: value for name, value in dataclasses.asdict(trace).items() if name != "steps"}
    lines: list[dict[str, object]] = [{"question": question, **totals}]
    lines += [dataclasses.asdict(step) for step in trace.steps]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"
