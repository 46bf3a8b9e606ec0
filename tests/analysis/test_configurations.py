"""The mean score of each configuration, beside a plain loop."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from . import plain_parts as plain
from .plain_parts import Cell, same


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=10, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))["configurations"]
    for dataset in plain.values(cells, "dataset"):
        own = plain.comparable_configurations(plain.where(cells, dataset=dataset))
        for model in plain.values(cells, "model"):
            means = plain.plain_configuration_means(own, model)
            assert {config for config, of in found[dataset].items() if of[model] is not None} == set(means)
            assert all(same(found[dataset][config][model], mean) for config, mean in means.items())
