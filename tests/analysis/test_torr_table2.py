"""The paper's published figures, through our own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from torr_plugin.analysis import analyse
from torr_plugin.analysis.rankings import centred_ranks

from .torr_table2 import DATASETS, TABLE_2, table_2_scores


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return analyse(table_2_scores(), resamples=10, repeats=2)


@pytest.mark.parametrize("model", [name for name in TABLE_2 if name != "gpt-4o-mini"])
def test_the_overall_column_is_the_unweighted_mean(found: dict[str, Any], model: str) -> None:
    # half a unit of the last place in each column, and in the overall one
    assert found["performance"][model]["overall"]["value"] == pytest.approx(TABLE_2[model][0], abs=0.01)


def test_gpt_4o_mini_is_the_papers_own_exception(found: dict[str, Any]) -> None:
    """Its columns give .427; .48 is printed beside them, which no rounding explains."""
    ours = found["performance"]["gpt-4o-mini"]["overall"]["value"]
    assert ours == pytest.approx(0.427)
    assert TABLE_2["gpt-4o-mini"][0] == 0.48
    assert abs(ours - 0.48) > 0.01


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ("numericNLG", "SciGen", 0.88),
        ("SciGen", "FinQA", 0.27),
        ("SciGen", "TabFact", 0.14),
        ("SciGen", "TableBench NR", 0.14),
        ("SciGen", "WikiTQ", -0.05),
    ],
)
def test_agreement_of_data_sets(found: dict[str, Any], one: str, other: str, tau: float) -> None:
    agreement = found["dataset_agreement"]
    names = agreement["datasets"]
    assert sorted(names) == sorted(DATASETS)
    assert round(agreement["tau"][names.index(one)][names.index(other)], 2) == tau
    assert agreement["tau"][names.index(one)] == [row[names.index(one)] for row in agreement["tau"]]


def test_better_models_are_more_robust() -> None:
    """Spearman's correlation of the two columns: Pearson's of their ranks."""
    performance, robustness = centred_ranks(np.array([figures[:2] for figures in TABLE_2.values()]).T)
    assert round(float(np.corrcoef(performance, robustness)[0, 1]), 2) == 0.90
