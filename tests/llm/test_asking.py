"""The account of one document's calls: what failed is noted, what cannot be mended stops, what is hopeless ends."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pageindex_core.errors import (
    BudgetExceededError,
    ModelAccessError,
    ModelError,
    ModelReplyError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pageindex_core.llm import Message, ModelReply, ModelRequest, Usage
from pageindex_core.llm.asking import FAILURES_IN_A_ROW, MOST_NOTES, Asking
from pageindex_core.llm.schedule import Job, run_job

REQUEST = ModelRequest((Message("user", "Say something."),), "summary", "summary.v1")


class Script:
    """A model that gives one outcome after the other, the last one for ever."""

    name = "script"

    def __init__(self, *outcomes: ModelError | str) -> None:
        self.outcomes = list(outcomes)
        self.calls = 0

    def complete(self, request: ModelRequest) -> ModelReply:
        outcome = self.outcomes[min(self.calls, len(self.outcomes) - 1)]
        self.calls += 1
        if isinstance(outcome, ModelError):
            raise outcome
        return ModelReply(outcome, Usage(1, 1), "script")


def ask_times(asking: Asking, count: int) -> Job[list[str | None]]:
    texts: list[str | None] = []
    for number in range(count):
        reply = yield from asking.ask(REQUEST, f"section {number}", number + 1)
        texts.append(None if reply is None else reply.text)
    return texts


def asked(model: Script, count: int) -> tuple[list[str | None], Asking]:
    asking = Asking()
    return run_job(ask_times(asking, count), model, concurrency=1), asking  # type: ignore[arg-type]


def codes(asking: Asking) -> list[str]:
    return [note.code for note in asking.notes()]


@pytest.mark.parametrize(
    "error", [ModelReplyError("Broken."), ModelTimeoutError("Late."), ModelUnavailableError("Busy.")]
)
def test_a_failed_call_is_none_and_a_note(error: ModelError) -> None:
    """The note names what goes without, why, and the page; the next call is made."""
    texts, asking = asked(Script(error, "fine"), 2)

    assert texts == [None, "fine"]
    (note,) = asking.notes()
    assert (note.code, note.page_number) == ("model_reply_missed", 1)
    assert "section 0" in note.message
    assert str(error) in note.message
    assert asking.is_complete


def test_a_refused_key_is_raised() -> None:
    """No later call can do better."""
    with pytest.raises(ModelAccessError):
        asked(Script(ModelAccessError("Refused.")), 3)


def test_a_used_up_budget_ends_the_asking() -> None:
    """The reason is told once, with how much was left undone; no call is tried again."""
    model = Script("fine", BudgetExceededError("The budget is used up."))
    texts, asking = asked(model, 6)

    assert texts == ["fine", None, None, None, None, None]
    assert model.calls == 2
    (note,) = asking.notes()
    assert note.code == "model_ended"
    assert "5 of purpose summary" in note.message
    assert not asking.is_complete


def test_a_server_that_stays_away_ends_the_asking() -> None:
    """So many failures in a row are enough to know."""
    model = Script(ModelUnavailableError("Gone."))
    _, asking = asked(model, 50)

    assert model.calls == FAILURES_IN_A_ROW
    assert codes(asking)[-1] == "model_ended"
    assert not asking.is_complete


def test_failures_with_answers_between_them_end_nothing() -> None:
    """A server that answers now and then is there."""
    outcomes: Iterable[ModelError | str] = [ModelUnavailableError("Busy."), "fine"] * 20
    texts, asking = asked(Script(*outcomes), 40)

    assert texts.count("fine") == 20
    assert asking.is_complete


def test_many_failures_are_named_up_to_a_number_and_counted_beyond() -> None:
    """A document of a thousand sections does not come back with a thousand notes."""
    _, asking = asked(Script(ModelReplyError("Broken.")), MOST_NOTES + 7)

    assert codes(asking) == ["model_reply_missed"] * MOST_NOTES + ["model_replies_missed"]
    assert asking.notes()[-1].message.startswith("7 more")


def test_dropped_headings_are_summed_up_in_one_note() -> None:
    """The first place of the document is named, whichever reply came first; the others are counted."""
    asking = Asking()
    for place, count, page in (("'B'", 3, 12), ("'A'", 2, 9), ("'B'", 1, 12)):
        asking.drop(count, place, page)

    (note,) = asking.notes()
    assert note.code == "headings_dropped"
    assert note.message.startswith("6 headings that the model named for 'A' and 1 more")
