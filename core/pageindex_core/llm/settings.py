"""How a model by name is called. Kept apart from the adapter, so that mistakes are found without loading LiteLLM."""

from __future__ import annotations

import dataclasses
from typing import Any

from pageindex_core.errors import OptionError

GIVE_UP_FACTOR = 3
"""A call with its retries may take this many times the timeout of one attempt, unless stated."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LiteLLMSettings:
    """How a model is called."""

    api_base: str | None = None
    """Address of a gateway or local server; None is the provider's own."""
    api_key: str | None = dataclasses.field(default=None, repr=False)
    """None takes it from the provider's environment variable."""
    timeout_s: float = 60.0
    """Longest time of one attempt, to the last byte. A long summary by a slow model takes about half of it."""
    give_up_after_s: float | None = None
    """Longest time of a call with its retries and the waits between; None is three times ``timeout_s``."""
    max_retries: int = 4
    """Attempts after the first."""
    first_wait_s: float = 0.5
    """Wait before the second attempt; it doubles with each. Most providers' own clients begin with half a second."""
    max_concurrency: int = 8
    """Calls at once, over all threads and event loops: below the lowest tiers of the large providers."""
    temperature: float | None = 0.0
    """0 gives the same answer to the same prompt as far as the provider can; None leaves it to the provider."""
    price_per_million: tuple[float, float] | None = None
    """USD for a million tokens in and out, where LiteLLM knows no price or another one is paid."""

    def __post_init__(self) -> None:
        for name in ("timeout_s", "max_concurrency"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name}={getattr(self, name)!r} cannot be used.", "It has to be above 0.")
        if self.max_retries < 0:
            raise OptionError(f"max_retries={self.max_retries!r} cannot be used.", "It has to be 0 or more.")

    @property
    def limit_s(self) -> float:
        """Longest time of a call with its retries."""
        return GIVE_UP_FACTOR * self.timeout_s if self.give_up_after_s is None else self.give_up_after_s


def model_settings(**options: Any) -> LiteLLMSettings:
    """Give the settings that the options name.

    Raises:
        OptionError: an unknown option, or a value that cannot be meant.
    """
    known = [field.name for field in dataclasses.fields(LiteLLMSettings)]
    if unknown := sorted(set(options) - set(known)):
        raise OptionError(f"{', '.join(unknown)}: unknown option of a model.", f"Known are {', '.join(known)}.")
    return LiteLLMSettings(**options)
