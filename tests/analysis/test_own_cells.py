"""Scores that failed and scores that nobody asked for: what is compared over which cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame, known_study
from torr_plugin.analysis import analyse

FIGURES = ("performance", "robustness", "worst", "best")


def lost_half_of_the_last(models: int = 2) -> np.ndarray:
    """Equal models, of which the last lost half of its last configuration, the hard one."""
    rng = np.random.default_rng(0)
    scores = np.repeat(rng.integers(0, 2, (1, 6, 80)).astype(float), models, axis=0)
    scores[:, -1] *= 0.2
    scores[-1, -1, ::2] = np.nan
    return scores


def test_torrs_figures_on_a_models_own_cells_by_hand() -> None:
    scores = lost_half_of_the_last()
    found = analyse(cube_frame(scores), resamples=20)
    assert set(found["own_cells"]) == {"m0"}, "all that m1 has is shared"
    own = found["own_cells"]["m0"]["overall"]
    assert own["dropped"] == pytest.approx(40 / 480)
    assert own["performance"]["value"] == pytest.approx(scores[0].mean())
    assert own["robustness"]["value"] == pytest.approx(1 - np.ptp(scores[0], axis=0).mean())
    assert own["worst"]["low"] <= own["worst"]["value"] <= own["worst"]["high"]
    assert found["performance"]["m0"] == {
        place: {key: value for key, value in figure.items() if key != "complete"}
        if place == "overall"
        else {"d": {key: value for key, value in figure["d"].items() if key != "complete"}}
        for place, figure in found["performance"]["m1"].items()
    }
    (note,) = (note for note in found["notes"] if note.startswith("8.3% of the scores of m0"))
    shared = np.where(np.isnan(scores[1]), np.nan, scores[0])
    expected = np.nanmean(shared, axis=0).mean()
    assert f"{scores[0].mean():.3f} over all of its scores (own_cells), {expected:.3f}" in note


def test_a_complete_study_has_no_figures_of_its_own_cells() -> None:
    assert "own_cells" not in analyse(cube_frame(np.random.default_rng(0).random((2, 3, 9))), resamples=5)


def unevenly_asked() -> np.ndarray:
    """The last configuration was asked of the first 20 examples alone."""
    scores = np.random.default_rng(1).random((2, 6, 50))
    scores[:, -1, 20:] = np.nan
    return scores


def test_what_was_not_asked_has_not_failed() -> None:
    scores = unevenly_asked()
    scores[0, 0, 0] = np.nan
    found = analyse(cube_frame(scores), resamples=20)
    holes = found["holes"]
    assert (holes["failed"], holes["not_asked"], holes["missing"]) == (1, 60, 1)
    assert holes["expected"] == 2 * (5 * 50 + 20)
    assert holes["cells"] == [{"model": "m0", "dataset": "d", "config": "c0", "missing": 1, "of": 50}]
    assert "complete" not in found["performance"]["m1"]["overall"]


def test_ranges_are_over_the_examples_asked_in_all_configurations() -> None:
    scores = unevenly_asked()
    found = analyse(cube_frame(scores), resamples=20)
    whole = scores[0, :, :20]
    value = {name: found[name]["m0"]["overall"]["value"] for name in FIGURES}
    assert value["robustness"] == pytest.approx(1 - np.ptp(whole, axis=0).mean())
    assert value["robustness"] == pytest.approx(1 - (value["best"] - value["worst"]))
    assert value["performance"] == pytest.approx(np.nanmean(scores[0], axis=0).mean()), "over every example"
    own = found["own_cells"]["m0"]["datasets"]["d"]
    ranges = np.nanmax(scores[0], axis=0) - np.nanmin(scores[0], axis=0)
    assert own["robustness"]["value"] == pytest.approx(1 - ranges.mean())
    assert own["dropped"] == 0
    assert any("the 20 of 50 that were (over all of them: own_cells)" in note for note in found["notes"])


def test_where_no_example_was_asked_in_all_each_has_its_own() -> None:
    scores = unevenly_asked()
    scores[:, 0, :20] = np.nan
    found = analyse(cube_frame(scores), resamples=20)
    assert found["robustness"]["m0"]["overall"]["value"] is not None
    assert any("each with those that it was asked in" in note for note in found["notes"])


def test_models_that_share_no_cell_are_said() -> None:
    scores = np.random.default_rng(0).random((3, 6, 9))
    scores[0, :2] = scores[1, 2:4] = scores[2, 4:] = np.nan
    found = analyse(cube_frame(scores), resamples=5)
    assert any(note.startswith("no cell of d is shared by all models") for note in found["notes"])
    assert found["pairs"][0]["performance"]["overall"]["p"] is not None


def test_fewer_than_five_configurations_have_no_robustness_of_five() -> None:
    scores = np.random.default_rng(0).random((2, 6, 9))
    found = analyse(pd.concat([cube_frame(scores, "a"), cube_frame(scores[:, :4], "b")]), resamples=5)
    nothing = {"value": None, "low": None, "high": None}
    assert found["robustness_5"]["m0"]["overall"] == found["robustness_5"]["m0"]["datasets"]["b"] == nothing
    assert (
        found["robustness_5"]["m0"]["datasets"]["a"]["value"]
        > found["robustness"]["m0"]["datasets"]["a"]["value"]
    )
    assert "no robustness_5 on b: it takes 5 configurations" in found["notes"]


@pytest.mark.full
def test_tables_that_examples_share_and_their_design_effect() -> None:
    scores, told = known_study(tables=24, datasets=("a",))
    found: dict[str, Any] = analyse(scores, resamples=20, **told)
    own = found["tables"]["a"]
    assert (own["examples"], own["tables"]) == (72, 24)
    effects = []
    for model in range(3):
        rows = scores[scores["model"] == f"m{model}"]
        means = rows.groupby("example")["score"].mean().to_numpy()
        away = means - means.mean()
        clustered = 24 / 23 * (away.reshape(24, 3).sum(axis=1) ** 2).sum() / 72**2
        effects.append(clustered / (means.var(ddof=1) / 72))
    assert own["design_effect"] == pytest.approx(np.median(effects))
    assert "tables" not in analyse(scores, resamples=5)


def test_robustness_over_five_says_which_examples_it_leaves_out() -> None:
    scores = np.random.default_rng(5).integers(0, 2, (2, 5, 10)).astype(float)
    scores[0, 1, :3] = np.nan  # 4 configurations are left, of both models
    found = analyse(cube_frame(scores), resamples=20)
    assert any("robustness_5 on d is over 7 of 10 examples" in note for note in found["notes"])
    for model in ("m0", "m1"):
        own = found["robustness_5"][model]["overall"]
        whole = 1 - np.ptp(scores[int(model[1])][:, 3:], axis=0).mean()  # of all five, rarefied to five
        assert (own["value"], own["complete"]) == (pytest.approx(whole), False)
    assert "complete" not in found["performance"]["m1"]["overall"]
