"""Fixtures of the made-up card."""

from __future__ import annotations

import pytest

from torr_plugin.catalog import Example

from .made import MadeCard, made_example


@pytest.fixture
def card() -> MadeCard:
    return MadeCard()


@pytest.fixture
def pool() -> list[Example]:
    return [made_example(number, prefix="d") for number in range(30)]


@pytest.fixture
def examples() -> list[Example]:
    return [made_example(number) for number in range(12)]
