"""How a model finds its way for a retriever: which model, by which prompts, and what the framework is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import llama_index.core.instrumentation as instrument
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.prompts import BasePromptTemplate, ChatPromptTemplate, PromptTemplate
from llama_index.core.settings import Settings

from pageindex_core.errors import OptionError
from pageindex_core.options import NavigationOptions
from pageindex_core.records import Event, SearchResult

if TYPE_CHECKING:
    from pageindex_core.llm import Budget, ChatModel

dispatcher = instrument.get_dispatcher(__name__)  # type: ignore[attr-defined]  # documented, and not in its __all__

PROMPTS = {"tree": ("tree", "tree_one_token"), "agent": ("agent",)}
"""The prompts of each mode, as ``get_prompts`` names them."""


class PageIndexNavigationEvent(BaseEvent):
    """One step of a navigation: a map shown, places chosen, a thought, a tool called, its result."""

    kind: str
    """``step``, ``thought``, ``tool_call`` or ``tool_result``."""
    text: str
    """For people."""
    data: dict[str, Any]
    """For programs: the choices with their reasons, the tool's name and arguments, its result."""

    @classmethod
    def class_name(cls) -> str:
        """Give the name that handlers know the event by."""
        return "PageIndexNavigationEvent"


class Navigation:
    """A model's way through documents, for the modes ``tree`` and ``agent``; in others it adds nothing to a search.

    Args:
        mode: The retriever's.
        llm: An LLM of the framework, a core model, or a LiteLLM name; None takes ``Settings.llm`` when a search runs.
        budget: The most that one question may spend.
        options: How the model finds its way.
    """

    def __init__(self, mode: str, llm: Any, budget: Budget | None, options: NavigationOptions | None) -> None:
        self._mode = mode
        self._names = PROMPTS.get(mode, ())
        self._llm = llm
        self._budget = budget
        self._options = options or NavigationOptions()
        self._adapted: tuple[Any, ChatModel | None] = (None, None)

    def arguments(self) -> dict[str, Any]:
        """Give what a search takes of it.

        Raises:
            OptionError: there is no model.
        """
        if self._mode not in PROMPTS:
            return {}
        return {"model": self._model(), "budget": self._budget, "navigation": self._options}

    def prompts(self) -> dict[str, BasePromptTemplate]:
        """Give the prompts in use as templates; ``[system]`` and ``[user]`` lines begin their messages."""
        from pageindex_core.llm.prompts import load_prompt

        own = self._options.prompts
        return {name: PromptTemplate(load_prompt(name, own).text) for name in self._names}

    def update_prompts(self, prompts: Mapping[str, BasePromptTemplate]) -> None:
        """Replace prompts by name; names of other modules are left out.

        Raises:
            OptionError: a template of another kind, or with fields that are not filled.
        """
        from pageindex_core.llm.prompts import load_prompt

        texts = {name: _text_of(name, prompts[name]) for name in self._names if name in prompts}
        for name in texts:
            load_prompt(name, texts)  # refuses now what every search would refuse
        self._options = replace(self._options, prompts={**self._options.prompts, **texts})

    def _model(self) -> ChatModel | None:
        llm = self._settings_llm() if self._llm is None else self._llm
        if self._adapted[0] is not llm:
            self._adapted = (llm, chat_model_of(llm))
        return self._adapted[1]

    def _settings_llm(self) -> Any:
        try:
            return Settings.llm
        except (ImportError, ValueError) as error:
            raise OptionError(
                f"retriever_mode={self._mode!r} needs a model.",
                f"Neither llm= nor Settings.llm gives one: {error}",
                "Pass llm=, set Settings.llm, or leave retriever_mode out to search by words.",
            ) from error


def chat_model_of(llm: Any) -> ChatModel | None:
    """Give the core's model of what a caller passes; what it needs is loaded for those who have one."""
    if llm is None:
        return None
    from pageindex_llamaindex.model import as_chat_model

    return as_chat_model(llm)


def tell(told: Event | SearchResult) -> None:
    """Tell the framework's handlers of a step of a model; the result is told by the framework itself."""
    if isinstance(told, Event):
        dispatcher.event(PageIndexNavigationEvent(kind=told.kind, text=told.text, data=dict(told.data)))


def _text_of(name: str, template: BasePromptTemplate) -> str:
    """Give the text of a template as the core takes it, with the values that the template has already."""
    if isinstance(template, PromptTemplate):
        text = template.template
    elif isinstance(template, ChatPromptTemplate):
        text = "\n".join(f"[{each.role.value}]\n{each.content or ''}" for each in template.message_templates)
    else:
        raise OptionError(
            f"The prompt {name!r} cannot be a {type(template).__name__}.",
            "Its text is sent by the core, field by field.",
            "Pass a PromptTemplate or a ChatPromptTemplate.",
        )
    for key, value in template.kwargs.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text
