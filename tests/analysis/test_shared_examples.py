"""Comparisons within a model over what all of it was asked: published tables, and cubes worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import as_cube, cube_frame
from torr_plugin.analysis import analyse
from torr_plugin.analysis.shared_examples import comparable_configurations, scored_examples

from . import plain_parts as plain
from .plain_parts import Cell

NAN = float("nan")


@pytest.fixture(scope="module")
def toon(shared_data: Path) -> dict[str, Any]:
    """Six formats on 244 questions; csv was asked about the 109 on flat tables alone."""
    found = pd.read_parquet(shared_data / "toon" / "answers.parquet")
    columns = {"questionId": "example", "format": "config", "isCorrect": "score"}
    rows = found.rename(columns=columns).assign(dataset="one", metric="em", serializer=found["format"])
    return analyse(rows, resamples=50)


FLAT = {"toon": 275, "csv": 271, "json-pretty": 263, "xml": 262, "yaml": 261, "json-compact": 253}
"""Right answers of 436, four models' on the flat questions, in the authors' retrieval-accuracy.md."""
ALL = {"toon": 705, "json-pretty": 697, "xml": 690, "yaml": 684, "json-compact": 673}
"""Likewise of 976 on all questions."""


def test_accuracies_on_the_flat_questions_are_as_their_authors_give_them(toon: dict[str, Any]) -> None:
    scores = {name: np.mean(list(of.values())) for name, of in toon["configurations"]["one"].items()}
    assert {name: round(436 * score) for name, score in scores.items()} == FLAT
    own = toon["serializers"]["own_cells"]["scores"]["one"]
    assert {name: round(976 * np.mean([of["value"] for of in own[name].values()])) for name in ALL} == ALL


def test_formats_are_compared_over_the_questions_that_all_were_asked(toon: dict[str, Any]) -> None:
    serializers = toon["serializers"]
    assert "csv" not in serializers["win_rates"]["overall"], "asked on under half"
    own = {name: rate["value"] for name, rate in serializers["own_cells"]["win_rates"]["overall"].items()}
    assert min(own, key=own.__getitem__) == "csv"
    assert own["csv"] == pytest.approx(0.103, abs=5e-4)
    assert set(map(str, serializers["examples"]["one"].values())) == {str({"shared": 244, "of": 244})}


def test_a_format_asked_on_few_questions_does_not_shrink_the_comparison_of_the_others(
    toon: dict[str, Any],
) -> None:
    """On average over four models json-compact is worse than toon, over 244 questions and not 109."""
    levels = {level["name"]: level for level in toon["serializers"]["choice"]["average"]["overall"]}
    assert {name: round(976 * level["value"]) for name, level in levels.items()} == ALL
    assert [name for name, level in levels.items() if level["behind"].get("differs")] == ["json-compact"]
    assert levels["json-compact"]["behind"]["value"] == pytest.approx(32 / 976)
    said = "one: csv was asked on 109 of 244 examples, so formats are compared without it"
    assert said in toon["notes"]
    (first,) = (found for found in toon["findings"] if found["question"] == "formats")
    text = "".join(part["text"] for part in first["parts"])
    assert text.startswith("json-compact costs 3 points [0.1 to 6] against toon, on average over ")


def test_the_note_names_what_differs() -> None:
    rows = cube_frame(np.random.default_rng(0).random((1, 6, 2)), parts=True)
    uneven = analyse(rows[rows["config"] != "s0/none/x0"], resamples=5)["notes"]
    assert any("not all formats were asked with the same perturbations, so" in note for note in uneven)
    assert any("not all perturbations were asked with the same formats, so" in note for note in uneven)
    assert not any("were asked with the same" in note for note in analyse(rows, resamples=5)["notes"])
    both = pd.concat([rows.assign(design="x"), rows.assign(design="y", config=rows["config"] + "/y")])
    both = both[(both["serializer"] == "s0") | ~((both["design"] == "y") | (both["perturbation"] == "none"))]
    notes = analyse(both, resamples=5)["notes"]
    assert any("not all formats were asked with the same perturbations, so" in note for note in notes)
    assert "formats and perturbations are compared at the design 'x' alone; what other" in str(notes)


def test_where_nothing_is_shared_there_is_no_choice() -> None:
    """a and b share one perturbation, b and c another."""
    rng = np.random.default_rng(1)
    asked = (("a", "none"), ("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"))
    cells = {Cell("m", "d", s, p, "z", f"e{e}"): float(rng.random()) for s, p in asked for e in range(6)}
    found = analyse(plain.frame(cells), resamples=20)
    serializers = found["serializers"]
    assert serializers["scores"] == {"overall": {}, "d": {}}
    assert serializers["choice"] == {}
    assert serializers["win_rates"] == {"overall": {}, "models": {"m": {}}, "datasets": {"d": {}}}
    assert any("so there is no figure per format" in n for n in found["notes"])
    assert set(serializers["own_cells"]["scores"]["d"]) == {"a", "b", "c"}


def test_lost_answers_make_no_format_better() -> None:
    """html lost its answers to the hard half: on what both answered the two are equal."""
    scores = np.zeros((2, 2, 10))
    scores[:, :, :6] = 1.0
    scores[0, 1, 6:] = NAN
    rows = cube_frame(scores).assign(perturbation="none")
    found = analyse(rows.assign(serializer=rows["config"]), resamples=20)
    assert found["configurations"]["d"] == {"c0": {"m0": 1.0, "m1": 0.6}, "c1": {"m0": 1.0, "m1": 0.6}}
    own = found["serializers"]["own_cells"]["scores"]["d"]
    values = {name: [of["value"] for of in models.values()] for name, models in own.items()}
    assert values == {"c0": [0.6, 0.6], "c1": [1.0, 0.6]}
    assert found["serializers"]["examples"]["d"]["m0"] == {"shared": 6, "of": 10}
    assert {row["value"] for row in found["serializers"]["choice"]["models"]["m0"]["overall"]} == {1.0}


def test_each_model_has_examples_of_its_own() -> None:
    means = np.random.default_rng(2).random((3, 2, 8))
    means[0, 0, :3] = NAN
    means[1, 1, 2:4] = NAN
    means[2, 1] = NAN  # has no score at all, and takes no part
    cube = as_cube(means)
    assert scored_examples(comparable_configurations(cube)).tolist() == [5, 6, 8]
    whole = as_cube(np.nan_to_num(means))
    assert comparable_configurations(whole) is whole


def test_not_asked_by_design_is_no_hole_and_a_failed_answer_is() -> None:
    scores = np.ones((2, 2, 6))
    scores[:, 1, :2] = NAN  # asked of nobody
    scores[1, 0, 5] = NAN  # the second model's answer is lost
    rows = cube_frame(scores).assign(perturbation="none")
    found = analyse(rows.assign(serializer=rows["config"]), resamples=5)
    counts = found["serializers"]["examples"]["d"]
    assert counts == {"m0": {"shared": 4, "of": 6}, "m1": {"shared": 3, "of": 6}}
    of_html = found["serializers"]["scores"]["d"]["c1"]
    assert "complete" not in of_html["m0"]
    assert of_html["m1"]["complete"] is False
