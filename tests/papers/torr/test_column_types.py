"""Types of columns: by hand, and beside unitxt's metrics of lists."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.papers.torr.column_types import corpus_f1_micro, types_of
from torr_plugin.scoring import metrics

pytestmark = pytest.mark.usefixtures("unitxt_alone")

PERSON, ATHLETE, ACTOR = "people.person", "sports.pro_athlete", "film.actor"


def rated(prediction: str, *references: str) -> tuple[float, ...]:
    scores = metrics.get("column_types").scores(prediction, references)
    assert list(scores) == ["exact_match", "set_match", "f1_micro"]
    return tuple(scores.values())


@pytest.mark.parametrize(
    ("prediction", "reference", "scores"),
    [
        (f"{PERSON}, {ATHLETE}", f"{PERSON}, {ATHLETE}", (1, 1, 1)),
        (f"{PERSON},{ATHLETE} ", f"{PERSON}, {ATHLETE}", (1, 1, 1)),
        (f"{ATHLETE}, {PERSON}", f"{PERSON}, {ATHLETE}", (0, 1, 1)),
        (f"{PERSON}, {PERSON}", PERSON, (0, 1, 1)),
        (PERSON, f"{PERSON}, {ATHLETE}", (0, 0, 2 / 3)),
        (f"{PERSON}, {ACTOR}", f"{PERSON}, {ATHLETE}", (0, 0, 0.5)),
        (ACTOR, PERSON, (0, 0, 0)),
        ("People.Person", PERSON, (0, 0, 0)),
        ("", PERSON, (0, 0, 0)),
    ],
)
def test_by_hand(prediction: str, reference: str, scores: tuple[float, ...]) -> None:
    assert rated(prediction, reference) == pytest.approx(scores)


def test_the_best_reference_counts() -> None:
    assert rated(PERSON, ACTOR, PERSON) == (1, 1, 1)


TYPES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), min_size=1, max_size=4).map(", ".join)


@cache
def theirs(name: str) -> Any:
    from unitxt import metrics as unitxt_metrics

    return getattr(unitxt_metrics, name)()


@settings(deadline=None)
@given(TYPES, TYPES)
def test_exact_match_is_unitxts_accuracy_of_lists(prediction: str, reference: str) -> None:
    accuracy = theirs("AccuracyFast").map(types_of(prediction), [types_of(reference)], {})["accuracy"]
    assert rated(prediction, reference)[0] == accuracy


@pytest.mark.full
@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(TYPES, TYPES), min_size=1, max_size=6))
def test_the_figure_over_all_examples_is_unitxts(pairs: list[tuple[str, str]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    computed = theirs("F1MicroMultiLabel").compute(
        [[types_of(text)] for text in references], [types_of(text) for text in predictions], []
    )
    assert corpus_f1_micro(predictions, references) == pytest.approx(computed["f1_micro"])


def test_over_all_examples_is_not_the_mean() -> None:
    predictions, references = [PERSON, f"{PERSON}, {ACTOR}"], [PERSON, f"{ATHLETE}, {PERSON}"]
    # ACTOR is no example's type: one type too few of three, none too many
    assert corpus_f1_micro(predictions, references) == pytest.approx(4 / 5)
    mean = sum(rated(one, other)[2] for one, other in zip(predictions, references, strict=True)) / 2
    assert mean == pytest.approx(0.75)


def test_the_processors_before_it_are_unitxts() -> None:
    from unitxt.artifact import fetch_artifact

    split = fetch_artifact("processors.to_list_by_comma")[0].operator
    for text in ("a, b,c ", "", "a", ",a", "a, , b"):
        assert split.process_value(text) == types_of(text)
