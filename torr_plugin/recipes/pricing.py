"""What asking a model costs, from its price and numbers of tokens."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .fields import Part

TOKENS_A_PRICE = 1_000_000

Dollars = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class Price(Part):
    """US dollars for a million tokens."""

    prompt: Dollars
    """Of prompts."""

    completion: Dollars
    """Of answers."""

    cached: Dollars | None = None
    """Of what of prompts a prefix cache had; by default as ``prompt``."""

    def of_prompts(self, tokens: float, cached: float = 0) -> float:
        """US dollars for prompts of ``tokens``, ``cached`` of which a prefix cache had."""
        rate = self.prompt if self.cached is None else self.cached
        return ((tokens - cached) * self.prompt + cached * rate) / TOKENS_A_PRICE

    def of_answers(self, tokens: float) -> float:
        """US dollars for answers of ``tokens``."""
        return tokens * self.completion / TOKENS_A_PRICE
