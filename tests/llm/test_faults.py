"""What a caller gets for each fault of a model server, in each way of calling. None of them hangs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from llm_requests import GOOD, OPTIONS, SCHEMA, TOOL, ask, make_request
from pageindex_core.errors import (
    ModelAccessError,
    ModelError,
    ModelReplyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from pageindex_core.llm.retrying import RetryingModel
from pageindex_core.testing import (
    Fault,
    ModelServer,
    always,
    cut_json,
    scripted,
    tool_calls,
    with_bad_arguments,
    with_extra_keys,
    with_prose,
    with_wrong_ids,
)

Make = Callable[..., RetryingModel]

WAYS = ("sync", "async", "stream", "astream")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "error", "attempts"),
    [
        (Fault.denied(), ModelAccessError, 1),
        (Fault.denied(403), ModelAccessError, 1),
        (Fault.quota(), ModelAccessError, 1),
        (Fault.refusing("No such model.", 404), ModelAccessError, 1),
        (Fault.refusing("This is not allowed."), ModelRequestError, 1),
        (Fault.refusing("This model's maximum context length is 8192 tokens."), ModelRequestError, 1),
        (Fault.busy(), ModelUnavailableError, 3),
        (Fault.failing(500), ModelUnavailableError, 3),
        (Fault.failing(503), ModelUnavailableError, 3),
        (Fault.failing(529), ModelUnavailableError, 3),
        (Fault.cut_connection(), ModelUnavailableError, 3),
    ],
    ids=lambda value: f"{value.status}-{value.code or value.cut}" if isinstance(value, Fault) else None,
)
def test_a_failure_is_a_typed_error_after_as_many_attempts_as_make_sense(
    server: ModelServer, make_model: Make, way: str, fault: Fault, error: type[ModelError], attempts: int
) -> None:
    """What waiting can mend is tried again, what it cannot is not; the provider's own error is kept as the cause."""
    server.answer = always(fault)

    with pytest.raises(error) as caught:
        ask(make_model(max_retries=2), make_request(), way)

    assert type(caught.value) is error
    assert caught.value.__cause__ is not None
    assert all((caught.value.what, caught.value.why, caught.value.remedy))
    assert len(server.requests) == attempts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", [Fault.busy(), Fault.failing(), Fault.cut_connection()], ids=["429", "500", "cut"])
def test_a_passing_failure_goes_unnoticed(server: ModelServer, make_model: Make, way: str, fault: Fault) -> None:
    """Two failures, then an answer: the caller sees the answer."""
    server.answer = scripted([fault, fault], then="Every six months.")

    reply = ask(make_model(), make_request(), way)

    assert reply.text == "Every six months."
    assert len(server.requests) == 3


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_reply_cut_in_its_body_is_asked_for_again(server: ModelServer, make_model: Make, way: str) -> None:
    """Half a body is no answer, and the second attempt gives a whole one."""
    server.answer = scripted([Fault.cut_body()], then="whole")

    assert ask(make_model(), make_request(), way).text == "whole"


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_cut_after_its_first_words_is_an_error(server: ModelServer, make_model: Make, way: str) -> None:
    """Text that the caller has seen cannot be taken back, so a broken stream is not begun again."""
    server.answer = always(Fault.cut_body("one two three four five six seven eight"))

    with pytest.raises(ModelUnavailableError):
        ask(make_model(), make_request(), way)

    assert len(server.requests) == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", [Fault.slow(120), Fault.trickling(120)], ids=["silent", "trickling"])
def test_a_call_ends_in_time_whatever_the_server_sends(
    server: ModelServer, make_model: Make, way: str, fault: Fault
) -> None:
    """Silence and endless bytes both end in a timeout error, after one attempt or several, within the limit stated."""
    server.answer = always(fault)

    with pytest.raises(ModelTimeoutError, match=r"0\.3 seconds"):
        ask(make_model(timeout_s=0.3, max_retries=1), make_request(), way)

    assert len(server.requests) == 2


@pytest.mark.parametrize("way", WAYS)
def test_the_whole_call_is_limited_too(server: ModelServer, make_model: Make, way: str) -> None:
    """Retries stop when the call has taken as long as it may, even with attempts left."""
    server.answer = always(Fault.slow(120))

    with pytest.raises(ModelTimeoutError):
        ask(make_model(timeout_s=0.2, give_up_after_s=0.5, max_retries=1000), make_request(), way)

    assert 2 <= len(server.requests) <= 3


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_page_that_is_no_completion_is_a_typed_error(server: ModelServer, make_model: Make, way: str) -> None:
    """A captive portal's HTML in place of a reply ends in a model error, not in an AttributeError."""
    server.answer = always(Fault.garbage())

    with pytest.raises(ModelError):
        ask(make_model(max_retries=1), make_request(), way)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("body", ['{"choices": []}', '{"choices": null}', "{}", "null", "[]"])
def test_a_completion_without_a_choice_is_a_typed_error(
    server: ModelServer, make_model: Make, way: str, body: str
) -> None:
    """JSON that holds no answer is a model error too."""
    server.answer = always(Fault.garbage(body))

    with pytest.raises((ModelReplyError, ModelUnavailableError)):
        ask(make_model(max_retries=1), make_request(), way)


@pytest.mark.parametrize("way", WAYS)
def test_prose_around_json_is_read_past(server: ModelServer, make_model: Make, way: str) -> None:
    """Sentences and fences around the JSON do not hide it."""
    server.answer = with_prose(always(GOOD))

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    assert reply.value == {"nodes": [{"node_id": "0002", "reason": "filters are changed there"}]}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", ["null", "", "I cannot help with that."])
def test_an_answer_without_a_value_gives_none_and_says_so(
    server: ModelServer, make_model: Make, way: str, text: str
) -> None:
    """``null``, nothing and prose alone give no value; a note says which, and nothing is raised."""
    server.answer = always(text)

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    assert reply.value is None
    assert reply.text == text
    assert len(reply.notes) == 1


@pytest.mark.parametrize("way", WAYS)
def test_wrong_ids_are_dropped_and_named(server: ModelServer, make_model: Make, way: str) -> None:
    """An id outside the set never reaches the caller's value, and a note names it."""
    server.answer = with_wrong_ids(always(GOOD))

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    assert reply.value == {"nodes": []}
    assert any("9999" in note for note in reply.notes)


@pytest.mark.parametrize("way", WAYS)
def test_extra_keys_are_dropped(server: ModelServer, make_model: Make, way: str) -> None:
    """Keys that nobody asked for are not passed on."""
    server.answer = with_extra_keys(always(GOOD))

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    assert reply.value == {"nodes": [{"node_id": "0002", "reason": "filters are changed there"}]}
    assert any("confidence" in note for note in reply.notes)


@pytest.mark.parametrize("way", WAYS)
def test_json_cut_by_the_token_limit_keeps_what_was_whole(server: ModelServer, make_model: Make, way: str) -> None:
    """Of three items with the third cut, two are kept, and the cut is noted."""
    items = ", ".join(f'{{"node_id": "{node}", "reason": "r"}}' for node in OPTIONS)
    server.answer = cut_json(always(f'{{"nodes": [{items}]}}'), share=0.8)

    reply = ask(make_model(), make_request(schema=SCHEMA), way)

    assert [node["node_id"] for node in reply.value["nodes"]] == ["0001", "0002"]
    assert "limit of tokens" in reply.notes[0]


@pytest.mark.parametrize("way", WAYS)
def test_bad_arguments_of_a_tool_call_arrive_as_written(server: ModelServer, make_model: Make, way: str) -> None:
    """The caller gets the broken text, so that it can tell the model what was wrong."""
    server.answer = with_bad_arguments(always(tool_calls(("get_page_content", {"pages": "3"}))))

    reply = ask(make_model(), make_request(tools=(TOOL,)), way)

    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("get_page_content", '{"pages": ')]


def test_the_key_is_in_no_message(server: ModelServer, make_model: Make) -> None:
    """A provider that repeats the key in its refusal does not get it into our error or repr."""
    key = "sk-very-secret-0123456789"
    server.answer = always(Fault(401, f"Incorrect API key provided: {key}.", "invalid_api_key"))
    model = make_model(api_key=key)

    with pytest.raises(ModelAccessError) as caught:
        model.complete(make_request())

    assert key not in str(caught.value)
    assert key not in repr(model)
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"


def test_a_name_without_a_provider_is_explained(make_litellm: Make, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name is an access error that says how names are written, and nothing is printed."""
    with pytest.raises(ModelAccessError, match="provider/model"):
        make_litellm("no-such-model", api_base=None).complete(make_request())

    assert capsys.readouterr().out == ""
