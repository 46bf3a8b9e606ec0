"""Groups of models: open against closed, families by size; by hand, and plain loops on any scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.analysis.made import as_cube, cube_frame, plain
from tests.analysis.plain_parts import same
from torr_plugin.analysis import AnalysisError, analyse
from torr_plugin.analysis.descriptions import Description
from torr_plugin.analysis.estimates import Estimate, ExampleValues, estimates, overall_estimates, resampled
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.statistics import example_means
from torr_plugin.papers.torr.model_groups import model_groups

NAN = float("nan")
NO_FIGURE = {"value": None, "low": None, "high": None}
MODELS = {
    "m0": {"family": "llama", "size": 8, "open": True},
    "m1": {"family": "llama", "size": 70.0, "open": True},
    "m2": {"family": "gpt", "open": False},
    "m3": {"open": False},
}


def flat(*values: float) -> pd.DataFrame:
    """A model a value, the same on every example."""
    return cube_frame(np.array(values)[:, None, None] * np.ones((1, 2, 3)))


def test_openness_by_hand() -> None:
    groups = analyse(flat(0.25, 0.5, 0.75, 1.0), models=MODELS, resamples=5)["groups"]
    openness = groups["openness"]
    assert openness["models"] == {"open": ["m0", "m1"], "closed": ["m2", "m3"]}
    overall = openness["performance"]["overall"]
    assert (overall["open"]["value"], overall["closed"]["value"]) == (0.375, 0.875)
    assert overall["difference"] == {"value": 0.5, "low": 0.5, "high": 0.5}, "the same on every example"
    assert openness["performance"]["d"] == openness["performance"]["overall"]
    assert openness["robustness"]["overall"]["difference"]["value"] == 0.0


def test_the_intervals_of_groups_are_those_of_their_examples() -> None:
    """A group's mean has a score interval, as a model's has; a difference has Student's, on each example."""
    scores = np.random.default_rng(0).random((4, 2, 30))
    groups = analyse(cube_frame(scores), models=MODELS, resamples=5)["groups"]
    found = groups["openness"]["performance"]["overall"]
    group = np.stack([scores[:2].mean(axis=0), scores[2:].mean(axis=0)])
    alone = analyse(cube_frame(group), resamples=5)["performance"]
    assert found["open"] == pytest.approx(alone["m0"]["overall"])
    difference = group[1].mean(axis=0) - group[0].mean(axis=0)
    expected = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
    assert (found["difference"]["low"], found["difference"]["high"]) == pytest.approx(tuple(expected))
    llama = groups["families"]["families"]["llama"]
    larger = stats.ttest_rel(scores[1].mean(axis=0), scores[0].mean(axis=0)).confidence_interval(0.95)
    assert (llama["difference"]["low"], llama["difference"]["high"]) == pytest.approx(tuple(larger))


def test_no_groups_differ_by_more_than_1() -> None:
    scores = np.ones((4, 2, 10))
    scores[:2, :, 1:] = 0
    groups = analyse(cube_frame(scores), models=MODELS, resamples=5)["groups"]
    found = groups["openness"]["performance"]["overall"]["difference"]
    assert (found["value"], found["high"]) == (0.9, 1.0)


def test_families_by_hand() -> None:
    families = analyse(flat(0.25, 0.5, 0.75, 1.0), models=MODELS, resamples=5)["groups"]["families"]
    llama = families["families"]["llama"]
    assert [(entry["model"], entry["size"]) for entry in llama["models"]] == [("m0", 8.0), ("m1", 70.0)]
    assert llama["models"][0]["performance"]["value"] == 0.25
    assert llama["difference"]["value"] == llama["absolute_difference"]["value"] == 0.25
    assert llama["per_doubling"]["value"] == pytest.approx(0.25 / np.log2(70 / 8))
    gpt = families["families"]["gpt"]
    assert gpt["pairs"] == 0
    assert gpt["difference"] == gpt["absolute_difference"] == gpt["per_doubling"] == NO_FIGURE
    assert gpt["models"][0]["size"] is None
    assert families["overall"]["pairs"] == 1


def families_of(figures: Mapping[str, Estimate], families: Mapping[str, str]) -> dict[str, Any]:
    """What is said of the families of four models with these overall figures."""
    names = ["m0", "m1", "m2", "m3"]
    described = {name: Description(family=families.get(name)) for name in names}
    found = plain(model_groups(names, {"overall": figures}, described, 0.95))
    return dict(found["families"])


@pytest.mark.full
def test_the_interval_of_absolute_differences_allows_for_noise() -> None:
    """Equal models differ by chance, and resamples of the difference's size never reach 0."""
    rng = np.random.default_rng(1)
    covered, held = [], []
    for seed in range(40):
        scores = rng.random((4, 2, 30))
        scores[3] = np.clip(scores[3] + 0.5, 0, 1)
        cube, options = as_cube(scores, "d"), Options(resamples=100, seed=seed)
        overall = overall_estimates([estimates(cube)])
        drawn = resampled(example_means(cube.scores), cube, options)
        overall["performance"] = replace(overall["performance"], samples=drawn)
        found = families_of(overall, {"m0": "equal", "m1": "equal", "m2": "equal", "m3": "other"})
        figure = found["families"]["equal"]["absolute_difference"]
        assert 0 <= figure["low"] <= figure["value"] <= figure["high"]
        covered.append(figure["low"] == 0)
        # two models 0.375 apart
        figure = families_of(overall, {"m0": "apart", "m3": "apart"})["overall"]["absolute_difference"]
        held.append(0.15 < figure["low"] <= 0.375 <= figure["high"])
    assert np.mean(covered) >= 0.9
    assert np.mean(held) >= 0.9


def test_a_larger_model_that_is_worse_and_sizes_that_are_not_known() -> None:
    models: dict[str, dict[str, Any]] = {f"m{i}": {"family": "x"} for i in range(3)}
    scores = flat(0.5, 0.25, 1.0)
    unknown = analyse(scores, models=models, resamples=5)["groups"]["families"]["overall"]
    assert unknown["pairs"] == 3
    assert unknown["absolute_difference"]["value"] == pytest.approx((0.25 + 0.5 + 0.75) / 3)
    assert unknown["difference"] == NO_FIGURE
    models["m0"]["size"], models["m1"]["size"] = 1, 2
    worse = analyse(scores, models=models, resamples=5)["groups"]["families"]
    assert worse["overall"]["difference"]["value"] == -0.25
    assert worse["families"]["x"]["per_doubling"]["value"] == pytest.approx(-0.25)
    assert [entry["model"] for entry in worse["families"]["x"]["models"]] == ["m0", "m1", "m2"]


def test_a_model_without_a_figure_is_left_out_and_marked() -> None:
    rows = pd.concat([flat(0.25, 0.5, 0.75, 1.0), flat(0.5, 0.5, 0.5).assign(dataset="other")])
    found = analyse(rows, models=MODELS, resamples=5)["groups"]
    closed = found["openness"]["performance"]["overall"]["closed"]
    assert (closed["value"], closed["complete"]) == (0.625, False)
    assert found["openness"]["performance"]["overall"]["difference"]["complete"] is False
    assert "complete" not in found["openness"]["performance"]["d"]["closed"]


def test_one_group_alone_has_no_difference() -> None:
    found = analyse(flat(0.5), models={"m0": {"open": True}}, resamples=5)["groups"]
    assert found["openness"]["performance"]["overall"]["difference"] == NO_FIGURE
    assert found["openness"]["performance"]["overall"]["closed"] == NO_FIGURE
    assert "families" not in found


@pytest.mark.full
def test_label_keeping_perturbations_alone_have_groups_too() -> None:
    rows = cube_frame(np.random.default_rng(0).random((2, 6, 4)), parts=True)
    found = analyse(rows, models=MODELS, keeps_labels={"d": ["transpose"]}, resamples=20)
    alone = analyse(rows[rows["perturbation"] != "shuffle_rows"], models=MODELS, resamples=20)
    assert found["label_keeping"]["groups"] == alone["groups"]


def test_models_that_are_not_described_or_not_there_are_said() -> None:
    found = analyse(flat(0.5, 0.5), models={"m0": {"open": True}, "m1": {}, "gone": {"size": 3}}, resamples=5)
    assert "described, but without a score: gone" in found["notes"]
    assert "not described (family, size, open), so not in the groups of models: m1" in found["notes"]
    plain = analyse(flat(0.5, 0.5), resamples=5)
    assert "groups" not in plain
    assert not any("described" in note for note in plain["notes"])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"size": "70b"},
            "models: m0: size: found '70b'; expected a number above 0, in billions of parameters",
        ),
        ({"size": 0}, "models: m0: size: found 0; expected a number above 0, in billions of parameters"),
        (
            {"size": True},
            "models: m0: size: found True; expected a number above 0, in billions of parameters",
        ),
        ({"size": NAN}, "models: m0: size: found nan; expected a number above 0, in billions of parameters"),
        ({"open": "yes"}, "models: m0: open: found 'yes'; expected true or false"),
        ({"open": 1}, "models: m0: open: found 1; expected true or false"),
        ({"family": 3}, "models: m0: family: found 3; expected text"),
        ("llama", "models: m0: found 'llama'; expected a mapping with family, size, open"),
    ],
)
def test_wrong_descriptions(said: Any, message: str) -> None:
    with pytest.raises(AnalysisError) as raised:
        analyse(flat(0.5), models={"m0": said})
    assert str(raised.value) == message


DESCRIBED = st.builds(
    Description,
    family=st.sampled_from([None, "x", "y"]),
    size=st.sampled_from([None, 1.0, 8.0, 70.0]),
    open=st.sampled_from([None, True, False]),
)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.4, 0.4, 0.9, NAN]), DESCRIBED), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_any_models_as_the_slow_reference(models: list[tuple[float, Description]]) -> None:
    names = [f"m{i}" for i in range(len(models))]
    values = {name: value for name, (value, _) in zip(names, models, strict=True)}
    described = {name: one for name, (_, one) in zip(names, models, strict=True)}
    array = np.array(list(values.values()))
    parts = (ExampleValues(array[:, None].repeat(4, axis=1), np.arange(4)),)
    estimate = Estimate(array, parts, array[:, None].repeat(4, axis=1))
    figures = {"performance": estimate, "robustness": estimate}
    groups = model_groups(names, {"overall": figures}, described, 0.95)
    found = {} if groups is None else plain(groups)
    _check_openness(found.get("openness"), values, described)
    _check_families(found.get("families"), values, described)


def _check_openness(
    found: dict[str, Any] | None, values: Mapping[str, float], described: Mapping[str, Description]
) -> None:
    if found is None:
        assert all(one.open is None for one in described.values())
        return
    means = {}
    for name, flag in (("open", True), ("closed", False)):
        known = [v for m, v in values.items() if described[m].open is flag and not np.isnan(v)]
        means[name] = fmean(known) if known else None
        assert same(found["performance"]["overall"][name]["value"], means[name])
    both = None not in means.values()
    expected = means["closed"] - means["open"] if both else None  # type: ignore[operator]
    assert same(found["performance"]["overall"]["difference"]["value"], expected)


def _check_families(
    found: dict[str, Any] | None, values: Mapping[str, float], described: Mapping[str, Description]
) -> None:
    absolute, signed = [], []
    for one, other in combinations(values, 2):
        if described[one].family is None or described[one].family != described[other].family:
            continue
        if np.isnan([values[one], values[other]]).any():
            continue
        absolute.append(abs(values[one] - values[other]))
        sizes = described[one].size, described[other].size
        if None not in sizes and sizes[0] != sizes[1]:
            larger, smaller = (one, other) if sizes[0] > sizes[1] else (other, one)  # type: ignore[operator]
            signed.append(values[larger] - values[smaller])
    if found is None:
        assert all(one.family is None for one in described.values())
        return
    assert found["overall"]["pairs"] == len(absolute)
    assert same(found["overall"]["absolute_difference"]["value"], fmean(absolute) if absolute else None)
    assert same(found["overall"]["difference"]["value"], fmean(signed) if signed else None)
    for family, entry in found["families"].items():
        known = [m for m in values if described[m].family == family and described[m].size is not None]
        known = [m for m in known if not np.isnan(values[m])]
        sizes = [described[m].size for m in known]
        slope = None
        if len(set(sizes)) > 1:
            slope = float(np.polyfit(np.log2(sizes), [values[m] for m in known], 1)[0])  # type: ignore[arg-type]
        assert same(entry["per_doubling"]["value"], slope)
