"""Win rates: the paper's counting by hand, and plain loops on any scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.analysis.made import cube_frame
from torr_plugin.analysis.figures.factor_scores import example_win_rates

from . import plain_parts as plain
from .plain_parts import Cell, same

NAN = float("nan")


@pytest.mark.parametrize(
    ("scores", "rates"),
    [
        # counted (2, 0, 0, 3), five wins
        ([0.5, 0.2, 0.2, 0.9], [0.4, 0.0, 0.0, 0.6]),
        ([0.1, 0.2, 0.3], [0.0, 1 / 3, 2 / 3]),
        ([0.3, 0.3, 0.3], [NAN, NAN, NAN]),
        ([1.0], [NAN]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
        ([0.5, NAN, 0.2], [1.0, 0.0, 0.0]),
        # equal but for a rounding error
        ([0.1 + 0.2, 0.3, 0.0], [0.5, 0.5, 0.0]),
    ],
)
def test_the_counting_of_the_paper(scores: list[float], rates: list[float]) -> None:
    found = example_win_rates(np.array(scores)[None, :, None])[0, :, 0]
    assert found == pytest.approx(np.array(rates), nan_ok=True)


def test_by_hand() -> None:
    """Two models, two serializers with two perturbations each, two examples."""
    scores = {}
    table = {  # per model and example the mean of a and of b
        ("m0", "e0"): (0.5, 0.25),
        ("m0", "e1"): (0.5, 0.5),
        ("m1", "e0"): (0.0, 1.0),
        ("m1", "e1"): (0.0, 0.25),
    }
    for (model, example), (a, b) in table.items():
        for name, value in (("a", a), ("b", b)):
            for sign, kind in ((1, "none"), (-1, "transpose")):
                shift = sign * min(value, 1 - value) / 2  # the mean over perturbations counts
                scores[Cell(model, "d", name, kind, "x", example)] = value + shift
    rates = plain.figures(plain.frame(scores), resamples=500)["serializers"]["win_rates"]
    assert rates["models"]["m0"]["a"]["value"] == 1.0  # of one example that has a win
    assert rates["models"]["m1"]["a"]["value"] == 0.0
    assert rates["datasets"]["d"]["a"]["value"] == pytest.approx(1 / 3)  # of three examples that have a win
    assert rates["overall"] == rates["datasets"]["d"]
    sums = [sum(figure["value"] for figure in rates["overall"].values())]
    assert sums == pytest.approx([1.0])
    assert 0.0 <= rates["overall"]["a"]["low"] <= 0.33 < rates["overall"]["a"]["high"] <= 1.0


def test_nothing_wins_where_all_tie() -> None:
    found = plain.figures(cube_frame(np.full((2, 6, 3), 0.5), parts=True))
    for part in ("serializers", "perturbations"):
        rates = found[part]["win_rates"]
        for figure in [*rates["overall"].values(), *rates["models"]["m0"].values()]:
            assert figure == {"value": None, "low": None, "high": None, "complete": False}
    assert found["serializers"]["choice"]["models"]["m0"]["datasets"]["d"][-1]["behind"]["value"] == 0.0


@pytest.mark.full
@given(plain.whole())
@settings(max_examples=10, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))
    for part in ("serializer", "perturbation"):
        _check(found[f"{part}s"]["win_rates"], plain.at_one_design(cells, part), part, whole=True)


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=10, deadline=None)
def test_holes_take_no_part(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))
    for part in ("serializer", "perturbation"):
        asked = plain.at_one_design(cells, part)
        asked = plain.widely_asked(asked) if part == "serializer" else asked
        _check(found[f"{part}s"]["win_rates"], asked, part, whole=False)


def _check(rates: dict, cells: dict[Cell, float], part: str, *, whole: bool) -> None:
    by_dataset = {name: plain.where(cells, dataset=name) for name in plain.values(cells, "dataset")}
    for dataset, own in by_dataset.items():
        alike = plain.comparable_cells(own, part)
        names = plain.named(own, part)
        lists = [rate for each in plain.plain_win_lists(alike, part, names).values() for rate in each]
        assert set(rates["datasets"][dataset]) == set(names)
        for name in names:
            expected = plain.mean(rate.get(name, 0.0) for rate in lists)
            assert same(rates["datasets"][dataset][name]["value"], expected)
    shared = [
        name
        for name in plain.values(cells, part)
        if all(name in plain.named(d, part) for d in by_dataset.values())
    ]
    assert set(rates["overall"]) == set(shared)
    together = {
        name: plain.comparable_cells({c: s for c, s in own.items() if getattr(c, part) in shared}, part)
        for name, own in by_dataset.items()
    }
    lists_of = {name: plain.plain_win_lists(own, part, shared) for name, own in together.items()}
    for name in shared:
        pooled = [[r.get(name, 0.0) for each in lists.values() for r in each] for lists in lists_of.values()]
        known = [plain.mean(one) for one in pooled if one]
        figure = rates["overall"][name]
        assert same(figure["value"], plain.mean(known))  # type: ignore[arg-type]
        if whole:
            assert ("complete" in figure) == (len(known) < len(by_dataset))
        for model in plain.values(cells, "model"):
            if not all(_scored(own, model, part, shared) for own in together.values()):
                assert rates["models"][model][name]["value"] is None
                continue
            own_lists = [lists[model] for lists in lists_of.values()]
            means = [plain.mean(r.get(name, 0.0) for r in one) for one in own_lists if one]
            assert same(rates["models"][model][name]["value"], plain.mean(means))  # type: ignore[arg-type]


def _scored(cells: dict[Cell, float], model: str, part: str, names: list[str]) -> bool:
    return any(cell.model == model and getattr(cell, part) in names for cell in cells)


def test_a_missing_score_is_marked() -> None:
    cube = np.random.default_rng(0).random((2, 6, 5))
    cube[1, 2, 3] = NAN
    rates = plain.figures(cube_frame(cube, parts=True))["serializers"]["win_rates"]
    assert all("complete" not in figure for figure in rates["models"]["m0"].values())
    for figures in (rates["models"]["m1"], rates["overall"], rates["datasets"]["d"]):
        assert all(figure["complete"] is False for figure in figures.values())
