"""What asking a model costs."""

from __future__ import annotations

import pytest

from torr_plugin.recipes import Price


def test_without_a_price_for_cached_tokens_they_cost_as_much() -> None:
    price = Price(prompt=3.0, completion=15.0)
    assert price.of_prompts(1_000_000, cached=900_000) == pytest.approx(3.0)


def test_cached_tokens_may_be_free() -> None:
    assert Price(prompt=3.0, completion=15.0, cached=0.0).of_prompts(1_000_000, cached=1_000_000) == 0
