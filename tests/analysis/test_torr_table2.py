"""The paper's published figures, through our own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import analyse
from torr_plugin.analysis.rankings import centred_ranks

DATASETS = (
    "FinQA",
    "numericNLG",
    "QTSumm",
    "SciGen",
    "TabFact",
    "TableBench DA",
    "TableBench FC",
    "TableBench NR",
    "TURL",
    "WikiTQ",
)

# model: performance, robustness, and the score on each data set
TABLE_2: dict[str, tuple[float, ...]] = {
    "claude-3-5-sonnet": (0.49, 0.70, 0.43, 0.16, 0.36, 0.14, 0.85, 0.30, 0.69, 0.42, 0.67, 0.91),
    "claude-3-5-haiku": (0.42, 0.61, 0.35, 0.16, 0.34, 0.15, 0.78, 0.23, 0.62, 0.20, 0.55, 0.85),
    "gpt-4o": (0.49, 0.69, 0.39, 0.19, 0.43, 0.16, 0.83, 0.33, 0.72, 0.39, 0.59, 0.90),
    "gpt-4o-mini": (0.48, 0.61, 0.33, 0.18, 0.39, 0.16, 0.65, 0.26, 0.65, 0.23, 0.54, 0.88),
    "deepseek-v3": (0.49, 0.66, 0.46, 0.18, 0.41, 0.16, 0.81, 0.31, 0.71, 0.35, 0.65, 0.90),
    "gemini-1.5-pro": (0.48, 0.64, 0.47, 0.18, 0.37, 0.16, 0.79, 0.28, 0.70, 0.31, 0.61, 0.88),
    "gemini-1.5-flash": (0.45, 0.63, 0.42, 0.19, 0.34, 0.16, 0.76, 0.28, 0.69, 0.21, 0.57, 0.88),
    "qwen2-72b-i": (0.45, 0.63, 0.37, 0.16, 0.42, 0.14, 0.78, 0.26, 0.67, 0.23, 0.60, 0.86),
    "llama-3-1-405b-i": (0.46, 0.60, 0.35, 0.12, 0.41, 0.11, 0.82, 0.29, 0.65, 0.31, 0.61, 0.90),
    "llama-3-1-70b-i": (0.44, 0.58, 0.36, 0.12, 0.41, 0.10, 0.72, 0.29, 0.63, 0.26, 0.59, 0.90),
    "llama-3-1-8b-i": (0.28, 0.53, 0.03, 0.10, 0.34, 0.09, 0.55, 0.15, 0.51, 0.09, 0.18, 0.80),
    "mixtral-8x22b-i": (0.41, 0.58, 0.27, 0.19, 0.41, 0.16, 0.73, 0.23, 0.67, 0.20, 0.54, 0.66),
    "mixtral-8x7b-i": (0.34, 0.48, 0.19, 0.17, 0.36, 0.16, 0.64, 0.23, 0.58, 0.12, 0.35, 0.61),
    "mistral-7b-i": (0.32, 0.54, 0.19, 0.13, 0.38, 0.12, 0.55, 0.21, 0.54, 0.09, 0.30, 0.67),
}


def table_2_scores() -> pd.DataFrame:
    """The data sets' columns as scores: of one configuration and one example, which they are the means of."""
    return pd.DataFrame(
        [
            {"model": m, "dataset": d, "config": "all", "example": "mean", "metric": "main", "score": score}
            for m, figures in TABLE_2.items()
            for d, score in zip(DATASETS, figures[2:], strict=True)
        ]
    )


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
