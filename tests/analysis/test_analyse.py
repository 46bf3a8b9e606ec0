"""The whole of ``analysis.json``: its shape, its independence of order, its small and its holed cases."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import cube_frame, frame
from torr_plugin.analysis import AnalysisError, analyse, summary_rows
from torr_plugin.analysis.figures.noise import INCLUDES_NOISE
from torr_plugin.analysis.figures.settings import METHODS
from torr_plugin.analysis.options import SHAPE
from torr_plugin.analysis.registered import own_figures

NAN = float("nan")
FIGURES = ("performance", "robustness", "worst", "best", "robustness_solvable")
AGREEMENT = (
    "dataset_agreement",
    "configuration_agreement",
    "configuration_agreement_intervals",
    "reliability",
)


def scores(models: int = 3, configurations: int = 6, examples: int = 8, seed: int = 0) -> np.ndarray:
    return np.round(np.random.default_rng(seed).random((models, configurations, examples)), 3)


def field_names(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(field_names, schema))
    own = schema.get("properties", {}) if isinstance(schema, dict) else {}
    below = list(schema.values()) if isinstance(schema, dict) else []
    return {*own, *field_names(below)}


def test_another_shape_has_another_number() -> None:
    """The site computes anew what another version wrote: what figures hold changes with ``SHAPE``."""
    fields = {figure.key: sorted(field_names(figure.adapter.json_schema())) for figure in own_figures()}
    digest = sha256(json.dumps([fields, METHODS]).encode()).hexdigest()[:8]
    assert (SHAPE, digest) == (3, "b2f4bcf7"), "raise SHAPE, unless only words changed"


@pytest.mark.full
def test_the_shape_is_the_designs() -> None:
    found = analyse(
        pd.concat([cube_frame(scores(), "a", parts=True), cube_frame(scores(seed=1), "b", parts=True)])
    )
    json.dumps(found, allow_nan=False)
    published = {
        *FIGURES,
        "separability",
        "pairs",
        "rank_intervals",
        "rank_intervals_datasets",
        *AGREEMENT,
        "generalizability",
        "configurations",
        "serializers",
        "perturbations",
        "difficulty",
        "holes",
        "settings",
        "notes",
    }
    assert published <= set(found) <= published.union(*(figure.json_keys() for figure in own_figures()))
    for name in FIGURES:
        for figure in found[name].values():
            assert set(figure) == {"overall", "datasets"}
            assert set(figure["datasets"]) == {"a", "b"}
            assert set(figure["overall"]) == {"value", "low", "high"}
            assert figure["overall"]["low"] <= figure["overall"]["value"] <= figure["overall"]["high"]
    methods = found["settings"].pop("methods")
    assert {"dataset_agreement", "configuration_agreement", "reliability"} <= set(methods)
    assert found["settings"] == {
        "shape": SHAPE,
        "resamples": 1000,
        "level": 0.95,
        "seed": 0,
        "rankings": 10,
        "repeats": 100,
        "models": 3,
        "examples": {"a": 8, "b": 8},
        "configurations": {"a": 6, "b": 6},
        "metrics": {"a": "em", "b": "em"},
    }
    assert found["holes"]["complete"] is True
    assert found["notes"] == [INCLUDES_NOISE]


@pytest.mark.full
@given(st.randoms(use_true_random=False))
@settings(max_examples=2, deadline=None)
def test_the_order_of_rows_changes_no_figure(random: object) -> None:
    rows = pd.concat([cube_frame(scores(), "a", parts=True), cube_frame(scores(seed=1), "b", parts=True)])
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    first, again = (analyse(some, resamples=20, repeats=3) for some in (rows, rows.iloc[order]))
    assert_same(first, again)


def assert_same(one: object, other: object, where: str = "") -> None:
    """Equal; numbers to what single precision and a matrix product's order of sums leave of them."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert set(one) == set(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), where
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{where}/{place}")
    elif isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other, rel=1e-6, abs=1e-9, nan_ok=True), where
    else:
        assert one == other, where


@pytest.mark.full
def test_the_seed_decides_the_intervals() -> None:
    rows = cube_frame(scores(), parts=True)
    assert analyse(rows, seed=1) == analyse(rows, seed=1)
    one, two = (analyse(rows, seed=s)["perturbations"]["win_rates"]["overall"] for s in (1, 2))
    assert {name: own["value"] for name, own in one.items()} == {n: own["value"] for n, own in two.items()}
    assert one != two


def test_a_data_set_more_changes_no_interval_of_another() -> None:
    alone = analyse(cube_frame(scores(), "a"))
    both = analyse(pd.concat([cube_frame(scores(seed=1), "b"), cube_frame(scores(), "a")]))
    for name in FIGURES:
        assert alone[name]["m0"]["datasets"]["a"] == both[name]["m0"]["datasets"]["a"]


@pytest.mark.full
def test_one_of_each() -> None:
    found = analyse(frame({("m", "d", "c", "e"): 0.25}))
    # a single example says nothing
    assert found["performance"]["m"]["overall"] == {"value": 0.25, "low": 0.0, "high": 1.0}
    assert found["robustness"]["m"]["overall"] == {"value": 1.0, "low": 0.0, "high": 1.0}
    assert found["separability"]["overall"] == {
        "value": None,
        "paired": None,
        "pairs": 0,
    }
    assert found["rank_intervals"] == {"m": [1, 1]}
    assert any("one configuration only" in note for note in found["notes"])
    assert any("one example only" in note for note in found["notes"])


def test_a_constant_cube_is_no_certainty_and_separates_nothing() -> None:
    found = analyse(cube_frame(np.full((3, 4, 5), 0.1)))
    for model in ("m0", "m1", "m2"):
        own = found["performance"][model]["overall"]
        assert own["low"] < 0.02
        assert own["value"] == 0.1
        assert own["high"] > 0.5
    assert found["separability"]["overall"] == {"value": 0.0, "paired": 0.0, "pairs": 3}
    assert found["rank_intervals"]["m0"] == [1, 3]


def test_holes_are_counted_named_and_marked() -> None:
    cube = scores(2, 3, 4)
    cube[1, 0, 2] = cube[1, 2, 0] = cube[1, 2, 1] = NAN
    found = analyse(pd.concat([cube_frame(cube, "a"), cube_frame(scores(2, 3, 4), "b")]))
    assert found["holes"] == {
        "complete": False,
        "failed": 3,
        "not_asked": 0,
        "missing": 3,
        "expected": 48,
        "models": {"m1": 3},
        "datasets": {"a": 3},
        "cells": [
            {"model": "m1", "dataset": "a", "config": "c2", "missing": 2, "of": 4},
            {"model": "m1", "dataset": "a", "config": "c0", "missing": 1, "of": 4},
        ],
        "cells_in_all": 2,
    }
    for name in FIGURES:
        assert found[name]["m1"]["datasets"]["a"]["complete"] is False
        assert found[name]["m1"]["overall"]["complete"] is False
        assert "complete" not in found[name]["m1"]["datasets"]["b"]
        assert "complete" not in found[name]["m0"]["overall"]
    assert any("3 of 48 scores are missing" in note for note in found["notes"])


def test_named_gaps_are_bounded() -> None:
    cube = scores(1, 150, 2)
    cube[0, :149, 0] = NAN
    whole = np.ones((1, 150, 2))
    holes = analyse(cube_frame(np.concatenate([whole, cube])), resamples=5)["holes"]
    assert (len(holes["cells"]), holes["cells_in_all"], holes["missing"]) == (100, 149, 149)


def test_an_unscored_row_is_a_hole_and_not_a_wrong_answer() -> None:
    found = analyse(frame({("m", "d", "c", "e"): NAN, ("m", "d", "c", "f"): 0.5}))
    assert found["performance"]["m"]["overall"]["value"] == 0.5
    assert found["holes"]["missing"] == 1
    assert any("1 of 2 rows have no score" in note for note in found["notes"])


def test_a_model_without_a_data_set_has_no_overall_figure() -> None:
    rows = pd.concat([cube_frame(scores(3), "a"), cube_frame(scores(2), "b")])
    found = analyse(rows)
    assert found["performance"]["m2"]["overall"] == {
        "value": None,
        "low": None,
        "high": None,
        "complete": False,
    }
    assert found["performance"]["m2"]["datasets"]["b"]["value"] is None
    assert found["performance"]["m2"]["datasets"]["a"]["value"] is not None
    assert found["rank_intervals"]["m2"] is None
    assert found["rank_intervals"]["m0"][1] <= 2, "it takes no place"
    assert found["separability"]["overall"]["pairs"] == 1
    assert found["separability"]["datasets"]["a"]["pairs"] == 3
    assert "m2 has no score on b, so it has no overall figure" in found["notes"]
    assert summary_rows(found)[-1]["model"] == "m2"


def test_a_model_that_solves_nothing_is_said() -> None:
    cube = np.concatenate([scores(1), np.zeros((1, 6, 8))])
    found = analyse(cube_frame(cube))
    assert found["robustness"]["m1"]["overall"]["value"] == 1.0
    assert found["robustness_solvable"]["m1"]["overall"] == {"value": None, "low": None, "high": None}
    assert any(note.startswith("m1 scores 0 on every example of d") for note in found["notes"])


def test_configurations_that_a_data_set_lacks_have_no_overall_score() -> None:
    rows = pd.concat([cube_frame(scores(1, 3), "a"), cube_frame(scores(1, 2), "b")])
    found = analyse(rows)
    assert list(found["configurations"]["overall"]) == ["c0", "c1"]
    assert any("1 of 3 configurations are not in all data sets" in note for note in found["notes"])
    apart = pd.concat([cube_frame(scores(1, 2), "a"), cube_frame(scores(1, 2), "b").assign(config="other")])
    apart = apart.drop_duplicates(["dataset", "config", "example"])
    assert analyse(apart)["configurations"]["overall"] == {}


@pytest.mark.full
def test_label_keeping_perturbations_alone() -> None:
    rows = cube_frame(scores(), parts=True)
    found = analyse(rows, keeps_labels={"d": ["transpose"]})
    kept = rows[rows["perturbation"] != "shuffle_rows"]
    alone = analyse(kept)
    assert found["label_keeping"] == alone
    assert found["settings"]["configurations"] == {"d": 6}
    assert found["settings"]["keeps_labels"] == {"d": ["transpose"]}
    assert found["label_keeping"]["settings"]["configurations"] == {"d": 4}
    everything = {"d": ["transpose", "shuffle_rows"]}
    assert "label_keeping" not in analyse(rows, keeps_labels=everything)
    unsaid = analyse(cube_frame(scores()), keeps_labels={"d": []})
    assert "label_keeping" not in unsaid
    assert any("say their perturbation" in note for note in unsaid["notes"])
    broken = analyse(rows[rows["perturbation"] == "transpose"], keeps_labels={"d": []})
    assert "label_keeping" not in broken
    assert any("no configuration of d keeps the labels" in note for note in broken["notes"])


def test_serializers_and_perturbations_are_left_out_where_the_scores_do_not_say_them() -> None:
    found = analyse(cube_frame(scores()))
    assert "serializers" not in found
    assert any("serializer" in note and "left out" in note for note in found["notes"])
    rows = cube_frame(scores(), parts=True)
    rows.loc[rows["serializer"] == "s0", "serializer"] = None
    half = analyse(rows)
    assert "serializers" not in half
    assert "perturbations" in half


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "resamples: found 0; expected a whole number from 1 on"),
        ({"level": 1.0}, "level: found 1.0; expected a number between 0 and 1, e.g. 0.95"),
        ({"level": 95}, "level: found 95; expected a number between 0 and 1, e.g. 0.95"),
        ({"seed": 0.5}, "seed: found 0.5; expected a whole number"),
        ({"rankings": 1}, "rankings: found 1; expected a whole number from 2 on"),
        ({"repeats": 0}, "repeats: found 0; expected a whole number from 1 on"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(AnalysisError) as raised:
        analyse(cube_frame(scores()), **options)  # type: ignore[arg-type]
    assert str(raised.value) == message
