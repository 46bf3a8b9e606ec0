"""Studies with strategies of several calls, end to end: run, resumed, reused, scored, counted.

``test_rounds.py`` kills them in random places, ``tests/serial/kills`` the command itself.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.running.rounds.summed_progress import SummedProgress
from torr_plugin.leaderboard.source import failures
from torr_plugin.recipes import Recipe, plan
from torr_plugin.running import Run, execute, run_status
from torr_plugin.running.usage import usage
from torr_plugin.scoring import score_run
from torr_plugin.scoring.judges.single_answers import SingleAnswers

from ...leaderboard.published import Published
from ..made import entry, stored_keys

DESIGNS = ["default", "self_augmented", "self_augmented_all"]


RECIPE = {
    "name": "staged",
    "cards": ["cards.bundled.cell_lookup"],
    "configurations": {"serializers": ["html", "csv"], "designs": DESIGNS},
}


def study(count: int = 3, **more: object) -> Recipe:
    return Recipe.model_validate({**RECIPE, "examples": {"count": count}, **more})


def requests_of(run: Path) -> pd.DataFrame:
    columns = ["model", "example", "config", "stage", "key", "prompt"]
    frame = Run.open(run).requests().select(columns).to_pandas().fillna({"model": ""})
    return frame.sort_values(columns).reset_index(drop=True)


def answers_of(run: Path, label: str) -> dict[str, str]:
    rows = Run.open(run).predictions(label).to_pylist()
    assert len({row["key"] for row in rows}) == len(stored_keys(Run.open(run).folder(label)))
    return {row["key"]: row["prediction"] for row in rows}


def test_every_step_of_every_cell_is_asked_and_the_last_is_scored(tmp_path: Path) -> None:
    planned, told = plan(study()), SummedProgress()
    models = [entry("test-saying", name="one"), entry("test-saying", name="two", word="other")]
    summary = execute(planned, models, tmp_path / "run", progress=told)
    rows = requests_of(tmp_path / "run")
    # two serializers, three examples; the first step of self_augmented is one of self_augmented_all's, too
    firsts, later = 2 * 3 * (1 + 3), 2 * 3 * 2
    assert summary.requests == summary.answered == 2 * (firsts + later)
    assert told.total == told.done == summary.requests
    assert len(rows) == planned.size + 2 * planned.later
    for label, said in (("one", "said"), ("two", "other")):
        follow = rows[rows["model"] == label]
        assert all(f"that matter: {said} " in prompt for prompt in follow["prompt"])
        whole = follow[follow["config"].str.endswith("_all")]
        assert all(prompt.count(f": {said} ") == 3 for prompt in whole["prompt"])
    opened = Run.open(tmp_path / "run")
    main = score_run(opened).query("main")
    assert len(main) == 2 * planned.cells
    assert main["score"].notna().all()
    asked = SingleAnswers("yes-no").rows(opened)
    assert len(asked.rows) == 2 * planned.cells
    by_key = {label: answers_of(tmp_path / "run", label) for label in ("one", "two")}
    for cell, prompt in zip(asked.rows.to_dict("records"), asked.prompts, strict=True):
        mine = rows[(rows["config"] == cell["config"]) & (rows["example"] == cell["example"])]
        mine = mine[mine["model"].isin(["", cell["model"]])]
        last = mine.loc[mine["stage"].idxmax()]
        assert by_key[cell["model"]][last["key"]] in (prompt or ())[-1].content


def test_what_a_cell_cost_counts_all_its_calls(tmp_path: Path) -> None:
    planned = plan(study())
    execute(planned, [entry("test-saying")], tmp_path / "run")
    configurations = {name: [c.id for c in planned.configurations] for name in planned.cards}
    opened = Run.open(tmp_path / "run")
    (found,) = usage(opened, configurations).values()
    assert found["requests"] == pytest.approx((1 + 2 + 4) / 3)
    (one,) = usage(opened, {name: ["html/none/self_augmented_all"] for name in planned.cards}).values()
    assert one["requests"] == 4
    (plain,) = usage(opened, {name: ["html/none/default"] for name in planned.cards}).values()
    assert one["prompt_tokens"] > 4 * plain["prompt_tokens"]


def test_a_step_that_fails_leaves_a_hole(tmp_path: Path) -> None:
    planned = plan(study(4, configurations={"serializers": ["html"], "designs": ["self_augmented"]}))
    first = next(planned.requests())
    word = first.prompt[0].content.split("Question: ")[1].split("\n")[0]
    model = entry("test-failing", word=word)
    summary = execute(planned, [model], tmp_path / "run")
    assert (summary.requests, summary.answered, summary.failed) == (7, 6, 1)
    main = score_run(Run.open(tmp_path / "run")).query("main").set_index("example")
    assert len(main) == 4
    assert list(main.index[main["score"].isna()]) == [first.example]
    (asked,) = failures(Run.open(tmp_path / "run"))
    assert (asked.requests, asked.failed, asked.unanswered) == (7, 1, 0)
    Run.open(tmp_path / "run").write_scores(score_run(Run.open(tmp_path / "run")))
    shown = Published(tmp_path / "run").examples[first.dataset, first.example]
    ((model_number, place, calls),) = shown["calls"]
    assert (model_number, place, len(calls), shown["scores"]) == (0, 0, 1, [[None]])
    prediction, error, *_ = shown["records"][shown["answers"][0][0]]
    assert calls[0][1] == shown["answers"][0][0]
    assert (prediction, shown["texts"][error]) == (-1, f"RuntimeError: cannot answer {word}")
    assert execute(planned, [model], tmp_path / "run").failed == 1
    mended = entry("test-failing", word=word)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.running.asked_models.Failing.answer", lambda self, context: "mended")
        again = execute(planned, [mended], tmp_path / "run", retry_failed=True)
    assert (again.requests, again.answered, again.failed) == (8, 8, 0)
    assert score_run(Run.open(tmp_path / "run")).query("main")["score"].notna().all()


@pytest.mark.full
def test_the_site_shows_all_calls_of_a_cell_and_scores_the_last(tmp_path: Path) -> None:
    planned = plan(study(2, configurations={"serializers": ["html"], "designs": ["self_augmented_all"]}))
    models = [entry("test-saying", name="one"), entry("test-saying", name="two", word="other")]
    execute(planned, models, tmp_path / "run")
    opened = Run.open(tmp_path / "run")
    opened.write_scores(score_run(opened))
    published = Published(tmp_path / "run")
    rows = requests_of(tmp_path / "run")
    for (_, example), shown in published.examples.items():
        ((role, prompt, _),) = shown["prompts"]["0"]
        assert role == "user"
        assert shown["texts"][prompt].endswith("Notes:")
        assert len(shown["calls"]) == 2
        for model, place, calls in shown["calls"]:
            label = published.known.study.models[model]
            mine = rows[(rows["example"] == example) & rows["model"].isin(["", label])].sort_values("stage")
            said = [answers_of(tmp_path / "run", label)[key] for key in mine["key"]]
            assert [shown["texts"][shown["records"][record][0]] for _, record in calls] == said
            asked = [shown["texts"][messages[-1][1]] for messages, _ in calls]
            assert asked == list(mine["prompt"])
            assert shown["answers"][model][place] == calls[3][1]
            assert shown["scores"][model] == [0]


def test_scores_stand_in_the_order_of_the_plan(tmp_path: Path) -> None:
    """Whatever the order in which the later requests came and were stored."""
    execute(plan(study()), [entry("test-saying")], tmp_path / "run")
    scores = score_run(Run.open(tmp_path / "run"))
    for path in (tmp_path / "run" / "requests").glob("later-*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    assert score_run(Run.open(tmp_path / "run")).equals(scores)


def test_a_model_with_nothing_left_to_say_is_not_loaded(tmp_path: Path) -> None:
    planned = plan(study())
    whole = execute(planned, [entry("test-saying")], tmp_path / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.running.asked_models.Saying.__init__", None)  # it cannot be loaded
        again = execute(planned, [entry("test-saying")], tmp_path / "run")
        for path in (tmp_path / "run" / "requests").glob("later-*"):
            path.unlink()  # made again of the answers before them, whose own answers are there
        third = execute(planned, [entry("test-saying")], tmp_path / "run")
    assert whole.requests == again.answered == third.answered == third.requests
    assert not again.unloaded
    assert not third.unloaded


def test_of_a_larger_run_only_what_follows_from_reused_answers_is_taken(tmp_path: Path) -> None:
    execute(plan(study(6)), [entry("test-saying")], tmp_path / "large")
    small = execute(plan(study(2)), [entry("test-saying")], tmp_path / "small", reuse=[tmp_path / "large"])
    assert small.reused == small.answered == small.requests
    execute(plan(study(2)), [entry("test-saying")], tmp_path / "alone")
    assert requests_of(tmp_path / "small").equals(requests_of(tmp_path / "alone"))
    assert answers_of(tmp_path / "small", "test-saying") == answers_of(tmp_path / "alone", "test-saying")
    assert len(stored_keys(Run.open(tmp_path / "small").folder("test-saying"))) == small.requests
    (model,) = run_status(tmp_path / "small").models
    assert (model.counts.answered, model.requests) == (small.requests, small.requests)
