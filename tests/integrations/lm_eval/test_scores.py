"""The figures of one example."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from torr_plugin.catalog import load_card
from torr_plugin.integrations.lm_eval.task import example_figures
from torr_plugin.integrations.lm_eval.task_files import FIGURES

LOOKUP = load_card("bundled.cell_lookup")


def figures(answers: Sequence[str | None]) -> dict[str, float]:
    record = {"config": "csv/none/default", "example": "e", "references": ["1"], "facts": {}}
    found = example_figures(LOOKUP, [record] * len(answers), answers)
    return {name: found[name] for name in FIGURES}


def test_by_hand() -> None:
    assert figures(["1", "2", "1", "1"]) == {
        "performance": 0.75,
        "robustness": 0.0,
        "worst": 0.0,
        "best": 1.0,
    }


def test_one_configuration_is_robust() -> None:
    assert figures(["2"]) == {"performance": 0.0, "robustness": 1.0, "worst": 0.0, "best": 0.0}


@pytest.mark.parametrize("answers", [[None], ["1", None, "1"]])
def test_a_hole_has_no_figures(answers: list[str | None]) -> None:
    assert all(math.isnan(value) for value in figures(answers).values())
