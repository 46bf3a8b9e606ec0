"""Scores that a harness did not give: they are holes that are counted and said, and never a zero."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Importing, change_stats
from .helm_output import HTML, TRUTH, write_run
from .lm_eval_output import sample
from .lm_eval_output import write_run as write_lm_eval

FIN_QA = "recipes.torr.fin_qa.html.no_augmentation_5_demos"
CHOICE = "tab_fact: accuracy is the main one of accuracy, f1_macro; --metric chooses another"
LATER = "2026-01-02T03-04-06.678901"


def test_an_example_without_the_main_score_is_a_hole_whatever_else_it_has(importing: Importing) -> None:
    folder = write_run(importing.source, HTML, "org/one", TRUTH)
    change_stats(folder, "test1", lambda stats: [one for one in stats if one["name"]["name"] != "accuracy"])
    said = importing("helm")
    assert importing.main_by_example == {"test0": 1.0, "test1": None, "test2": 1.0}
    holes = importing.opened().analysis()["holes"]
    assert (holes["missing"], holes["expected"]) == (1, 3)
    assert said["notes"] == [
        CHOICE,
        "1 results have no score of their data set's main metric and are holes: "
        "org/one: tab_fact, torr.html/none/torr, test1",
    ]


@pytest.mark.full
@pytest.mark.parametrize("values", [(float("nan"), True), (float("inf"), "1.0"), (None,)])
def test_what_is_no_number_is_no_score(importing: Importing, values: tuple[object, ...]) -> None:
    folder = write_run(importing.source, HTML, "org/one", TRUTH)
    for at, value in enumerate(values):
        change_stats(folder, f"test{at}", lambda stats, value=value: [it | {"mean": value} for it in stats])  # type: ignore[misc]
    said = importing("helm")
    assert importing.main_by_example == {f"test{at}": None if at < len(values) else 1.0 for at in range(3)}
    assert said["notes"][1].startswith(f"{len(values)} results have no score of their data set's main metric")


def test_a_failed_request_is_a_hole_though_helm_rated_an_empty_answer(importing: Importing) -> None:
    answers = {"test0": None, "test1": "refuted", "test2": "entailed"}
    scores = {"test0": 0.0, "test1": 1.0, "test2": 1.0}
    write_run(importing.source, HTML, "org/one", answers, scores=scores)  # type: ignore[arg-type]
    said = importing("helm", code=1)
    assert said["failed"] == 1
    assert importing.main_by_example == {"test0": None, "test1": 1.0, "test2": 1.0}
    assert importing.opened().analysis()["performance"]["org/one"]["overall"]["value"] == 1.0
    assert said["notes"] == [
        "1 failed requests were rated by the harness as if the answer were empty; here they are holes",
        CHOICE,
    ]


def test_scores_beyond_the_range_by_rounding_are_its_ends(importing: Importing) -> None:
    scores = {"test0": 1.0000001, "test1": -1e-9, "test2": 0.5}
    write_run(importing.source, HTML, "org/one", TRUTH, scores=scores)
    importing("helm")
    assert importing.main_by_example == {"test0": 1.0, "test1": 0.0, "test2": 0.5}


def test_a_data_set_without_any_score(importing: Importing) -> None:
    unrated = [sample(0, bypass=999.0), sample(1, bypass=999.0)]
    write_lm_eval(importing.source, "unrated", unrated, date=LATER)
    line = importing.refused("lm-eval")
    assert "unrated: none of the results has a score; expected the harness's own" in line
    write_lm_eval(importing.source, "rated", [sample(0)])
    said = importing("lm-eval")
    assert said["notes"] == ["unrated: no result has a score, so it is in no figure"]


def test_a_data_set_without_any_score_beside_one_that_is_rated_again(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/one", TRUTH)
    folder = write_run(importing.source, FIN_QA, "org/one", TRUTH)
    for example in TRUTH:
        change_stats(folder, example, lambda _: [])
    said = importing("helm", "--rate-again")
    assert "finqa: no result has a score, so it is in no figure" in said["notes"]
    assert set(importing.scores.dataset) == {"tab_fact"}


def test_metrics_of_several_data_sets_are_chosen_side_by_side(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/one", TRUTH)
    for name, metric in (("first", "meteor"), ("second", "bleu")):
        folder = write_run(
            importing.source, f"recipes.{name}", "org/one", {"test0": "a"}, truth={"test0": "a"}
        )
        stats = [{"name": {"name": key}, "mean": value} for key, value in ((metric, 0.25), ("length", 0.5))]
        change_stats(folder, "test0", lambda _, stats=stats: stats)  # type: ignore[misc]
    line = importing.refused("helm", "--metric", "meteor")
    assert "data set 'second': cannot tell which of its metrics is the main one" in line
    said = importing("helm", "--metric", "meteor", "--metric", "bleu")
    mains = importing.main.groupby("dataset").metric.first().to_dict()
    assert mains == {"first": "meteor", "second": "bleu", "tab_fact": "accuracy"}
    assert "tab_fact: has no score called meteor or bleu; accuracy counts" in said["notes"]


NONE, NAN = None, float("nan")


@pytest.mark.full
@pytest.mark.parametrize(
    ("rows", "metrics", "expected"),
    [
        # a metric that is missing here and there stays the main one
        ([(0.2, 1.0), (NONE, 1.0), (NAN, 1.0)], ["my_score", "acc"], [0.2, None, None]),
        # true and false are scores, and so is a list of them
        ([(True, 0.5)], ["my_score", "acc"], [1.0]),
        ([([True, False, False, False], 0.5)], ["my_score", "acc"], [0.25]),
        # one that can be no number, or that no sample has, never was
        ([([1, 0], 0.5)], ["my_score", "acc"], [0.5]),
        ([(0.5, 0.25)], ["gone", "my_score", "acc"], [0.5]),
    ],
)
def test_which_of_the_metrics_that_lm_eval_lists_is_the_main_one(
    importing: Importing, rows: list[tuple[Any, float]], metrics: list[str], expected: list[float | None]
) -> None:
    samples = [
        sample(place, my_score=main, acc=acc) | {"metrics": metrics} for place, (main, acc) in enumerate(rows)
    ]
    write_lm_eval(importing.source, "task", samples)
    importing("lm-eval")
    assert list(importing.main_by_example.values()) == expected


def test_a_metric_that_no_data_set_has_is_refused_whatever_is_rated_again(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/one", TRUTH)
    kept = write_run(importing.source, FIN_QA, "org/one", TRUTH)
    for example in TRUTH:
        change_stats(kept, example, lambda _: [{"name": {"name": "program_accuracy"}, "mean": 0.5}])
    for again in ([], ["--rate-again"]):
        line = importing.refused("helm", "--metric", "acuracy", *again)
        assert (
            "--metric 'acuracy': data set 'finqa' has program_accuracy; data set 'tab_fact' has acc" in line
        )
    said = importing("helm", "--rate-again", "--metric", "accuracy")
    assert "finqa: has no score called accuracy; program_accuracy counts" in said["notes"]


def test_a_metric_is_chosen_among_those_of_the_card_that_rates_again(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/one", TRUTH)
    assert "--metric 'rouge': " in importing.refused("helm", "--rate-again", "--metric", "rouge")
    importing("helm", "--rate-again", "--metric", "accuracy.lenient")
    assert set(importing.main.metric) == {"accuracy.lenient"}
    assert importing.opened().study["datasets"]["tab_fact"]["main_metric"] == "accuracy.lenient"
