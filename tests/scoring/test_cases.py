"""The table of cases: short answers as people and models write them, right ones and wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.scoring.example_scores import rate
from torr_plugin.scoring.metrics import metrics

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "short_answers.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['metric']}: {case['reference']}")
def test_right_answers_and_wrong_ones(case: dict[str, Any]) -> None:
    metric = metrics.get(case["metric"])

    def score(answer: str) -> float:
        return rate(metric, str(answer), [case["reference"]], case.get("facts", {}))[metric.main]

    assert [answer for answer in case["right"] if score(answer) < 1] == []
    assert [answer for answer in case["wrong"] if score(answer) >= 1] == []
