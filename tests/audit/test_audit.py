"""What an audit says, by scipy and by hand; what changes nothing; what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from torr_plugin.analysis.compare import compare, groups, rank_bounds
from torr_plugin.analysis.estimates import ExampleValues
from torr_plugin.audit.comparing import audit_board
from torr_plugin.audit.output import audit_record, audit_text
from torr_plugin.audit.result import Audit, AuditedPlace
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale, joined

from .boards import aggregates_of, board_of, made_board

LEVEL = 0.95


def graded(models: int = 6, items: int = 60, seed: int = 0) -> np.ndarray:
    """Scores between 0 and 1, of models that are better one after the other."""
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(np.linspace(0.8, 0.3, models)[:, None], 0.3, (models, items)), 0, 1)


def place_of(audit: Audit) -> AuditedPlace:
    assert audit.overall is not None
    return audit.overall


def verdicts(place: AuditedPlace) -> dict[frozenset[str], tuple[bool, float, float]]:
    """Pair -> separated, low, high, rounded; the first in the alphabet less the other."""
    compared = place.arrays.compared
    names = place.arrays.names
    found = {}
    for at, (one, other) in enumerate(zip(compared.first, compared.second, strict=True)):
        verdict = compared.verdicts.verdict(at, swapped=names[one] > names[other])
        found[frozenset((names[one], names[other]))] = (verdict.differs, verdict.low, verdict.high)
    return found


def test_a_pair_is_scipys_paired_test_at_bonferronis_level() -> None:
    scores = graded(3)
    place = place_of(audit_board(board_of(scores)))
    for (one, other), (separated, low, high) in (
        (sorted(pair), found) for pair, found in verdicts(place).items()
    ):
        test = stats.ttest_rel(scores[int(one[1])], scores[int(other[1])])
        bounds = test.confidence_interval(1 - 0.05 / 3)
        assert (low, high) == pytest.approx((bounds.low, bounds.high))
        assert separated == (3 * test.pvalue < 0.05)


def test_ranks_groups_and_neighbours_are_those_of_the_verdicts() -> None:
    scores = graded(7, 40)
    place = place_of(audit_board(board_of(scores)))
    first, second = np.triu_indices(7, k=1)
    family = compare([ExampleValues(scores[first] - scores[second], np.arange(40))], LEVEL)
    better = np.zeros((7, 7), dtype=bool)
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        if family.differs[at]:
            better[(one, other) if family.difference[at] > 0 else (other, one)] = True
    order = np.argsort(-scores.mean(axis=1))
    assert [model.model for model in place.models] == [f"m{model}" for model in order]
    assert [(model.first_rank, model.last_rank) for model in place.models] == [
        tuple(rank_bounds(better)[model]) for model in order
    ]
    assert place.groups == tuple(tuple(f"m{model}" for model in own) for own in groups(order, better))
    assert place.separated == family.differs.sum() > 0
    assert place.could_be_first == tuple(m.model for m in place.models if m.first_rank == 1)
    assert [pair.separated for pair in place.neighbours] == [
        better[one, other] for one, other in pairwise(order)
    ]
    assert place.false_ranks == sum(not pair.separated for pair in place.neighbours)


@given(st.permutations(range(5)), st.permutations(range(20)))
def test_the_order_of_models_and_items_changes_nothing(models: list[int], items: list[int]) -> None:
    scores = np.round(graded(5, 20), 2)
    names = [f"m{number}" for number in models]
    one = place_of(audit_board(board_of(scores)))
    other = place_of(audit_board(board_of(scores[models][:, items], names)))
    assert verdicts(one) == {pair: pytest.approx(found) for pair, found in verdicts(other).items()}
    assert [(m.model, m.first_rank, m.last_rank, m.group) for m in one.models] == [
        (m.model, m.first_rank, m.last_rank, m.group) for m in other.models
    ]


def test_replicates_count_as_their_mean() -> None:
    answers = (np.random.default_rng(1).random((4, 3, 50)) < 0.6).astype(float)
    averaged, whole = (place_of(audit_board(board_of(each))) for each in (answers.mean(axis=1), answers))
    assert verdicts(whole) == verdicts(averaged)
    assert any("up to 3 replicates" in note for note in audit_board(board_of(answers)).notes)


def test_items_of_a_cluster_are_drawn_together() -> None:
    scores, clusters = graded(3, 60), np.arange(60) // 4
    place = place_of(audit_board(board_of(scores, clusters=clusters)))
    expected = compare([ExampleValues(scores[[0, 0, 1]] - scores[[1, 2, 2]], clusters)], LEVEL)
    np.testing.assert_allclose(place.arrays.compared.verdicts.low, expected.low)


def test_a_lower_score_that_is_better_is_turned_and_shown_as_it_is() -> None:
    scores = graded(4)
    errors = board_of(10 - 10 * scores, scales={"accuracy": MetricScale(0.0, 10.0, higher_is_better=False)})
    place, plain = place_of(audit_board(errors)), place_of(audit_board(board_of(scores)))
    assert [model.model for model in place.models] == [model.model for model in plain.models]
    best, same = place.models[0], plain.models[0]
    assert best.score == pytest.approx(10 - 10 * same.score)
    assert (best.low, best.high) == pytest.approx((10 - 10 * (same.high or 0), 10 - 10 * (same.low or 0)))
    assert place.neighbours[0].difference == pytest.approx(10 * (plain.neighbours[0].difference or 0))
    assert place.neighbours[0].more == plain.neighbours[0].more


def test_percentages_say_what_shares_say() -> None:
    share, percent = (
        place_of(audit_board(board_of(each, scales={"accuracy": MetricScale(0.0, high)})))
        for each, high in ((graded(4), 1.0), (100 * graded(4), 100.0))
    )
    assert verdicts(percent) == {pair: pytest.approx(found) for pair, found in verdicts(share).items()}
    assert percent.detectable.typical == pytest.approx(100 * (share.detectable.typical or 0))
    assert percent.detectable.hardest == pytest.approx(100 * (share.detectable.hardest or 0))
    for one, other in zip(percent.models, share.models, strict=True):
        bounds = one.score, one.low, one.high
        assert bounds == pytest.approx([100 * (end or 0) for end in (other.score, other.low, other.high)])
        text, same = (
            place.scale.text(*ends)
            for place, ends in ((percent, bounds), (share, (other.score, other.low, other.high)))
        )
        assert float(text) == pytest.approx(100 * float(same))


def test_a_metric_without_a_bound_has_its_own_units_and_no_points() -> None:
    scores = np.random.default_rng(2).normal(np.array([[40.0], [35.0], [34.9]]), 5.0, (3, 80))
    place = place_of(audit_board(board_of(scores, scales={"accuracy": MetricScale(0.0, None)})))
    test = stats.ttest_rel(scores[0], scores[1]).confidence_interval(1 - 0.05 / 3)
    (_, low, high) = verdicts(place)[frozenset(("m0", "m1"))]
    assert (low * place.scale.span, high * place.scale.span) == pytest.approx((test.low, test.high))
    bounds = stats.t.interval(0.95, 79, scores[0].mean(), stats.sem(scores[0]))
    assert (place.models[0].low, place.models[0].high) == pytest.approx(bounds)
    assert place.neighbours[-1].more == {}


def test_overall_is_the_unweighted_mean_of_tasks() -> None:
    tasks = {"a": graded(3, 30), "b": graded(3, 90, seed=3)}
    audit = audit_board(board_of(tasks))
    differences = [
        ExampleValues(own[[0, 0, 1]] - own[[1, 2, 2]], np.arange(own.shape[1])) for own in tasks.values()
    ]
    expected = compare(differences, LEVEL)
    np.testing.assert_allclose(place_of(audit).arrays.compared.verdicts.low, expected.low)
    assert place_of(audit).models[0].score == pytest.approx(
        np.mean([own[0].mean() for own in tasks.values()])
    )
    assert [task.name for task in audit.tasks] == ["a", "b"]


def test_over_tasks_is_scipys_paired_test_of_task_means() -> None:
    tasks = {f"t{number}": graded(3, 30, seed=number) for number in range(6)}
    audit = audit_board(board_of(tasks), over="tasks")
    means = np.stack([own.mean(axis=1) for own in tasks.values()], axis=1)
    test = stats.ttest_rel(means[0], means[1]).confidence_interval(1 - 0.05 / 3)
    assert verdicts(place_of(audit))[frozenset(("m0", "m1"))][1:] == pytest.approx((test.low, test.high))
    assert audit.tasks == ()


def test_over_tasks_needs_no_items_and_five_tasks() -> None:
    rows = [
        (f"m{model}", f"t{task}", 0.8 - 0.1 * model + 0.01 * (task + model) % 3, np.nan, np.nan)
        for model in range(3)
        for task in range(5)
    ]
    assert place_of(audit_board(aggregates_of(rows), over="tasks")).items == 5
    with pytest.raises(InputError, match="found 4 tasks; expected 5 or more"):
        audit_board(aggregates_of([row for row in rows if row[1] != "t4"]), over="tasks")
    with pytest.raises(InputError, match=r"model 'm0', task 't0': a mean score without items; expected n"):
        audit_board(aggregates_of(rows))


def test_only_common_items_are_compared_and_the_rest_is_counted() -> None:
    scores = graded(3, 60)
    scores[0, :10], scores[1, 5:20] = np.nan, np.nan
    place = place_of(audit_board(board_of(scores)))
    both = slice(20, 60)
    test = stats.ttest_rel(scores[0, both], scores[1, both]).confidence_interval(1 - 0.05 / 3)
    assert verdicts(place)[frozenset(("m0", "m1"))][1:] == pytest.approx((test.low, test.high))
    at = {(0, 1): 20, (0, 2): 10, (1, 2): 15}
    compared = place.arrays.compared
    for number, pair in enumerate(zip(compared.first, compared.second, strict=True)):
        assert place.arrays.missing[number] == at[int(pair[0]), int(pair[1])]
    assert {model.model: model.missing for model in place.models} == {"m0": 10, "m1": 15, "m2": 0}


@pytest.mark.parametrize(("missing", "holds"), [(3, True), (45, False)])
def test_a_claim_that_holds_whatever_the_missing_were_is_marked(missing: int, holds: bool) -> None:
    scores = np.zeros((2, 100))
    scores[0, :50] = 1.0
    scores[1, -missing:] = np.nan
    place = place_of(audit_board(board_of(scores)))
    pair = place.neighbours[0]
    worst = np.nan_to_num(scores, nan=1.0)
    assert (pair.separated, pair.missing, pair.holds) == (True, missing, holds)
    again = compare([ExampleValues((worst[0] - worst[1])[None], np.arange(100))], LEVEL)
    assert bool(again.differs[0]) == holds
    assert any("hold whatever they were" in note for note in audit_board(board_of(scores)).notes)


def test_items_that_nobody_has_a_score_of_count_as_missing() -> None:
    scores = np.zeros((2, 100))
    scores[0, :30] = 1.0
    scores[:, 30:] = np.nan
    pair = place_of(audit_board(board_of(scores))).neighbours[0]
    assert (pair.items, pair.missing, pair.holds) == (30, 70, False)


def test_a_pair_without_common_items_is_named_and_not_averaged() -> None:
    scores = graded(3, 40)
    scores[0, :20], scores[1, 20:] = np.nan, np.nan
    audit = audit_board(board_of(scores))
    assert place_of(audit).pairs == 2
    assert any("1 pair not compared, as they have no items in common" in note for note in audit.notes)


def test_aggregates_are_compared_unpaired_and_more_carefully_than_their_items() -> None:
    made = made_board(np.random.default_rng(5), 6, 300, levels=6)
    paired, unpaired = (place_of(audit_board(board)) for board in (made.board, made.aggregates))
    assert 0 < unpaired.separated <= paired.separated
    assert not unpaired.arrays.paired.any()
    assert any("unpaired" in note for note in audit_board(made.aggregates).notes)


def test_items_and_aggregates_of_one_task_stand_on_one_board() -> None:
    scores = (np.random.default_rng(6).random((2, 200)) < np.array([[0.8], [0.5]])).astype(float)
    mixed = joined([board_of(scores), aggregates_of([("published", "task", 0.2, 200, np.nan)])])
    place = place_of(audit_board(mixed))
    assert [pair.paired for pair in place.neighbours] == [True, False]
    assert place.models[-1].model == "published"
    assert place.models[-1].items is None
    assert all(pair.separated for pair in place.neighbours)


def test_exact_ties_share_a_rank_and_claim_nothing() -> None:
    scores = np.tile(np.array([1.0] * 30 + [0.0] * 30), (3, 1))
    place = place_of(audit_board(board_of(scores)))
    assert ([model.rank for model in place.models], place.exact_ties, place.neighbours) == ([1, 1, 1], 2, ())


def test_equal_models_are_never_more_than_the_items_to_settle_them_say() -> None:
    """More items for a smaller difference; none where the board already sees it."""
    place = place_of(audit_board(board_of((np.random.default_rng(7).random((4, 500)) < 0.5).astype(float))))
    for pair in place.neighbours:
        one, two, five = (pair.more[points] or 0 for points in ("1", "2", "5"))
        assert one > two > five >= 0


def several_metrics(main: dict[str, str]) -> BoardScores:
    one, other = board_of(graded(3), metric="f1"), board_of(1 - graded(3), metric="em")
    return replace(joined([one, other]), main=main)


def test_the_metric_is_the_tasks_main_one_or_the_one_asked_for() -> None:
    audits = [audit_board(several_metrics({"task": "em"})), audit_board(several_metrics({}), metric="f1")]
    assert [place_of(audit).metric for audit in audits] == ["em", "f1"]
    assert "metric: em, not f1" in audits[0].notes


def test_a_lenient_score_beside_the_main_one_is_not_one_that_was_left() -> None:
    both = joined([board_of(graded(3), metric="em"), board_of(graded(3), metric="em.lenient")])
    audits = [audit_board(both, metric=name) for name in ("em", "em.lenient")]
    assert [[note for note in audit.notes if note.startswith("metric")] for audit in audits] == [
        ["metric: em"],
        ["metric: em.lenient, not em"],
    ]


@pytest.mark.parametrize(
    ("main", "options", "message"),
    [
        (
            {},
            {},
            r"task 'task': has 2 metrics \(f1, em\) and none of them is the main one; expected --metric",
        ),
        ({}, {"metric": "bleu"}, r"--metric bleu: task 'task' has no such metric; expected one of: f1, em"),
    ],
)
def test_what_is_asked_for_must_be_there(
    main: dict[str, str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        audit_board(several_metrics(main), **options)  # type: ignore[arg-type]


def test_a_model_that_lacks_a_task_is_compared_on_the_others() -> None:
    board = board_of({"a": graded(3), "b": graded(3, seed=4)})
    items = board.items[~((board.items["model"] == "m0") & (board.items["task"] == "b"))]
    audit = audit_board(replace(board, items=items))
    assert [model.model for model in place_of(audit).models] == ["m1", "m2"]
    assert len(audit.tasks[0].models) == 3
    assert "b: no score of m0; compared without them" in audit.notes


def test_without_two_models_that_have_all_tasks_there_is_no_overall() -> None:
    board = board_of({"a": graded(3), "b": graded(3, seed=4), "c": graded(3, seed=5)})
    lacks = {("m0", "a"), ("m1", "b"), ("m0", "c"), ("m1", "c")}
    pairs = pd.Series(list(zip(board.items["model"], board.items["task"], strict=True)), dtype=object)
    audit = audit_board(replace(board, items=board.items[~pairs.isin(lacks).to_numpy()]))
    assert audit.overall is None
    assert [task.name for task in audit.judged] == ["a", "b"]
    assert "no overall: fewer than two models have all tasks" in audit.notes
    assert "of one model alone, which is compared with none: c" in audit.notes


def test_the_record_is_json_and_the_text_is_plain() -> None:
    names = ["<b>x</b>", "a|b", "c`d*"]
    audit = audit_board(board_of({"a": graded(3), "b": graded(3, seed=4)}, names))
    record = json.loads(json.dumps(audit_record(audit), allow_nan=False))
    assert [place["name"] for place in record["tasks"]] == ["a", "b"]
    text = audit_text(audit)
    assert "<b>" not in text.replace("\\<b", "")
    assert "could be first: \\<b\\>x\\</b\\>" in text


def test_categories_as_readers_give_them_change_nothing() -> None:
    board = board_of(graded(3))
    names = ["model", "task", "config", "item", "metric", "status", "cluster", "same"]
    board = replace(board, items=board.items.astype(dict.fromkeys(names, pd.CategoricalDtype())))
    assert verdicts(place_of(audit_board(board))) == verdicts(place_of(audit_board(board_of(graded(3)))))
