"""Variance components: a textbook's, statsmodels', a plain slow ANOVA, and small cases worked by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.analysis.made import as_cube, cube_frame, plain
from tests.studies import population
from torr_plugin.analysis import analyse
from torr_plugin.analysis.complete import crossed
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.decision import least_examples, ratio, relative_error
from torr_plugin.analysis.figures.generalizability import generalizability
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.variance_components import (
    COMPONENTS,
    anova,
    components,
    composite_components,
    dataset_components,
    drawn,
    values,
)

# R. L. Brennan, "Generalizability Theory", Springer 2001, table 3.1, synthetic data set 3: ten persons by
# four items on two occasions; the estimates are those of its section 3.4. Both were typed in from memory, not
# from the book; that the data give all seven figures to four decimals speaks for them. The tests against
# plain sums and statsmodels below do not rest on either.
BRENNAN = np.array(
    [
        [[2, 6, 7, 5], [2, 5, 5, 5]],
        [[4, 5, 6, 7], [6, 7, 5, 7]],
        [[5, 5, 4, 6], [5, 4, 5, 5]],
        [[5, 9, 8, 6], [5, 7, 7, 6]],
        [[4, 3, 5, 6], [4, 5, 6, 4]],
        [[4, 4, 4, 7], [6, 4, 7, 8]],
        [[2, 6, 6, 5], [2, 7, 7, 5]],
        [[3, 4, 4, 5], [6, 6, 6, 4]],
        [[0, 5, 4, 5], [5, 5, 5, 3]],
        [[6, 8, 7, 6], [6, 8, 8, 6]],
    ],
    dtype=float,
)
BRENNANS = {
    "model": 0.5528,
    "configuration": 0.0074,
    "example": 0.4417,
    "model:configuration": 0.1009,
    "model:example": 0.5750,
    "configuration:example": 0.1565,
    "residual": 0.9352,
}
cubes_of_scores = st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(2, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(0, 1))
)


def estimated(scores: np.ndarray) -> dict[str, float]:
    found = anova(scores)
    return {name: float(value) for name, value in components(values(found), found.shape).items()}


def components_of(cubes: list[Cube], options: Options) -> dict[str, Any]:
    return {place: plain(found) for place, found in generalizability(cubes, options).items()}


def plain_components(scores: np.ndarray) -> dict[str, float]:
    """Brennan's T-terms: squared means summed over all cells, in plain loops."""
    axes, cells = {"m": 0, "c": 1, "e": 2}, list(product(*map(range, scores.shape)))

    def t(effect: str) -> float:
        groups: dict[tuple[int, ...], list[float]] = {}
        for cell in cells:
            groups.setdefault(tuple(cell[axes[x]] for x in effect), []).append(float(scores[cell]))
        return sum(sum(group) ** 2 / len(group) for group in groups.values())

    def square(effect: str) -> float:
        total, freedom = 0.0, 1
        for size in range(len(effect) + 1):
            for kept in {"".join(x for x in effect if x in chosen) for chosen in _subsets(effect, size)}:
                total += (-1) ** (len(effect) - size) * t(kept)
        for x in effect:
            freedom *= scores.shape[axes[x]] - 1
        return total / freedom

    ms = {effect: square(effect) for effect in ("m", "c", "e", "mc", "me", "ce", "mce")}
    m, c, e = scores.shape
    return {
        "model": (ms["m"] - ms["mc"] - ms["me"] + ms["mce"]) / (c * e),
        "configuration": (ms["c"] - ms["mc"] - ms["ce"] + ms["mce"]) / (m * e),
        "example": (ms["e"] - ms["me"] - ms["ce"] + ms["mce"]) / (m * c),
        "model:configuration": (ms["mc"] - ms["mce"]) / e,
        "model:example": (ms["me"] - ms["mce"]) / c,
        "configuration:example": (ms["ce"] - ms["mce"]) / m,
        "residual": ms["mce"],
    }


def _subsets(effect: str, size: int) -> list[set[str]]:
    chosen = [
        {x for x, bit in zip(effect, bits, strict=True) if bit}
        for bits in product((0, 1), repeat=len(effect))
    ]
    return [subset for subset in chosen if len(subset) == size]


def test_the_textbooks_components() -> None:
    assert estimated(BRENNAN) == pytest.approx(BRENNANS, abs=5e-5)
    # section 4.1: with its own four items and two occasions
    parts = {name: np.asarray(value) for name, value in BRENNANS.items()}
    assert float(relative_error(parts, 2, 4)) == pytest.approx(0.3111, abs=5e-5)
    assert float(ratio(parts["model"], relative_error(parts, 2, 4))) == pytest.approx(0.64, abs=0.001)
    assert float(ratio(parts["model"], relative_error(parts, np.inf, np.inf))) == 1


@given(cubes_of_scores)
def test_components_are_a_plain_anovas(scores: np.ndarray) -> None:
    assert estimated(scores) == pytest.approx(plain_components(scores), abs=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_components_are_statsmodels_reml() -> None:
    """In balanced designs the two are equal where no estimate is negative (Searle et al. 1992, 4.6)."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    rows = cube_frame(BRENNAN[:, :, :3] / 10).assign(all=1)
    ours = estimated(BRENNAN[:, :, :3] / 10)
    assert min(ours.values()) > 0, "else the two differ"
    formula = {
        "model": "0 + C(model)",
        "configuration": "0 + C(config)",
        "example": "0 + C(example)",
        "model:configuration": "0 + C(model):C(config)",
        "model:example": "0 + C(model):C(example)",
        "configuration:example": "0 + C(config):C(example)",
    }
    rows["score"] *= 10  # its optimizer stops early among small numbers
    fitted = MixedLM.from_formula("score ~ 1", groups="all", vc_formula=formula, data=rows).fit(reml=True)
    names = fitted.model.exog_vc.names
    theirs = {**dict(zip(names, fitted.vcomp, strict=True)), "residual": fitted.scale}
    assert theirs == pytest.approx({name: 100 * value for name, value in ours.items()}, abs=0.01)


@pytest.mark.full
def test_unbiased_by_simulation() -> None:
    rng = np.random.default_rng(0)
    base = population(rng, models=5, configurations=4, kind="unbounded")
    found = [estimated(base.with_fresh_configurations(rng, 4).draw(rng, 6)[0]) for _ in range(2000)]
    spread = base.spread
    truth = {
        "model": base.model[0].var(ddof=1),
        "configuration": spread.configuration**2,
        "example": spread.example**2,
        "model:configuration": spread.model_configuration**2,
        "model:example": spread.model_example**2,
        "configuration:example": spread.configuration_example**2,
        "residual": spread.residual**2,
    }
    for name in COMPONENTS:
        here = np.array([one[name] for one in found])
        assert abs(here.mean() - truth[name]) < 4 * here.std() / np.sqrt(len(here)), name


def test_the_composite_of_one_data_set_is_the_data_set() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((4, 3, 5))
    own = dataset_components(anova(scores), rng, 10)
    composed = composite_components(scores.mean(axis=2), [own], rng, 10)
    for name in COMPONENTS:
        assert float(composed.estimates[name]) == pytest.approx(float(own.estimates[name]), abs=1e-12)
    assert float(composed.error) == pytest.approx(float(own.error), abs=1e-12)


def test_the_composite_is_the_mean_of_covariances_between_data_sets() -> None:
    """Brennan 2001, section 9.2: a covariance component from mean products; none of examples, not shared."""
    rng = np.random.default_rng(2)
    base = population(rng, models=5, configurations=4, datasets=3)
    scores = [base.draw(rng, n)[d] for d, n in enumerate((6, 9, 7))]
    parts = [dataset_components(anova(cube), rng, 5) for cube in scores]
    found = composite_components(np.mean([cube.mean(axis=2) for cube in scores], axis=0), parts, rng, 5)
    m, mc = np.zeros((3, 3)), np.zeros((3, 3))
    tables = [cube.mean(axis=2) for cube in scores]
    for a, b in product(range(3), repeat=2):
        if a == b:
            m[a, a], mc[a, a] = parts[a].estimates["model"], parts[a].estimates["model:configuration"]
            continue
        left, right = (t - t.mean(1, keepdims=True) - t.mean(0) + t.mean() for t in (tables[a], tables[b]))
        mc[a, b] = (left * right).sum() / (4 * 3)
        m[a, b] = np.cov(tables[a].mean(1), tables[b].mean(1))[0, 1] - mc[a, b] / 4
    assert float(found.estimates["model"]) == pytest.approx(m.mean(), abs=1e-12)
    assert float(found.estimates["model:configuration"]) == pytest.approx(mc.mean(), abs=1e-12)
    each = sum(float(part.estimates["model:example"]) for part in parts) / 9
    assert float(found.estimates["model:example"]) == pytest.approx(each, abs=1e-12)


def test_draws_have_the_chi_square_quantiles_of_a_mean_square() -> None:
    from scipy import stats

    square = replace(anova(BRENNAN).squares["model:example"], freedom=27.0)
    found = np.quantile(drawn(square, np.random.default_rng(0), 200_000), [0.025, 0.975])
    expected = square.value * 27 / stats.chi2.ppf([0.975, 0.025], 27)
    assert found == pytest.approx(expected, rel=0.01)


def test_the_shape_of_the_figures() -> None:
    found = components_of([as_cube(BRENNAN / 10)], Options(resamples=200))
    assert set(found) == {"overall", "d"}
    assert found["d"]["components"] == found["overall"]["components"]
    for name, figure in found["d"]["components"].items():
        assert figure["value"] == pytest.approx(BRENNANS[name] / 100, abs=5e-7)
        assert figure["low"] <= figure["value"] <= figure["high"]
    assert sum(figure["share"] for figure in found["d"]["components"].values()) == pytest.approx(1)
    coefficient_ = found["d"]["coefficient"]
    assert coefficient_["value"] == pytest.approx(0.64, abs=0.001)
    assert 0 <= coefficient_["low"] < 0.64 < coefficient_["high"] <= 1
    assert (found["d"]["models"], found["d"]["configurations"], found["d"]["examples"]) == (10, 2, 4)
    assert found["d"]["notes"] == []


def test_negative_estimates_are_shown_as_0_and_said() -> None:
    # by hand: the cells of two models are each other's mirror, so nothing but interactions is there
    scores = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    assert estimated(scores)["model"] == pytest.approx(2 / 4)
    assert estimated(scores)["model:configuration"] == pytest.approx(-2 / 2)
    found = components_of([as_cube(scores)], Options(resamples=50))["d"]
    assert found["components"]["model:configuration"]["value"] == 0
    assert found["notes"] == [
        "estimated below 0, so shown as 0: model:configuration, model:example, configuration:example"
    ]


@pytest.mark.parametrize(
    ("shape", "names"),
    [((1, 3, 4), "model"), ((3, 1, 4), "configuration"), ((3, 4, 1), "example"), ((3, 1, 1), None)],
)
def test_one_of_a_kind_tells_nothing_apart(shape: tuple[int, int, int], names: str | None) -> None:
    found = components_of([as_cube(np.random.default_rng(0).random(shape))], Options())["overall"]
    assert found["coefficient"] == {"value": None, "low": None, "high": None}
    assert found["components"]["model"] == {"value": None, "low": None, "high": None, "share": None}
    said = f"one {names}" if names else "one configuration and one example"
    assert found["notes"] == [f"{said} only: components cannot be estimated"]


def test_constant_scores_have_no_variance_and_no_coefficient() -> None:
    found = components_of([as_cube(np.full((3, 4, 5), 0.1))], Options(resamples=20))["d"]
    assert all(abs(figure["value"]) < 1e-12 for figure in found["components"].values())
    assert found["components"]["model"]["share"] is None
    assert found["coefficient"]["value"] is None


def test_holes_leave_the_largest_part_without_any() -> None:
    rng = np.random.default_rng(3)
    whole = rng.random((5, 3, 6))
    holed = whole.copy()
    holed[3] = np.nan
    holed[1:3, 2] = np.nan
    holed[0, 0, 4] = np.nan
    holed[:, :, 5] = np.nan
    part = crossed([as_cube(holed)])
    assert part.left_out == {"models": 1, "configurations": 1, "examples": 2}
    np.testing.assert_array_equal(part.cubes[0].scores, holed[np.ix_([0, 1, 2, 4], [0, 1], [0, 1, 2, 3])])
    found = components_of([as_cube(holed)], Options(resamples=20))["d"]
    assert (found["models"], found["configurations"], found["examples"]) == (4, 2, 4)
    alone = components_of([part.cubes[0]], Options(resamples=20))["d"]
    assert found["components"] == alone["components"]
    model, configuration = as_cube(holed).models[3], as_cube(holed).configurations[2]
    assert found["notes"][0] == (
        "left out, since not every model has a score in every configuration: "
        f"1 model ({model}), 1 configuration ({configuration}), 2 examples"
    )


def test_examples_of_one_table_count_as_one() -> None:
    """Each question asked four times: the components with examples are four times those of one, as in n."""
    rng = np.random.default_rng(8)
    once = rng.random((4, 3, 10))
    asked = np.repeat(once, 4, axis=2)
    cube = replace(as_cube(asked), clusters=np.repeat(np.arange(10), 4))
    own, expected = (components_of([one], Options(resamples=50))["d"] for one in (cube, as_cube(once)))
    assert own["coefficient"] == pytest.approx(expected["coefficient"])
    for name in ("model:example", "residual"):
        assert own["components"][name]["value"] == pytest.approx(4 * expected["components"][name]["value"])
    assert own["notes"][0].startswith("the 40 examples are about 10 tables: ")
    single = replace(cube, clusters=np.zeros(40, dtype=np.int64))
    found = components_of([single], Options(resamples=50))["d"]
    assert found["notes"] == ["one table only: components cannot be estimated"]


def test_data_sets_with_other_configurations_have_no_overall_figure() -> None:
    rng = np.random.default_rng(4)
    one, two = as_cube(rng.random((3, 3, 5)), "a"), as_cube(rng.random((3, 3, 5)), "b")
    found = components_of([one, replace(two, configurations=("x", "y", "z"))], Options(resamples=20))
    assert found["overall"]["coefficient"]["value"] is None
    assert found["overall"]["notes"] == [
        "left out, since not every model has a score in every configuration: "
        "6 configurations (c000, c001, c002, x, y and 1 more)",
        "no configuration only: components cannot be estimated",
    ]
    assert found["a"]["coefficient"]["value"] is not None
    empty = as_cube(np.full((3, 3, 5), np.nan), "b")
    assert components_of([one, empty], Options(resamples=20))["overall"]["coefficient"]["value"] is None


@pytest.mark.full
def test_analyse_has_it_also_for_label_keeping_perturbations() -> None:
    rows = cube_frame(np.random.default_rng(5).random((3, 6, 8)), parts=True)
    found = analyse(rows, keeps_labels={"d": ["transpose"]}, resamples=20)
    alone = analyse(rows[rows["perturbation"] != "shuffle_rows"], resamples=20)
    assert found["label_keeping"]["generalizability"] == alone["generalizability"]
    shuffled = analyse(rows.sample(frac=1, random_state=1), resamples=20)
    assert shuffled["generalizability"] == found["generalizability"]


@given(
    st.dictionaries(
        st.sampled_from(["model:configuration", "model:example", "residual"]),
        st.floats(-0.1, 1),
        min_size=3,
        max_size=3,
    ),
    st.integers(1, 50),
    st.floats(0.01, 2),
)
def test_the_least_number_of_examples_is_the_least(
    parts: dict[str, float], configurations: int, error: float
) -> None:
    given_parts = {name: np.asarray(value) for name, value in parts.items()}
    n = float(least_examples(given_parts, configurations, error))
    if np.isinf(n):
        assert float(relative_error(given_parts, configurations, 1e12)) >= error * (1 - 1e-6)
        return
    assert float(relative_error(given_parts, configurations, n)) <= error * (1 + 1e-6) + 1e-12
    if n > 1:
        assert float(relative_error(given_parts, configurations, n - 1)) > error * (1 - 1e-6)
