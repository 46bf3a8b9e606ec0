"""Verdicts as scores: rows that analysis, merged runs and a new scoring keep, and judges that give scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from torr_plugin.analysis import analyse
from torr_plugin.cli.app import app
from torr_plugin.core.errors import InputError, RecipeError, RunError
from torr_plugin.recipes import JudgeEntry, ModelEntry, Recipe, load, plan
from torr_plugin.running import Run
from torr_plugin.running.store.manifest import new_study
from torr_plugin.scoring import join_scored_runs
from torr_plugin.scoring.judges import judge_run, plan_judging
from torr_plugin.scoring.judges.rows import with_verdicts
from torr_plugin.scoring.judges.single_answers import SingleAnswers
from torr_plugin.workflows.study import run_study

from ...running.made import stored_keys
from .conftest import ANSWERS, models, study

GRADER = JudgeEntry(model="test-grader", name="grader", kind="score")
STRICT = JudgeEntry(model="test-judge", name="strict")


def rows_of(run: Path, metric: str) -> dict[tuple[str, str], float | None]:
    """The scores of a metric by model and format; None where there is none."""
    scores = Run.open(run).scores()
    rows = scores[scores["metric"] == metric]
    assert not rows["main"].any()
    keys = zip(rows["model"].astype(str), rows["serializer"].astype(str), strict=True)
    return {
        key: None if pd.isna(score) else float(score) for key, score in zip(keys, rows["score"], strict=True)
    }


def both_formats(**by_model: float | None) -> dict[tuple[str, str], float | None]:
    return {(name, kind): score for name, score in by_model.items() for kind in ("html", "csv")}


@pytest.mark.full
def test_judges_stand_side_by_side_in_the_scores(run: Path) -> None:
    judge_run(run, STRICT)
    judge_run(
        run, JudgeEntry(model="test-judge", name="unsure", args={"rambles": "It is", "fails": "nothing"})
    )
    found = judge_run(run, GRADER)
    assert rows_of(run, "judge.strict") == both_formats(right=1.0, half=0.0, wordy=1.0, wrong=0.0)
    # what is unclear and what failed is no score, and not wrong
    assert rows_of(run, "judge.unsure") == both_formats(right=1.0, half=0.0, wordy=None, wrong=None)
    assert rows_of(run, "judge.grader") == both_formats(right=1.0, half=0.5, wordy=None, wrong=None)
    assert (found.metric, found.kind, found.asked, found.failed) == ("judge.grader", "score", 4, 0)
    assert found.overall == {"n": 4, "judge": 0.75, "main": 0.75, "unclear": 4, "failed": 0}
    assert found.unclear in ("[Score]: 120/100", "That is hard to say")
    assert found.models["wrong"] == {"n": 0, "judge": None, "main": None, "unclear": 2, "failed": 0}
    before = Run.open(run).scores()
    judge_run(run, GRADER)
    assert Run.open(run).scores().equals(before)


def test_an_analysis_may_be_of_a_judge(run: Path) -> None:
    judge_run(run, GRADER)
    scores = Run.open(run).scores()
    found = analyse(scores, metric="judge.grader", resamples=5)
    assert {name: figures["overall"]["value"] for name, figures in found["performance"].items()} == {
        "right": 1.0,
        "half": 0.5,
        "wordy": None,
        "wrong": None,
    }
    assert "judge" not in str(analyse(scores, resamples=5)["performance"])


@pytest.mark.full
def test_a_new_scoring_keeps_verdicts(run: Path) -> None:
    judge_run(run, STRICT)
    kept = rows_of(run, "judge.strict")
    asked = stored_keys(run / "judged" / "strict" / "answers")
    run_study(study(), [*models(*ANSWERS), ModelEntry(model="torr-majority", name="late")], run)
    # the model that came later is not judged yet
    assert rows_of(run, "judge.strict") == {**kept, **both_formats(late=None)}
    judge_run(run, STRICT)
    assert rows_of(run, "judge.strict") == {**kept, **both_formats(late=0.0)}
    assert set(asked) < set(stored_keys(run / "judged" / "strict" / "answers"))


def test_what_was_judged_before_stays_beside_it(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge asked about some answers first, and about others later."""
    judge_run(run, STRICT)
    before = rows_of(run, "judge.strict")
    every = SingleAnswers("yes-no").rows(Run.open(run))
    places = [at for at, model in enumerate(every.rows["model"]) if model == "right"]
    some = replace(
        every,
        rows=every.rows.iloc[places].reset_index(drop=True),
        prompts=[every.prompts[at] for at in places],
        answers=[()] * len(places),
    )
    monkeypatch.setattr(SingleAnswers, "rows", lambda *given: some)
    assert len(judge_run(run, STRICT).verdicts) == 2
    assert rows_of(run, "judge.strict") == before


def test_scores_with_names_as_texts_get_verdicts_too(run: Path) -> None:
    """As those of runs with and without replicates are, once they are joined."""
    judge_run(run, STRICT)
    scores = Run.open(run).scores()
    plain = scores.astype(dict.fromkeys(scores.select_dtypes("category"), "object"))
    found = with_verdicts(plain, run)
    assert found["metric"].dtype == object
    assert sorted(found["metric"]) == sorted(scores["metric"].astype(str))


@pytest.mark.full
def test_merged_runs_bring_their_judges(run: Path, tmp_path: Path) -> None:
    parts = tmp_path / "one", tmp_path / "two"
    for part, names in zip(parts, (("right", "half"), ("half", "wordy")), strict=True):
        run_study(study(), models(*names), part)
        judge_run(part, STRICT)
    judge_run(parts[0], GRADER)
    judge_run(parts[1], JudgeEntry(model="test-judge", name="grader"))
    (tmp_path / "all").mkdir()
    merged = join_scored_runs(parts, tmp_path / "all")
    (note,) = [line for line in merged.notes if "judge" in line]
    assert note.startswith(
        f"the judge 'grader' of {parts[1]} is another model, has other arguments or is of ano"
    )
    assert rows_of(tmp_path / "all", "judge.strict") == both_formats(right=1.0, half=0.0, wordy=1.0)
    assert rows_of(tmp_path / "all", "judge.grader") == both_formats(right=1.0, half=0.5, wordy=None)
    replies = len(stored_keys(tmp_path / "all" / "judged" / "strict" / "answers"))
    assert judge_run(tmp_path / "all", STRICT).asked == replies == 3
    assert len(stored_keys(tmp_path / "all" / "judged" / "strict" / "answers")) == replies


@pytest.mark.full
def test_the_table_is_shown_as_the_model_saw_it(tmp_path: Path) -> None:
    """Perturbed as in the prompt, in one format whatever the configuration's."""
    recipe = Recipe.model_validate(
        {
            **study().model_dump(),
            "cards": ["bundled.cell_lookup"],
            "examples": {"count": 1},
            "configurations": {"serializers": ["html", "csv"], "perturbations": ["none", "shuffle_rows"]},
        }
    )
    run_study(recipe, models("right"), tmp_path / "run")
    asked = SingleAnswers("score").rows(Run.open(tmp_path / "run"))
    shown_prompts = (prompt[-1].content for prompt in asked.prompts if prompt)
    prompts = dict(zip(asked.rows["config"], shown_prompts, strict=True))
    for perturbation in ("none", "shuffle_rows"):
        shown = {prompts[f"{kind}/{perturbation}/default"] for kind in ("html", "csv")}
        assert len(shown) == 1
        (row,) = [
            row["prompt"]
            for row in Run.open(tmp_path / "run").requests().to_pylist()
            if row["config"] == f"html/{perturbation}/default"
        ]
        table = shown.pop().partition(" ===\n")[2].partition("\n===")[0]
        assert table.startswith("<table")
        assert table in row
    assert prompts["html/none/default"] != prompts["html/shuffle_rows/default"]


def test_a_plan_asks_and_writes_nothing(run: Path) -> None:
    planned = plan_judging(run, GRADER)
    assert (planned.answers, planned.requests, planned.answered) == (8, 4, 0)
    assert planned.tokens > 4 * 300
    assert not (run / "judged").exists()
    told = CliRunner().invoke(app, ["judge", str(run), "--model", "test-grader", "--kind", "score", "--plan"])
    assert told.exit_code == 0, told.output
    line = f"test-grader-score: 8 answers to judge, 4 requests of some {planned.tokens:,} tokens to send"
    assert line in told.output
    judge_run(run, GRADER)
    again = plan_judging(run, GRADER)
    assert (again.requests, again.answered, again.tokens) == (4, 4, 0)
    assert again.line == "grader: 8 answers to judge, 0 requests of some 0 tokens to send; 4 have one already"


def test_the_command_shows_scores_and_a_bad_one(run: Path) -> None:
    asked = ["judge", str(run), "--model", "test-grader", "--kind", "score"]
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0, shown.output
    assert "test-grader-score: 8 answers to judge" in shown.output
    lines = {line.split()[0]: line.split()[1:] for line in shown.output.splitlines() if line.strip()}
    assert lines["half"] == ["0.5000", "0.5000", "0", "0", "2"]
    assert lines["wrong"] == ["-", "-", "2", "0", "0"]
    assert "Replies without a verdict do not count; the first of them:" in shown.output
    told: dict[str, Any] = json.loads(
        next(
            line for line in CliRunner().invoke(app, [*asked, "--json"]).output.splitlines() if line[0] == "{"
        )
    )
    assert (told["kind"], told["metric"]) == ("score", "judge.test-grader-score")
    assert told["overall"]["unclear"] == 4


def test_what_cannot_be_judged_so_is_said(run: Path) -> None:
    with pytest.raises(InputError, match=r"has no data set 'hctqa.rael'; did you mean 'hctqa.real'"):
        judge_run(run, GRADER, datasets=["cards.hctqa.rael"])
    assert judge_run(run, STRICT, datasets=["cards.hctqa.real"]).asked == 4
    with pytest.raises(RunError, match=r"judge\.yaml: the judge 'strict' was another model or had other arg"):
        judge_run(run, STRICT.model_copy(update={"kind": "score"}))
    recorded = (run / "judged" / "strict" / "judge.yaml").read_text()
    (run / "judged" / "strict" / "judge.yaml").write_text("[]")
    with pytest.raises(RunError, match=r"judge\.yaml: names no judge; expected what 'torr judge' wrote; rem"):
        run_study(study(), models(*ANSWERS), run)
    (run / "judged" / "strict" / "judge.yaml").write_text(recorded)
    (run / "judged" / "strict" / "verdicts.parquet").write_bytes(b"PAR1")
    with pytest.raises(RunError, match=r"verdicts\.parquet: damaged .*without asking again"):
        judge_run(run, STRICT)


RECIPE = """
name: judged
cards: [hctqa.real]
configurations: {serializers: [html, csv]}
models: [{model: torr-constant, name: half, args: {answer: "1"}}]
judges:
  - {model: test-grader, kind: score, cards: cards.hctqa.real, args: {api_key: secret}}
  - {model: test-judge, name: strict}
analysis: {resamples: 5}
"""


@pytest.mark.full
def test_a_recipe_may_name_judges(run: Path, tmp_path: Path) -> None:
    """They are asked once the models are done, and once."""
    (tmp_path / "judged.yaml").write_text(RECIPE.replace(", args: {api_key: secret}", ""))
    command = ["run", str(tmp_path / "judged.yaml"), "--out", str(tmp_path / "new"), "--json"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output
    assert "judge.test-grader-score: 2 verdicts, 0 unclear, 0 failed" in told.output
    result = json.loads(next(line for line in told.output.splitlines() if line[0] == "{"))
    assert result["judges"]["judge.test-grader-score"]["judge"] == 0.5
    assert rows_of(tmp_path / "new", "judge.test-grader-score") == both_formats(half=0.5)
    assert rows_of(tmp_path / "new", "judge.strict") == both_formats(half=0.0)
    replies = stored_keys(tmp_path / "new" / "judged" / "strict" / "answers")
    assert CliRunner().invoke(app, command).exit_code == 0
    assert replies == stored_keys(tmp_path / "new" / "judged" / "strict" / "answers")


def test_a_recipes_judges_are_checked_and_their_keys_are_not_kept(run: Path, tmp_path: Path) -> None:
    (tmp_path / "judged.yaml").write_text(RECIPE)
    planned = plan(load(str(tmp_path / "judged.yaml")))
    kept = new_study(planned.record(), "")["recipe"]["judges"]
    assert [judge["kind"] for judge in kept] == ["score", "yes-no"]
    assert "secret" not in str(kept)
    assert "judges" not in plan(study()).record()["recipe"]
    (tmp_path / "judged.yaml").write_text(RECIPE.replace("cards.hctqa.real, args", "cards.hctqa.rael, args"))
    with pytest.raises(RecipeError, match=r"judges: no card 'cards.hctqa.rael' in the recipe; did you mean"):
        load(str(tmp_path / "judged.yaml"))
    (tmp_path / "judged.yaml").write_text(RECIPE.replace("kind: score", "kind: scores"))
    with pytest.raises(
        RecipeError, match=r"judges\[0\]\.kind: found 'scores'; expected 'yes-no', 'score' or 'pair'"
    ):
        load(str(tmp_path / "judged.yaml"))
