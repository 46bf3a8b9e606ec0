"""Studies of many models: overall performance of every pair, all else of those that rank side by side."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import AnalysisError, AnalysisResults, analyse
from torr_plugin.analysis.compare import decide, moments
from torr_plugin.analysis.estimates import ExampleValues
from torr_plugin.analysis.figures.pairs import PAIRS
from torr_plugin.analysis.output import write_analysis

MODELS, EXAMPLES = 45, 30
PAIR_COUNT = MODELS * (MODELS - 1) // 2


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """(models x examples): two models that hardly differ, and one that lacks five answers."""
    rng = np.random.default_rng(7)
    found = (rng.random((MODELS, EXAMPLES)) < np.linspace(0.1, 0.9, MODELS)[:, None]).astype(float)
    found[1] = found[0]
    found[1, 4] = 0.5
    found[30, :5] = np.nan
    return found


@pytest.fixture(scope="module")
def analysis(scores: np.ndarray) -> dict[str, Any]:
    return analyse(cube_frame(scores[:, None]), resamples=5)


@pytest.fixture(scope="module")
def table(analysis: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """``pairs.csv``, overall performance."""
    out = tmp_path_factory.mktemp("analysis")
    write_analysis(analysis, out, charts=())
    found = pd.read_csv(out / "pairs.csv")
    assert (found["figure"] != "performance").any()
    return found[(found["figure"] == "performance") & (found["dataset"] == "overall")]


def test_every_pair_is_that_of_the_question_over_all_pairs(scores: np.ndarray, table: pd.DataFrame) -> None:
    first, second = (table[name].str[1:].astype(int).to_numpy() for name in ("model", "other"))
    differences = ExampleValues(scores[first] - scores[second], np.arange(EXAMPLES))
    expected = decide([moments(differences)], 0.95, tested=PAIR_COUNT)
    assert len(table) == PAIR_COUNT
    assert table["value"].to_numpy() == pytest.approx(np.nanmean(differences.values, axis=1))
    for name in ("low", "high", "p"):
        assert table[name].to_numpy() == pytest.approx(getattr(expected, name), abs=1e-9, nan_ok=True)
    assert table["differs"].tolist() == expected.differs.tolist()
    assert table["few"].tolist() == expected.few.tolist()
    assert 0 < table["few"].sum() < table["differs"].sum() < PAIR_COUNT
    assert (~table["complete"]).tolist() == ((first == 30) | (second == 30)).tolist()


def test_columns_table_and_near_pairs_hold_the_same_numbers(
    analysis: dict[str, Any], table: pd.DataFrame
) -> None:
    columns = analysis["every_pair"]
    rows = {(row.model, row.other): row for row in table.itertuples()}
    assert list(combinations(columns["models"], 2)) == sorted(
        rows, key=lambda pair: [columns["models"].index(model) for model in pair]
    )
    for at, models in enumerate(combinations(columns["models"], 2)):
        for name in ("value", "low", "high", "p"):
            assert columns[name][at] == (None if np.isnan(shown := getattr(rows[models], name)) else shown)
        assert columns["few"][at] == rows[models].few
        assert (columns["examples"][at] is None) == rows[models].complete
    read = AnalysisResults.from_json(analysis)[PAIRS]
    assert len(read.pairs) == MODELS * 5 - 15
    for pair in read.pairs:
        first, second = (columns["models"].index(model) for model in pair.models)
        assert 0 < second - first <= 5
        assert read.overall(*pair.models) == pair.performance.overall
        assert read.overall(*pair.models[::-1]) is None


def test_groups_and_ranks_follow_from_the_columns(analysis: dict[str, Any]) -> None:
    read = AnalysisResults.from_json(analysis)[PAIRS].every_pair
    assert read is not None
    above, below = dict.fromkeys(read.models, 0), dict.fromkeys(read.models, 0)
    for (one, other), verdict in read.verdicts():
        if verdict.differs and verdict.value is not None:
            best, worst = (one, other) if verdict.value > 0 else (other, one)
            above[worst] += 1
            below[best] += 1
    for model, ranks in analysis["rank_intervals"].items():
        assert ranks == [1 + above[model], MODELS - below[model]]
    assert sum(above.values()) == round(analysis["separability"]["overall"]["paired"] * PAIR_COUNT)


def test_the_first_finding_says_how_far_behind_the_next_group_is(analysis: dict[str, Any]) -> None:
    best, behind = analysis["tiers"]["overall"][0][0], analysis["tiers"]["overall"][1][0]
    assert analysis["every_pair"]["models"].index(behind) > 5
    found = analysis["findings"][0]
    verdict = AnalysisResults.from_json(analysis)[PAIRS].overall(best, behind)
    assert verdict is not None
    assert found["verdicts"][behind]["value"] == verdict.value


def test_a_note_says_what_is_given(analysis: dict[str, Any]) -> None:
    (note,) = (note for note in analysis["notes"] if note.startswith("pairs: "))
    assert "all 990 pairs of the 45 models" in note
    assert "the 5 next in the ranking (210 pairs)" in note


def test_few_models_have_no_columns(scores: np.ndarray) -> None:
    found = analyse(cube_frame(scores[:40, None]), resamples=5)
    assert "every_pair" not in found
    assert len(found["pairs"]) == 780
    assert not [note for note in found["notes"] if note.startswith("pairs: ")]


@pytest.mark.parametrize("name", ["value", "few"])
def test_a_column_of_another_length_is_refused(analysis: dict[str, Any], name: str) -> None:
    short = {**analysis["every_pair"], name: analysis["every_pair"][name][1:]}
    with pytest.raises(AnalysisError) as raised:
        AnalysisResults.from_json({**analysis, "every_pair": short})
    assert str(raised.value) == (
        f"analysis.json: every_pair: Value error, {name}: found 989 entries; expected one for each of 990 "
        "pairs; 'torr analyse' makes a new one"
    )
