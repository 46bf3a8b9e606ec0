"""Runs of one study joined: each model's answers once, and nothing of another study or model among them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import Run, execute, run_status
from torr_plugin.running.answer import Answer
from torr_plugin.running.store.joining import JoinedRuns, join_runs
from torr_plugin.running.store.lock import exclusive

from ..asked_models import Plan
from ..made import answers, entry

TEXTS = ["say a", "say b", "say c"]
ONE, OTHER = entry("test-echo", name="one"), entry("test-saying", name="other")


def asked(path: Path, *models: ModelEntry, texts: list[str] | None = None, **settings: object) -> Run:
    execute(Plan(texts or TEXTS, **settings), models, path)  # type: ignore[arg-type]
    return Run.open(path)


def answered(path: Path, *texts: str | None) -> Run:
    """A run of the model ``one`` with these answers; None: an error; the requests behind them are open."""
    plan = Plan(TEXTS)
    run = Run.create_or_resume(path, plan, [ONE])
    pairs = zip(plan.requests(), texts, strict=False)
    run.answers("one").append([Answer(each.key, text, None if text else "cannot") for each, text in pairs])
    return Run.open(path)


def joined(out: Path, *runs: Run) -> JoinedRuns:
    out.mkdir()
    return join_runs(runs, out)


def refused(out: Path, *runs: Run) -> str:
    with pytest.raises(RunError) as raised:
        joined(out, *runs)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_models_of_two_runs_stand_in_one(tmp_path: Path) -> None:
    runs = [asked(tmp_path / "a", ONE), asked(tmp_path / "b", OTHER)]
    found = joined(tmp_path / "c", *runs)
    assert (list(found.sources), found.notes) == (["one", "other"], ())
    run = Run.open(tmp_path / "c")
    assert run.models() == ["one", "other"]
    assert all("planned_keys" not in vars(source) for source in runs), "keys are compared, and not kept"
    for source, label in zip(runs, run.models(), strict=True):
        assert answers(run, label) == answers(source, label)
    assert [each.waiting for each in run_status(run.path).models] == [0, 0]


def test_another_study_or_another_model_of_the_name_is_refused(tmp_path: Path) -> None:
    first = asked(tmp_path / "a", ONE)
    assert refused(tmp_path / "1", first, asked(tmp_path / "b", OTHER, seed=2)).startswith(
        f"{tmp_path / 'b'}: is of another study than {tmp_path / 'a'} (seed: 0 there, 2 here)"
    )
    short = asked(tmp_path / "c", OTHER, texts=TEXTS[:2])
    assert "datasets.d.examples: 3 there, 2 here" in refused(tmp_path / "2", first, short)
    chatty = asked(tmp_path / "d", entry("test-saying", name="one", word="x"))
    said = refused(tmp_path / "3", first, chatty)
    assert said.startswith(
        f"{tmp_path / 'd'}: model 'one' is another than in {tmp_path / 'a'} (model: 'test-echo'"
    )
    with exclusive(first.path):
        assert "is writing this run; wait for it" in refused(tmp_path / "4", first, chatty)


def test_a_model_that_could_not_be_loaded_in_one_run_is_taken_from_the_other(tmp_path: Path) -> None:
    absent = entry("test-unloadable", name="one")
    found = joined(tmp_path / "c", asked(tmp_path / "a", absent, OTHER), asked(tmp_path / "b", ONE))
    assert found.notes == ()
    assert sorted(answers(found.run, "one").values()) == ["A", "B", "C"]
    assert found.run.study["models"][0]["model"] == "test-echo"


def test_of_a_model_in_both_the_first_ones_answers_count(tmp_path: Path) -> None:
    first = answered(tmp_path / "a", "A", None)
    second = answered(tmp_path / "b", "other", "B", "C")
    found = joined(tmp_path / "c", first, second)
    assert sorted(answers(found.run, "one").values(), key=str) == ["A", None]
    assert found.notes == (
        f"'one' is in {tmp_path / 'a'} and in {tmp_path / 'b'}: the former's answers count",
    )
    back = joined(tmp_path / "d", second, first)
    assert sorted(answers(back.run, "one").values()) == ["B", "C", "other"]


def test_requests_of_other_versions_are_compared(tmp_path: Path) -> None:
    first, second = asked(tmp_path / "a", ONE), asked(tmp_path / "b", OTHER)
    shutil.copytree(
        asked(tmp_path / "x", OTHER, texts=["say z", *TEXTS[1:]]).path / "requests", tmp_path / "y"
    )
    shutil.rmtree(second.path / "requests")
    shutil.move(tmp_path / "y", second.path / "requests")
    assert "prompts: other ones there than here" in refused(tmp_path / "d", first, second)
