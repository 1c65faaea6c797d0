"""A LangChain model with a schema or with tools, through whatever is wrapped around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import Runnable, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from pageindex_core.llm.protocol import Tool
from pageindex_core.llm.replies import FORM_NAME

_Model = Runnable[Any, Any]


def with_schema(model: _Model, schema: Mapping[str, Any]) -> _Model:
    """Give the model held to a JSON schema, so that its message comes as ``raw`` or by itself.

    Raises:
        NotImplementedError: it knows no schemas.
    """
    form = {"title": FORM_NAME, "description": "The reply to the user.", **schema}

    def as_reply(plain: _Model) -> _Model:
        return _made(plain, "with_structured_output", form, include_raw=True)

    def as_tool(plain: _Model) -> _Model:
        return _made(plain, "bind_tools", [form], tool_choice="any")

    return _inside(model, as_tool if _has_arguments(model) else as_reply)


def with_tools(model: _Model, tools: Sequence[Tool]) -> _Model:
    """Give the model with tools to ask for.

    Raises:
        NotImplementedError: it knows no tools.
    """
    functions = [tool.as_function() for tool in tools]
    return _inside(model, lambda plain: _made(plain, "bind_tools", functions))


def plain_model(model: _Model) -> _Model:
    """Give the model inside what is wrapped around it: the first of several."""
    while isinstance(model, (RunnableBindingBase, RunnableWithFallbacks)):
        model = model.bound if isinstance(model, RunnableBindingBase) else model.runnable
    return model


def _inside(model: _Model, change: Callable[[_Model], _Model]) -> _Model:
    """Change the models inside, and leave bound arguments, configurations, retries and fallbacks around them."""
    if isinstance(model, RunnableBindingBase):
        return model.model_copy(update={"bound": _inside(model.bound, change)})
    if isinstance(model, RunnableWithFallbacks):
        others = [_inside(other, change) for other in model.fallbacks]
        return model.model_copy(update={"runnable": _inside(model.runnable, change), "fallbacks": others})
    return change(model)


def _has_arguments(model: _Model) -> bool:
    """Whether arguments are bound, which a structured model would not pass on to the model inside."""
    if isinstance(model, RunnableBindingBase):
        return bool(model.kwargs) or _has_arguments(model.bound)
    if isinstance(model, RunnableWithFallbacks):
        return any(map(_has_arguments, (model.runnable, *model.fallbacks)))
    return False


def _made(model: _Model, method: str, *arguments: Any, **options: Any) -> _Model:
    make: Callable[..., _Model] | None = getattr(model, method, None)
    if make is None:
        raise NotImplementedError(f"{type(model).__name__} has no {method}.")
    return make(*arguments, **options)
