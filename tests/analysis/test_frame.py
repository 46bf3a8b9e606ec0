"""Scores frames: names as codes, scores that are not as they should be, and those that only look odd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.made import cube_frame, frame
from torr_plugin.analysis import AnalysisError, analyse
from torr_plugin.analysis.frame import as_categories, first_seen, pairs, used_names

COLUMNS: dict[str, tuple[pd.Series[Any], list[str | None]]] = {
    "text": (pd.Series(["b", "a", "b", None]), ["b", "a", "b", None]),
    "a mixture that is equal": (pd.Series([1, True, 1.0, "1"], dtype=object), ["1", "True", "1.0", "1"]),
    "whole numbers": (pd.Series([7, 3, 7]), ["7", "3", "7"]),
    "floats": (pd.Series([0.0, -0.0, float("nan")]), ["0.0", "-0.0", None]),
    "unhashable": (pd.Series([[1], [1], None], dtype=object), ["[1]", "[1]", None]),
    "categories": (pd.Series(pd.Categorical(["x", None, "x"], ["u", "x"])), ["x", None, "x"]),
    "categories of one name": (pd.Series(pd.Categorical.from_codes([0, 1, -1], [1, "1"])), ["1", "1", None]),
    "half a character": (pd.Series(["\ud800", "a"], dtype=object), ["\ud800", "a"]),
}


@pytest.mark.parametrize("what", COLUMNS)
def test_names_are_those_of_text(what: str) -> None:
    column, expected = COLUMNS[what]
    found = as_categories(column)
    names = [None if code < 0 else found.categories[code] for code in found.codes]
    assert names == expected
    assert list(found.categories) == list(dict.fromkeys(name for name in expected if name is not None))


@given(st.lists(st.tuples(st.sampled_from([None, *"abc"]), st.sampled_from([None, *"xyz"])), min_size=1))
def test_pairs_are_those_of_rows_in_their_order(rows: list[tuple[str | None, str | None]]) -> None:
    first, second = (
        pd.Series(as_categories(pd.Series(side, dtype=object))) for side in zip(*rows, strict=True)
    )
    assert pairs(first, second) == list(dict.fromkeys(row for row in rows if None not in row))
    assert used_names(first) == list(dict.fromkeys(one for one, _ in rows if one is not None))
    assert len(first_seen(second)) == len({other for _, other in rows} - {None})


GOOD = frame({("m", "d", "c", "e"): 1.0, ("m", "d", "c", "f"): 0.0})


def changed(column: str, value: Any, row: int = 1) -> pd.DataFrame:
    rows = GOOD.copy().astype({column: object})
    rows.loc[row, column] = value
    return rows


PLACE = "scores: model 'm', dataset 'd', config 'c', example 'f', metric 'em': score "
BAD = {
    "no rows": (GOOD.iloc[:0], "scores: no rows; expected one a model, data set"),
    "a column less": (
        GOOD.drop(columns=["config", "example"]),
        "scores: no column 'config', 'example'; found: 'model'",
    ),
    "a column twice": (pd.concat([GOOD, GOOD["score"]], axis=1), "scores: two columns are called 'score'"),
    "a null label": (changed("model", None), "scores: row 2: column 'model' is empty; expected a name"),
    "above one": (changed("score", 1.5), PLACE + "1.5 lies outside [0, 1]; expected a number from 0 to 1"),
    "below zero": (changed("score", -0.1), PLACE + "-0.1 lies outside [0, 1]"),
    "infinite": (changed("score", np.inf), PLACE + "inf lies outside [0, 1]"),
    "words": (changed("score", "good"), PLACE + "'good' is not a number"),
    "a list": (changed("score", [1.0]), PLACE + "[1.0] is not a number"),
    "twice": (
        pd.concat([GOOD, GOOD.iloc[:1]]),
        "scores: more than one row for 1 cell of data set 'd', "
        "the first is model 'm', config 'c', example 'e'; expected one each",
    ),
    "two metrics, no main": (
        pd.concat([GOOD, GOOD.assign(metric="f1")]).drop(columns="main"),
        "scores: data set 'd' has the metrics 'em', 'f1'; expected a column main (true, false)",
    ),
    "two main metrics": (
        pd.concat([GOOD, GOOD.assign(metric="f1")]),
        "scores: data set 'd' has the metrics 'em', 'f1'; expected main is true for one metric a data set",
    ),
    "no main metric": (
        pd.concat([GOOD, GOOD.assign(dataset="other", main=False)]),
        "scores: data set 'other' has no row with main = true",
    ),
    "main unclear": (changed("main", "perhaps"), "scores: row 2: main is 'perhaps'; expected true or false"),
    "called overall": (GOOD.assign(dataset="overall"), "scores: a data set is called 'overall'"),
    "two serializers": (
        GOOD.assign(serializer=["html", "csv"]),
        "scores: data set 'd': configuration 'c' has the serializers 'csv', 'html'; expected one",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_scores(what: str) -> None:
    rows, message = BAD[what]
    with pytest.raises(AnalysisError) as raised:
        analyse(rows)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_secondary_metrics_do_not_count() -> None:
    rows = pd.concat([GOOD, GOOD.assign(metric="f1", main=False, score=[0.25, 7.0])])
    assert analyse(rows)["performance"]["m"]["overall"]["value"] == 0.5


@pytest.mark.parametrize("main", [["true", "True"], [1, 1], [1.0, "1"], [True, "TRUE"]])
def test_main_as_files_write_it(main: list[object]) -> None:
    assert analyse(GOOD.assign(main=pd.Series(main, dtype=object)))["settings"]["metrics"] == {"d": "em"}


def test_main_may_be_absent_where_there_is_one_metric() -> None:
    assert analyse(GOOD.drop(columns="main"))["performance"] == analyse(GOOD)["performance"]


@pytest.mark.full
@pytest.mark.parametrize(
    "score",
    [["1", "0"], [True, False], ["True", "False"], [" true", "0.0"], [1, 0], [np.float32(1), np.float32(0)]],
)
def test_scores_as_other_types(score: list[object]) -> None:
    assert analyse(GOOD.assign(score=score))["performance"] == analyse(GOOD)["performance"]


def test_labels_may_be_numbers_and_categories() -> None:
    rows = cube_frame(np.ones((2, 2, 3)))
    numbered = rows.assign(
        example=rows["example"].str[1:].astype(int), model=rows["model"].astype("category")
    )
    found = analyse(numbered)
    assert found["settings"]["examples"] == {"d": 3}
    assert set(found["performance"]) == {"m0", "m1"}


def test_the_frame_given_is_not_changed() -> None:
    rows = GOOD.copy()
    analyse(rows)
    pd.testing.assert_frame_equal(rows, GOOD)


def test_prompt_tokens_are_numbers_or_empty() -> None:
    place = "scores: model 'm', dataset 'd', config 'c', example 'f', metric 'em': prompt_tokens "
    for wrong in ("many", -1):
        with pytest.raises(AnalysisError) as caught:
            analyse(GOOD.assign(prompt_tokens=["12", wrong]))
        assert str(caught.value) == f"{place}{wrong!r} is no number of tokens; expected one, or nothing"
    for column in ([12, 7], ["12", ""], ["12.0", "NA"], [None, None]):
        analyse(GOOD.assign(prompt_tokens=column), resamples=5)
