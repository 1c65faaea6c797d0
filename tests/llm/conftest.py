"""A model server for each test, and models that talk to it over the real wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.llm.openai import OpenAIModel
from pageindex_core.llm.retrying import RetryingModel
from pageindex_core.testing import ModelServer, always

# Loading LiteLLM takes seconds, so it is loaded once, here.


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that says "Hello." until told otherwise."""
    with ModelServer(always("Hello.")) as running:
        yield running


@pytest.fixture(params=[LiteLLMModel, OpenAIModel])
def make_model(server: ModelServer, request: pytest.FixtureRequest) -> Callable[..., RetryingModel]:
    """Makes models of each client on that server, with waits short enough for tests."""
    return partial(_made, request.param, server)


@pytest.fixture
def make_litellm(server: ModelServer) -> Callable[..., LiteLLMModel]:
    """Makes models of LiteLLM on that server."""
    return partial(_made, LiteLLMModel, server)


def _made(client: type[RetryingModel], server: ModelServer, name: str = "openai/test-model", **settings: Any) -> Any:
    defaults = {"api_base": server.base_url, "api_key": "test", "timeout_s": 5.0, "first_wait_s": 0.01}
    return client(name if client is LiteLLMModel else name.partition("/")[2], **{**defaults, **settings})
