"""Prompts that are asked again: by the model, after first answers, out of the way of other readers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from torr_plugin.leaderboard.source import failures
from torr_plugin.recipes import ModelEntry, Plan, Recipe, plan
from torr_plugin.recipes.request import replicate_key, replicate_seed
from torr_plugin.running import Run, execute, run_status
from torr_plugin.running.store.joining import reuse
from torr_plugin.running.usage import usage
from torr_plugin.scoring import lengths_of_run, score_run
from torr_plugin.scoring.judges.single_answers import SingleAnswers

from ...leaderboard.published import Published
from ..asked_models import Echo
from ..made import entry, prompts, stored_keys
from ..servers import chat_server

ECHO = entry("test-echo")


def study(share: float, *designs: str, count: int = 4, replicates: int = 1) -> Plan:
    recipe = {
        "name": "again",
        "cards": ["cards.bundled.cell_lookup"],
        "configurations": {"serializers": ["html", "csv"], "designs": list(designs) or ["default"]},
        "examples": {"count": count},
        "replicates": {"share": share, "count": replicates},
    }
    return plan(Recipe.model_validate(recipe))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every prompt that the model was asked, in order; it answers with the number of the question."""
    texts: list[str] = []

    def answer(self: Echo, context: str) -> str:
        texts.append(context)
        return str(len(texts))

    monkeypatch.setattr(Echo, "answer", answer)
    return texts


def test_the_model_itself_answers_again_after_all_first_answers(tmp_path: Path, asked: list[str]) -> None:
    summary = execute(study(0.1), [ECHO], tmp_path / "run")
    assert summary.requests == summary.answered == len(asked) == 8 + 8
    assert len(set(asked[:8])) == 8
    assert set(asked[8:]) == set(asked[:8])
    scores = score_run(Run.open(tmp_path / "run")).query("main")
    assert scores["replicate"].value_counts().to_dict() == {0: 8, 1: 8}
    (status,) = run_status(tmp_path / "run").models
    assert (status.requests, status.replicates, status.counts.answered) == (16, 8, 16)


@pytest.mark.full
def test_other_readers_see_first_answers_alone(tmp_path: Path) -> None:
    planned = study(0.0)
    for share, name in ((1.0, "with"), (0.0, "without")):
        execute(study(share), [ECHO], tmp_path / name)
    both, one = Run.open(tmp_path / "with"), Run.open(tmp_path / "without")
    assert both.requests() == one.requests()
    keys = ["key", "prediction"]
    assert sorted(both.predictions("test-echo", keys).to_pylist(), key=str) == sorted(
        one.predictions("test-echo", keys).to_pylist(), key=str
    )
    assert both.predictions("test-echo", replicates=True).num_rows == 16
    assert len(prompts(both, "test-echo")) == 8
    assert list(failures(both)) == list(failures(one))
    cells = {name: [each.id for each in planned.configurations] for name in planned.cards}
    assert usage(both, cells) == usage(one, cells)
    assert lengths_of_run(both).equals(lengths_of_run(one))
    assert len(SingleAnswers("yes-no").rows(both).rows) == len(SingleAnswers("yes-no").rows(one).rows) == 8
    assert "replicate" not in score_run(one)
    for run in (both, one):
        run.write_scores(score_run(run))
    shown = [Published(run.path).examples for run in (both, one)]
    assert shown[0].keys() == shown[1].keys()
    for key, example in shown[0].items():
        assert example["scores"] == shown[1][key]["scores"]
        assert example["answers"] == shown[1][key]["answers"]


def test_a_finished_run_goes_on_with_replicates_and_without(tmp_path: Path, asked: list[str]) -> None:
    run = tmp_path / "run"
    execute(study(0.0), [ECHO], run)
    execute(study(0.1), [ECHO], run)
    assert (len(asked), len(set(asked))) == (16, 8)
    execute(study(0.0), [ECHO], run)
    execute(study(0.1), [ECHO], run)
    assert len(asked) == 16
    assert score_run(Run.open(run)).query("main")["replicate"].sum() == 8


def test_each_answer_has_a_seed_of_its_own_and_first_ones_the_models(tmp_path: Path) -> None:
    """A server that honours seeds draws another answer each time, and the same ones when asked again."""
    execute(study(1.0, replicates=3), [entry("test-seeded")], tmp_path / "run")
    scores = score_run(Run.open(tmp_path / "run")).query("main")
    assert scores["replicate"].value_counts().to_dict() == dict.fromkeys(range(4), 8)
    run = Run.open(tmp_path / "run")
    rows = run.predictions("test-seeded", ["key", "prediction"], replicates=True).to_pylist()
    said = {row["key"]: row["prediction"] for row in rows}
    asked: dict[int, set[str]] = {}
    for table in run.request_tables(["key", "replicate"], replicates=True):
        for row in table.to_pylist():
            asked.setdefault(row["replicate"], set()).add(said[row["key"]])
    assert asked == {0: {"none"}, **{number: {str(replicate_seed(0, number))} for number in (1, 2, 3)}}


def test_the_seed_reaches_a_server_in_the_calls_of_all_steps(tmp_path: Path) -> None:
    with chat_server(lambda _: "an answer") as server:
        args = {"base_url": server.server.url, "model": "served", "max_retries": 1}
        served = ModelEntry(model="local-chat-completions", args=args)
        execute(study(1.0, "self_augmented", count=1, replicates=2), [served], tmp_path / "run")
    seeds = Counter(body["seed"] for body in server.asked)
    assert len(seeds) == 3
    assert set(seeds.values()) == {4}  # two configurations, two calls
    assert {replicate_seed(0, 1), replicate_seed(0, 2)} < seeds.keys()


def test_as_many_requests_of_other_cells_are_other_requests(tmp_path: Path) -> None:
    """A share of one, asked again once, has as many as a half asked again twice."""
    run = tmp_path / "run"
    execute(study(0.5, count=100, replicates=2), [ECHO], run)
    execute(study(1.0, count=100), [ECHO], run)
    numbers = [
        row
        for table in Run.open(run).request_tables(["replicate"], replicates=True)
        for row in table["replicate"].to_pylist()
    ]
    assert Counter(numbers) == {0: 200, 1: 200}


def test_all_calls_of_a_design_are_repeated(tmp_path: Path) -> None:
    planned = study(1.0, "self_augmented", count=3)
    summary = execute(planned, [entry("test-saying")], tmp_path / "run")
    assert summary.answered == 2 * 2 * 6
    opened = Run.open(tmp_path / "run")
    rows = [row for table in opened.request_tables(replicates=True) for row in table.to_pylist()]
    steps = {(row["replicate"], row["config"], row["example"], row["stage"]): row for row in rows}
    assert len(steps) == len(rows) == 24
    for (replicate, config, example, stage), row in steps.items():
        if replicate:
            assert row["key"] == replicate_key(steps[0, config, example, stage]["key"], 1)
    assert len(score_run(opened).query("main")) == 12


def test_answers_of_other_runs_stand_in_for_first_answers_only(tmp_path: Path) -> None:
    planned = study(1.0, "default", "self_augmented", count=3)
    model = entry("test-saying")
    execute(planned, [model], tmp_path / "before")
    run = Run.create_or_resume(tmp_path / "run", planned, [model])
    found = reuse(run, model, [tmp_path / "before"])
    assert found[0] == 3 * 6
    taken = set(stored_keys(run.folder("test-saying")))
    first = Run.open(tmp_path / "before").predictions("test-saying", ["key"])["key"].to_pylist()
    assert taken == set(first)
