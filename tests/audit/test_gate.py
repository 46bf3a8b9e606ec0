"""The release gate: scipy's one-sided test, its family, what it says of missing scores, what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from torr_plugin.audit.gating import gate, with_base
from torr_plugin.audit.output import gate_record, gate_text
from torr_plugin.audit.scores import only_tasks
from torr_plugin.core.errors import InputError, UnknownNameError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale, joined

from .boards import aggregates_of, board_of


def scores(shift: float, items: int = 400, seed: int = 0) -> np.ndarray:
    """A base, and a candidate that is better by so much, (2 x items)."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.8, items)
    return np.stack([base, np.clip(base + shift + rng.normal(0, 0.1, items), 0, 1)])


def board(**tasks: np.ndarray) -> BoardScores:
    return board_of(tasks, ["base", "new"])


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.0, "not worse"), (-0.02, "may be worse"), (-0.1, "worse"), (0.1, "not worse")]
)
def test_a_cell_is_scipys_one_sided_test(shift: float, verdict: str) -> None:
    own = scores(shift)
    (cell,) = gate(board(task=own), "base").cells
    test = stats.ttest_rel(own[1], own[0], alternative="greater").confidence_interval(0.95)
    assert cell.low == pytest.approx(test.low)
    assert cell.verdict == verdict
    assert (cell.verdict == "not worse") == (test.low > -0.02)


def test_the_limits_of_all_tasks_and_candidates_hold_at_once() -> None:
    tasks = {
        name: np.vstack([scores(0.0, seed=seed), scores(0.01, seed=9)[1:]]) for seed, name in enumerate("abc")
    }
    found = gate(board_of(tasks, ["base", "new", "other"]), "base")
    assert len(found.cells) == 6
    test = stats.ttest_rel(tasks["b"][1], tasks["b"][0], alternative="greater")
    expected = test.confidence_interval(1 - 0.05 / 6)
    cell = next(cell for cell in found.cells if (cell.model, cell.task) == ("new", "b"))
    assert cell.low == pytest.approx(expected.low)


def test_each_configuration_is_a_cell() -> None:
    one, other = board(task=scores(0.0)), board(task=scores(-0.1))
    other = replace(other, items=other.items.assign(config="chat"))
    found = gate(joined([one, other]), "base")
    assert [(cell.config, cell.verdict) for cell in found.cells] == [("", "not worse"), ("chat", "worse")]
    assert not found.passed


def test_more_items_show_that_an_equal_model_is_not_worse() -> None:
    own = (np.random.default_rng(1).random((2, 100)) < 0.5).astype(float)
    (cell,) = gate(board(task=own), "base").cells
    assert cell.verdict == "may be worse"
    difference = own[1] - own[0]
    needed = stats.norm.ppf([0.95, 0.8]).sum() ** 2 * difference.var(ddof=1) / 0.02**2
    assert (cell.more or 0) + 100 == pytest.approx(needed, rel=0.05)


def test_a_base_in_another_place_may_have_the_same_name() -> None:
    own = scores(0.0)
    whole, base = with_base(board_of(own[1:], ["model"]), board_of(own[:1], ["model"]))
    found = gate(whole, base)
    assert (found.base, [cell.model for cell in found.cells], found.passed) == (
        "model (base)",
        ["model"],
        True,
    )


def test_missing_scores_are_left_out_and_may_matter() -> None:
    own = scores(0.03)
    own[1, :40] = np.nan
    (cell,) = gate(board(task=own), "base").cells
    assert (cell.verdict, cell.items, cell.missing, cell.holds) == ("not worse", 360, 40, False)


def test_a_task_that_the_candidate_lacks_does_not_pass() -> None:
    whole = board(a=scores(0.1), b=scores(0.1))
    items = whole.items[~((whole.items["model"] == "new") & (whole.items["task"] == "b"))]
    found = gate(replace(whole, items=items), "base")
    assert [cell.verdict for cell in found.cells] == ["not worse", "not compared"]
    assert not found.passed
    assert gate(only_tasks(replace(whole, items=items), ["a"]), "base").passed


def test_aggregates_are_gated_unpaired() -> None:
    rows = [("base", "task", 0.8, 5000, np.nan), ("new", "task", 0.81, 5000, np.nan)]
    (cell,) = gate(aggregates_of(rows), "base").cells
    assert (cell.verdict, cell.paired) == ("not worse", False)


def test_nearly_equal_answers_are_not_worse_by_clopper_and_pearson() -> None:
    """Grades that differ on so few items that their variance says nothing."""
    own = np.tile(np.random.default_rng(2).uniform(0.2, 0.8, 1000), (2, 1))
    own[1, :3] -= 0.1
    (cell,) = gate(board(task=own), "base").cells
    _, high = proportion_confint(3, 1000, alpha=0.1, method="beta")
    assert (cell.low, cell.high, cell.verdict) == (pytest.approx(-high), pytest.approx(high), "not worse")
    (cell,) = gate(board(task=own[:, :100]), "base").cells
    assert cell.verdict == "may be worse"


def test_what_is_refused() -> None:
    whole = board(task=scores(0.0))
    with pytest.raises(UnknownNameError, match=r"--against: unknown model 'bass'; did you mean 'base'\?"):
        gate(whole, "bass")
    with pytest.raises(InputError, match="--margin: found 2; expected a share between 0 and 1"):
        gate(whole, "base", margin=2)
    with pytest.raises(InputError, match=r"--against: found 2 models \(base, new\); expected one"):
        with_base(whole, whole)
    apart = replace(whole, items=whole.items.assign(item=whole.items["model"] + whole.items["item"]))
    with pytest.raises(InputError, match="--against base: no model has items in common with it"):
        gate(apart, "base")


def test_a_base_of_other_questions_is_refused() -> None:
    own = board_of(scores(0.0)[1:], ["model"])
    board_, base = (replace(own, items=own.items.assign(same=digest)) for digest in ("one", "other"))
    with pytest.raises(InputError, match="item 'i0': has two questions or targets"):
        with_base(board_, base)


def test_a_base_without_a_score_is_refused() -> None:
    own = scores(0.0)
    own[0] = np.nan
    with pytest.raises(InputError, match="--against base: no model has items in common with it"):
        gate(board(task=own), "base")


def test_the_margin_of_scores_without_bounds_is_in_their_unit() -> None:
    own = board_of(5 * scores(0.0), scales={"accuracy": MetricScale(0.0, None, higher_is_better=False)})
    found = gate(own, own.items["model"][0], margin=0.5)
    assert " by 0.5 in the metric's unit or more in " in gate_text(found)


def test_text_and_record() -> None:
    found = gate(board(task=scores(-0.1)), "base")
    assert gate_text(found).startswith(
        "FAIL: in 1 of 1 comparison new may be worse than base by 2 points or more; in 1 it is worse"
    )
    assert gate_record(found)["cells"][0]["verdict"] == "worse"
    passed = gate(board(task=scores(0.1)), "base")
    assert gate_text(passed).startswith("PASS: new is not worse than base by 2 points or more in any of 1")
