"""A judge over a whole run: what is kept, what is asked again, what is said of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.core.errors import ModelError, RunError
from torr_plugin.recipes import JudgeEntry
from torr_plugin.running import Interrupted, Run
from torr_plugin.scoring.judges import judge_run

from ...catalog import tiny
from ...running.made import stored_keys


def judge(**args: str) -> JudgeEntry:
    return JudgeEntry(model="test-judge", name="strict", args=args)


def test_verdicts_beside_containment(run: Path) -> None:
    found = judge_run(run, judge())
    # a judge finds the wordy answer right; containment looks for values alone
    assert found.overall["confusion"] == {"both": 2, "judge_alone": 2, "contained_alone": 0, "neither": 4}
    assert (found.overall["judged_right"], found.overall["contained"]) == (0.5, 0.25)
    assert (found.overall["accuracy"], found.overall["kappa"]) == (0.75, 0.5)
    assert found.models["right"]["judged_right"] == 1.0
    assert found.models["half"]["judged_right"] == 0.0
    assert list(found.datasets) == ["hctqa.real"]
    assert found.asked == 4  # two configurations, one answer
    kept = pd.read_parquet(run / "judged" / "strict" / "verdicts.parquet")
    assert kept.equals(found.verdicts)
    assert set(kept.loc[kept["model"] == "wordy", "verdict"]) == {"yes"}


def test_nothing_is_asked_twice(run: Path) -> None:
    first, again = judge_run(run, judge()), judge_run(run, judge())
    assert again.overall == first.overall
    assert len(stored_keys(first.folder / "answers")) == 4


def test_a_killed_judge_goes_on(run: Path) -> None:
    first = judge_run(run, judge())
    for path in (first.folder / "answers").glob("*.parquet"):
        path.write_bytes(path.read_bytes()[:100])
    (first.folder / "verdicts.parquet").unlink()
    assert judge_run(run, judge()).overall == first.overall


def test_failures_and_rambling_are_counted_apart(run: Path) -> None:
    found = judge_run(run, judge(fails="nothing", rambles="It is"))
    assert (found.failed, found.overall["failed"], found.overall["unclear"]) == (1, 2, 2)
    assert found.overall["n"] == 4
    assert found.models["wrong"]["n"] == 0
    assert found.models["wrong"]["judged_right"] is None
    kept = pd.read_parquet(found.folder / "verdicts.parquet")
    assert kept["verdict"].isna().sum() == 2


def test_another_model_of_the_same_name_is_refused(run: Path) -> None:
    judge_run(run, judge())
    with pytest.raises(RunError, match=r"judge\.yaml: the judge 'strict' was another model or had other arg"):
        judge_run(run, judge(word="other"))


@pytest.mark.full
def test_what_failed_is_asked_again_if_wished_also_under_other_arguments(run: Path) -> None:
    """A wrong address, say, is mended without removing anything."""
    first = judge_run(run, judge(fails="=== "))
    assert (first.asked, first.failed) == (4, 4)
    assert judge_run(run, judge(fails="=== ")).failed == 4
    again = judge_run(run, judge(), retry_failed=True)
    assert (again.failed, again.overall["n"]) == (0, 8)


def test_damaged_verdicts_are_said(run: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = judge_run(run, judge())
    (shard,) = (first.folder / "answers").glob("*.parquet")
    shard.write_bytes(b"PAR1")
    with caplog.at_level("WARNING"):
        judge_run(run, judge())
    assert "its requests are asked again" in caplog.text


def test_an_interrupted_judge_says_where_its_verdicts_are(run: Path) -> None:
    with pytest.raises(Interrupted) as stop:
        judge_run(run, judge(stops="nothing"))
    kept = run / "judged" / "strict"
    assert stop.value.run == kept
    assert not (kept / "verdicts.parquet").exists()
    assert len(stored_keys(kept / "answers")) == 3


def test_what_cannot_be_judged_is_said(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match="is not a run"):
        judge_run(tmp_path / "nowhere", judge())
    with pytest.raises(ModelError, match="unknown model 'test-juge'"):
        judge_run(run, JudgeEntry(model="test-juge"))
    rows = [{**row, "question_id": "other"} for row in tiny.FILES["hctqa/real"][:1]]
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path / "other", {"hctqa/real": rows})))
    with pytest.raises(RunError, match=r"has no example 'psa--0--M0', which the run asked"):
        judge_run(run, judge())


def test_a_mistyped_argument_is_said_before_anything_is_written(run: Path) -> None:
    mistyped = JudgeEntry(model="local-chat-completions", args={"num_concurent": 3})
    with pytest.raises(ModelError, match="did you mean 'num_concurrent'"):
        judge_run(run, mistyped)
    assert not (run / "judged").exists()


def test_the_run_stays_a_run(run: Path) -> None:
    before = Run.open(run).scores().astype({"metric": str})
    judge_run(run, judge())
    after = Run.open(run).scores().astype({"metric": str})
    assert after[after["metric"] != "judge.strict"].equals(before)
    assert "judged" not in " ".join(Run.open(run).notes)


@pytest.mark.full
def test_the_command(run: Path) -> None:
    from typer.testing import CliRunner

    from torr_plugin.cli.app import app

    asked = ["judge", str(run), "--model", "test-judge"]
    told = CliRunner().invoke(app, [*asked, "--json"])
    assert told.exit_code == 0, told.output
    line = next(line for line in told.output.splitlines() if line.startswith("{"))
    assert json.loads(line)["overall"]["judged_right"] == 0.5
    shown = CliRunner().invoke(app, asked)
    assert shown.exit_code == 0
    assert re.search(r"^all +0\.5000 +0\.2500 +0\.7500 +0\.5000 +0 +8$", shown.output, re.MULTILINE)
    assert max(map(len, shown.output.splitlines()[:-2])) <= 80  # then a path, and the name of the scores
    other = [*asked, "--model-args", "fails=nothing"]
    assert CliRunner().invoke(app, other).exit_code == 2
    assert CliRunner().invoke(app, [*other, "--name", "failing"]).exit_code == 1
    assert (run / "judged" / "failing" / "verdicts.parquet").exists()
