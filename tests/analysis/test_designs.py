"""What designs change against direct asking, against a plain reference."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import analyse
from torr_plugin.analysis.figures.designs import DESIGNS, Designs

TREE = "tree_thinker"


def scores(configs: list[str], datasets: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    """Two models, twelve examples; TreeThinker adds a quarter to the second model's scores."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for dataset in datasets:
        for model in ("m0", "m1"):
            for config in configs:
                serializer, perturbation, design = config.split("/")
                better = 0.25 * (design == TREE and model == "m1")
                rows += [
                    {
                        "model": model,
                        "dataset": dataset,
                        "config": config,
                        "serializer": serializer,
                        "perturbation": perturbation,
                        "design": design,
                        "example": f"e{number:02}",
                        "metric": "f1",
                        "score": float(rng.integers(0, 4)) / 5 + better,
                        "main": True,
                    }
                    for number in range(12)
                ]
    return pd.DataFrame(rows)


CONFIGS = [
    "latex/none/default",
    f"latex/none/{TREE}",
    "html/none/default",
    f"html/none/{TREE}",
    f"csv/none/{TREE}",
]


def test_a_design_is_compared_with_direct_asking_in_the_same_format() -> None:
    frame = scores(CONFIGS)
    found = analyse(frame, resamples=50)["designs"]
    assert (found["base"], list(found["differences"])) == ("default", ["overall", "a", "b"])
    by = {
        key: rows.set_index("example")["score"] for key, rows in frame.groupby(["dataset", "model", "config"])
    }
    means = {}
    for dataset in ("a", "b"):
        for model in ("m0", "m1"):
            changes = [
                by[dataset, model, f"{name}/none/{TREE}"] - by[dataset, model, f"{name}/none/default"]
                for name in ("latex", "html")  # CSV was not asked directly
            ]
            means[dataset, model] = fmean([change.mean() for change in changes])
            own = found["differences"][dataset][model]
            assert list(own) == [TREE]
            assert own[TREE]["value"] == pytest.approx(means[dataset, model])
            assert own[TREE]["low"] < own[TREE]["value"] < own[TREE]["high"]
            assert 0 < own[TREE]["p"] <= 1
    overall = found["differences"]["overall"]["m1"][TREE]
    assert overall["value"] == pytest.approx(fmean(means[dataset, "m1"] for dataset in ("a", "b")))


def test_an_answer_that_is_missing_takes_its_pair_with_it() -> None:
    frame = scores(["latex/none/default", f"latex/none/{TREE}"], ("a",))
    lost = (frame["config"] == f"latex/none/{TREE}") & (frame["model"] == "m0") & (frame["example"] < "e06")
    frame.loc[lost, "score"] = np.nan
    found = analyse(frame, resamples=50)["designs"]["differences"]["a"]["m0"][TREE]
    rest = frame[(frame["model"] == "m0") & (frame["example"] >= "e06")].groupby("design")["score"].mean()
    assert found["value"] == pytest.approx(rest[TREE] - rest["default"])
    assert found["complete"] is False


@pytest.mark.parametrize(
    "configs",
    [
        ["latex/none/default", "html/none/default"],
        [f"latex/none/{TREE}", "html/none/default"],
        ["latex/none/suc", "latex/none/suc_no_role"],
    ],
)
def test_without_both_in_one_format_there_is_no_comparison(configs: list[str]) -> None:
    assert "designs" not in analyse(scores(configs), resamples=5)


def test_the_terminal_has_a_line_a_design() -> None:
    frame = scores(CONFIGS)
    found = Designs.model_validate(analyse(frame, resamples=20)["designs"])
    values = [own[TREE].value or 0.0 for own in found.differences["overall"].values()]
    assert DESIGNS.lines(found) == [
        f"{TREE} less default: {min(values):+.3f} to {max(values):+.3f} over the models"
    ]
    alone = Designs.model_validate(analyse(frame[frame["model"] == "m1"], resamples=20)["designs"])
    own = alone.differences["overall"]["m1"][TREE]
    assert DESIGNS.lines(alone) == [
        f"{TREE} less default: {own.value:+.3f} [{own.low:+.3f}, {own.high:+.3f}]"
    ]
    assert DESIGNS.lines(alone.model_copy(update={"differences": {}})) == []
