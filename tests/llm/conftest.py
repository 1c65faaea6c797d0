"""A model server for each test, and models that talk to it over the real wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pageindex_core.llm.litellm import LiteLLMModel
from pageindex_core.testing import ModelServer, always

# Loading LiteLLM takes seconds, so it is loaded once, here.


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that says "Hello." until told otherwise."""
    with ModelServer(always("Hello.")) as running:
        yield running


@pytest.fixture
def make_model(server: ModelServer) -> Callable[..., LiteLLMModel]:
    """Makes models on that server, with waits short enough for tests."""

    def make(name: str = "openai/test-model", **settings: Any) -> LiteLLMModel:
        defaults = {"api_base": server.base_url, "api_key": "test", "timeout_s": 5.0, "first_wait_s": 0.01}
        return LiteLLMModel(name, **{**defaults, **settings})

    return make
