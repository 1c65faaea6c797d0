"""How a model by name is called. Kept apart from the adapter, so that mistakes are found without loading LiteLLM."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pageindex_core.errors import OptionError

GIVE_UP_FACTOR = 3
"""A call with its retries may take this many times the timeout of one attempt, unless stated."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NamedSettings:
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
        _check_number("timeout_s", self.timeout_s)
        _check_number("give_up_after_s", self.give_up_after_s, or_none=True)
        _check_number("first_wait_s", self.first_wait_s, zero=True)
        _check_number("max_retries", self.max_retries, zero=True, whole=True)
        _check_number("max_concurrency", self.max_concurrency, whole=True)
        _check_number("temperature", self.temperature, zero=True, or_none=True)
        for name in ("api_base", "api_key"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                shown = "…" if name == "api_key" else repr(value)
                raise OptionError(f"{name}={shown} cannot be used.", "It is no text.", "Pass a text, or None.")
        self._check_price()

    def _check_price(self) -> None:
        price = self.price_per_million
        if price is None:
            return
        if not isinstance(price, (tuple, list)) or len(price) != 2:
            raise OptionError(
                f"price_per_million={price!r} cannot be used.", "It is no pair.", "Pass (USD in, USD out), or None."
            )
        for one in price:
            _check_number("price_per_million", one, zero=True)

    @property
    def limit_s(self) -> float:
        """Longest time of a call with its retries."""
        return GIVE_UP_FACTOR * self.timeout_s if self.give_up_after_s is None else self.give_up_after_s


def _check_number(name: str, value: Any, *, zero: bool = False, whole: bool = False, or_none: bool = False) -> None:
    """Refuse what is no number, is not finite, or is below 0; 0 too, unless it may be."""
    if value is None and or_none:
        return
    kind = "whole number" if whole else "number"
    bound = "0 or more" if zero else "above 0"
    remedy = f"Pass a {kind}, {bound}" + ("; or None." if or_none else ".")
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise OptionError(f"{name}={value!r} cannot be used.", f"It is no {kind}.", remedy)
    if not (value > 0 or (zero and value == 0)) or not math.isfinite(value):  # "not a number" is above nothing
        raise OptionError(f"{name}={value!r} cannot be used.", f"It has to be {bound}, and finite.", remedy)


def model_settings(**options: Any) -> NamedSettings:
    """Give the settings that the options name.

    Raises:
        OptionError: an unknown option, or a value that cannot be meant.
    """
    known = [field.name for field in dataclasses.fields(NamedSettings)]
    if unknown := sorted(set(options) - set(known)):
        raise OptionError(f"{', '.join(unknown)}: unknown option of a model.", f"Known are {', '.join(known)}.")
    return NamedSettings(**options)
