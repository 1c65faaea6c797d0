"""What a caller may name a model by, and when LiteLLM is loaded."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import importlib.util
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import pageindex_core.llm
from llm_requests import ask, make_request
from pageindex_core.errors import OptionError
from pageindex_core.llm import ChatModel, ModelReply, ModelRequest, NamedModel, Usage, metered, open_model
from pageindex_core.testing import ModelServer


class OwnModel:
    """A caller's own model object."""

    name = "own"

    def complete(self, request: ModelRequest) -> ModelReply:
        return ModelReply("own", Usage(1, 1), "own")

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        yield self.complete(request)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        yield self.complete(request)


def test_none_stays_none_and_objects_stay_themselves() -> None:
    """No model is a choice, and an object is used as it was made."""
    own = OwnModel()

    assert open_model(None) is None
    assert open_model(own) is own


@pytest.mark.parametrize("way", ["sync", "async", "stream", "astream"])
def test_a_name_becomes_a_model(server: ModelServer, way: str) -> None:
    """A name with its options answers in all four ways, and can be wrapped like any model."""
    model = open_model("openai/test-model", api_base=server.base_url, api_key="test")

    assert isinstance(model, ChatModel)
    assert model.name == "openai/test-model"
    assert ask(model, make_request(), way).text == "Hello."
    assert ask(metered(model), make_request(), way).text == "Hello."


@pytest.mark.parametrize("wrong", [42, object(), ["gpt-4o"], lambda request: "text"])
def test_anything_else_is_refused(wrong: Any) -> None:
    """What is neither name nor model is an option error that says what a model has."""
    with pytest.raises(OptionError, match="complete and acomplete"):
        open_model(wrong)


def test_options_that_cannot_be_used_are_refused() -> None:
    """An empty name, a misspelt option, a wrong value, and options for an object: all before the first call."""
    with pytest.raises(OptionError, match="empty"):
        open_model("  ")
    with pytest.raises(OptionError, match="tempreature"):
        open_model("gpt-4o-mini", tempreature=1.0)
    with pytest.raises(OptionError, match="max_concurrency"):
        open_model("gpt-4o-mini", max_concurrency=0)
    with pytest.raises(OptionError, match="timeout_s"):
        open_model(OwnModel(), timeout_s=3)


def test_litellm_is_loaded_by_the_first_call_alone() -> None:
    """Importing the package, naming a model and wrapping it load neither LiteLLM nor its friends."""
    script = (
        "import sys, pageindex_core, pageindex_core.llm as llm, pageindex_core.testing\n"
        "model = llm.metered(llm.open_model('gpt-4o-mini'))\n"
        "assert not {'litellm', 'openai', 'httpx', 'pydantic'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_loading_litellm_fetches_nothing() -> None:
    """Its price list comes from the package, unless the user has decided otherwise."""
    script = (
        "import os, socket\n"
        "os.environ.pop('LITELLM_LOCAL_MODEL_COST_MAP', None)\n"
        "def refuse(*args): raise AssertionError(f'a connection: {args}')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import pageindex_core.llm.litellm as adapter\n"
        "assert adapter.litellm.model_cost['gpt-4o-mini']\n"
        "assert os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] == 'True'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to the adapter say which package is missing and which extra brings it."""
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "litellm":
            raise ModuleNotFoundError("No module named 'litellm'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.delitem(sys.modules, "pageindex_core.llm.litellm")

    with pytest.raises(ImportError, match=r"pageindex-rag\[llm\]"):
        open_model("gpt-4o-mini")
    with pytest.raises(ImportError, match=r"pageindex-rag\[llm\]"):
        importlib.import_module("pageindex_core.llm.litellm")


def test_a_named_model_can_be_pickled_and_hides_its_key(server: ModelServer) -> None:
    """It crosses to worker processes with its key, which its repr does not show."""
    model = open_model("openai/test-model", api_base=server.base_url, api_key="sk-secret-123")
    assert isinstance(model, NamedModel)
    model.complete(make_request())

    copy = pickle.loads(pickle.dumps(model))

    assert asyncio.run(copy.acomplete(make_request())).text == "Hello."
    assert server.requests[1].headers["authorization"] == "Bearer sk-secret-123"
    assert "sk-secret" not in repr(model)


def test_every_public_name_exists() -> None:
    """Names that load on use are there, and a misspelt one is an error that says so."""
    assert all(getattr(pageindex_core.llm, name) for name in pageindex_core.llm.__all__)
    with pytest.raises(AttributeError, match="open_modell"):
        _ = pageindex_core.llm.open_modell
