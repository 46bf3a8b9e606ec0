"""What perturbations change: by hand, and plain loops on any scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from torr_plugin.analysis import analyse

from . import plain_parts as plain
from .plain_parts import Cell, same


def by_hand() -> dict[Cell, float]:
    """A serializer that gains by the perturbation and one that loses: the difference hides what happens."""
    scores = {
        ("a", "none"): (0.5, 0.0),
        ("a", "transpose"): (1.0, 0.5),
        ("b", "none"): (1.0, 0.5),
        ("b", "transpose"): (0.5, 0.25),
    }
    return {
        Cell("m", "d", serializer, kind, "x", f"e{e}"): score
        for (serializer, kind), row in scores.items()
        for e, score in enumerate(row)
    }


def test_what_one_format_gains_the_other_loses() -> None:
    found = plain.figures(plain.frame(by_hand()), resamples=500)["perturbations"]
    difference = found["differences"]["overall"]["m"]["transpose"]
    assert difference["value"] == pytest.approx((0.0 + 0.125) / 2)
    assert difference["few"], "two examples"
    assert found["differences"]["d"] == found["differences"]["overall"]
    assert found["average"] == {place: own["m"] for place, own in found["differences"].items()}
    assert set(found["differences"]["d"]["m"]) == {"transpose"}, "none is what the others are compared with"


def test_another_design_changes_nothing() -> None:
    cells = by_hand()
    alone = plain.figures(plain.frame(cells))["perturbations"]
    cells |= {cell._replace(design="y"): 1 - score for cell, score in cells.items()}
    found = plain.figures(plain.frame(cells))["perturbations"]
    assert found == {**alone, "at_design": {"d": "x"}}


def test_designs_that_the_scores_do_not_say_cannot_be_told_apart() -> None:
    cells = by_hand()
    cells |= {cell._replace(design="y"): 1 - score for cell, score in cells.items()}
    rows = plain.frame(cells)
    found = plain.figures(rows.drop(columns="design"))
    assert "differences" not in found["perturbations"]
    assert any(
        "d: configurations 'a/none/x' and 'a/none/y' have the same serializer" in note
        for note in found["notes"]
    )
    one = rows[rows["design"] == "x"]
    assert (
        plain.figures(one)["perturbations"]["differences"]
        == plain.figures(one.drop(columns="design"))["perturbations"]["differences"]
    )


def test_a_perturbed_configuration_without_an_unperturbed_one_is_said() -> None:
    rows = plain.frame(by_hand())
    found = plain.figures(rows[rows["config"] != "b/none/x"])
    assert found["perturbations"]["differences"]["d"]["m"]["transpose"]["value"] == pytest.approx(0.5)
    assert any("the first is 'b/transpose/x'" in note for note in found["notes"])
    nothing = plain.figures(rows[rows["perturbation"] != "none"])
    assert "differences" not in nothing["perturbations"]
    assert any("2 perturbed configurations" in note for note in nothing["notes"])


def test_without_serializers_there_are_no_pairs() -> None:
    rows = plain.frame(by_hand())
    rows.loc[rows["serializer"] == "a", "serializer"] = None
    found = plain.figures(rows)
    assert "differences" not in found["perturbations"]
    assert any("not all configurations of d say their format" in note for note in found["notes"])


@pytest.mark.full
@given(plain.whole())
@settings(max_examples=8, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))["perturbations"]
    _check(found, plain.at_one_design(cells, "perturbation"))


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=8, deadline=None)
def test_holes_leave_their_pair_out(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))["perturbations"]
    _check(found, plain.at_one_design(cells, "perturbation"))


def _check(found: dict[str, Any], cells: dict[Cell, float]) -> None:
    by_dataset = {name: plain.where(cells, dataset=name) for name in plain.values(cells, "dataset")}
    pairs = {name: _paired(own) for name, own in by_dataset.items()}
    if not any(pairs.values()):
        assert "differences" not in found
        return
    models = plain.values(cells, "model")
    for dataset, own in by_dataset.items():
        for kind in pairs[dataset]:
            for model in models:
                changes = plain.plain_changes(own, model, kind)
                figure = found["differences"][dataset][model][kind]
                assert same(figure["value"], plain.mean(map(np.mean, changes)))  # type: ignore[arg-type]
    for kind in set.intersection(*pairs.values()):
        for model in models:
            lists = [plain.plain_changes(own, model, kind) for own in by_dataset.values()]
            figure = found["differences"]["overall"][model][kind]
            whole = all(lists)
            means = [plain.mean(map(np.mean, one)) for one in lists if one]  # type: ignore[arg-type]
            assert same(figure["value"], plain.mean(means) if whole else None)  # type: ignore[arg-type]


def _paired(cells: dict[Cell, float]) -> set[str]:
    """The perturbations some model was asked with, and also in the same way without."""
    there = {(cell.serializer, cell.design) for cell in cells if cell.perturbation == "none"}
    return {
        cell.perturbation
        for cell in cells
        if cell.perturbation != "none" and (cell.serializer, cell.design) in there
    }


@pytest.mark.full
def test_label_keeping_perturbations_alone_have_all_figures_of_parts() -> None:
    rng = np.random.default_rng(0)
    cells = {
        Cell(f"m{m}", d, s, p, "x", f"e{e}"): float(rng.random())
        for m in range(2)
        for d in ("a", "b")
        for s in ("s0", "s1")
        for p in plain.KINDS
        for e in range(4)
    }
    rows = plain.frame(cells)
    found = analyse(rows, keeps_labels={"a": ["shuffle"], "b": ["shuffle"]}, resamples=20)["label_keeping"]
    alone = analyse(rows[rows["perturbation"] != "transpose"], resamples=20)
    for name in ("configurations", "serializers", "perturbations", "difficulty"):
        assert found[name] == alone[name]
    uneven = analyse(rows, keeps_labels={"a": ["shuffle"], "b": []}, resamples=20)["label_keeping"]
    assert "overall" not in uneven["perturbations"]["differences"]
    assert set(uneven["perturbations"]["differences"]["a"]["m0"]) == {"shuffle"}
