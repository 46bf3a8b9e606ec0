"""What asking a model costs."""

from __future__ import annotations

import pytest

from torr_plugin.recipes import Price


def test_prompts_and_answers_by_hand() -> None:
    price = Price(prompt=0.15, completion=0.6, cached=0.075)
    assert price.of_prompts(2_000_000) == pytest.approx(0.30)
    # 1.5 million at 0.15 and half a million at 0.075
    assert price.of_prompts(2_000_000, cached=500_000) == pytest.approx(0.225 + 0.0375)
    assert price.of_answers(250_000) == pytest.approx(0.15)


def test_without_a_price_for_cached_tokens_they_cost_as_much() -> None:
    price = Price(prompt=3.0, completion=15.0)
    assert price.of_prompts(1_000_000, cached=900_000) == pytest.approx(3.0)


def test_cached_tokens_may_be_free() -> None:
    assert Price(prompt=3.0, completion=15.0, cached=0.0).of_prompts(1_000_000, cached=1_000_000) == 0
