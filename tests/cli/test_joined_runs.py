"""Two runs of one study put together: by ``torr analyse A B`` and ``torr publish A B``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.leaderboard.source import open_joined, study_groups

from .in_process import here
from .test_analyse import analysis_in, done

RECIPE = """\
name: halves
seed: 1
cards: [cards.bundled.cell_lookup, cards.hctqa.synthetic]
configurations: [html/none/default, markdown/none/default]
examples: {count: 4}
demonstrations: {shots: 0}
analysis: {resamples: 5}
"""
BOTH = ("torr-lexical", "torr-majority")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs ``a`` and ``b`` of a model each, and ``c``, as ``b`` but for the seed."""
    folder = tmp_path_factory.mktemp("halves")
    (folder / "1.yaml").write_text(RECIPE)
    for name, model in zip("ab", BOTH, strict=True):
        done("run", folder / "1.yaml", "--out", folder / name, "--model", model)
    shutil.copytree(folder / "b", folder / "c")
    study = (folder / "c" / "study.yaml").read_text()
    other = study.replace("seed: 1\n", "seed: 2\n").replace("fingerprint: ", "fingerprint: 0", 1)
    (folder / "c" / "study.yaml").write_text(other)
    return folder


@pytest.fixture(scope="module")
def both(runs: Path) -> Path:
    """The run of both models."""
    named = [word for model in BOTH for word in ("--model", model)]
    done("run", runs / "1.yaml", "--out", runs / "both", *named)
    return runs / "both"


def refusal(*line: str | Path) -> str:
    result = here(*line)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def analysed(*runs: Path, out: Path) -> dict[str, Any]:
    done("analyse", *runs, "--out", out, "--no-charts", "--resamples", "5", "--seed", "1")
    return analysis_in(out)


@pytest.mark.full
def test_two_runs_are_analysed_as_the_run_of_all_models(runs: Path, both: Path, tmp_path: Path) -> None:
    assert analysed(runs / "a", runs / "b", out=tmp_path / "x") == analysis_in(both)
    line = ("--out", tmp_path / "y")
    unknown = refusal("analyse", runs / "a", runs / "b", *line, "--metric", "acuracy")
    assert f"{runs / 'a'}, {runs / 'b'}: " in unknown
    said = refusal("analyse", runs / "a", runs / "c", *line)
    assert "is of another study than" in said
    assert "seed: 1 there, 2 here" in said


@pytest.mark.full
def test_a_run_takes_the_answers_of_both(runs: Path, both: Path, tmp_path: Path) -> None:
    named = [word for model in BOTH for word in ("--model", model)]
    reused = ("--reuse", runs / "a", "--reuse", runs / "b")
    found = json.loads(done("run", runs / "1.yaml", "--out", tmp_path / "c", *named, *reused, "--json"))
    assert (found["requests"], found["reused"]) == (32, 32)
    assert analysis_in(tmp_path / "c") == analysis_in(both)


@pytest.mark.full
def test_a_model_in_both_keeps_the_first_ones_answers(runs: Path, both: Path, tmp_path: Path) -> None:
    result = here("analyse", both, runs / "b", "--out", tmp_path / "x", "--no-charts")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "'torr-majority' is in" in said
    assert "the former's answers count" in said


@pytest.mark.full
def test_a_run_that_was_not_scored_yet_is_scored(runs: Path, both: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "b", tmp_path / "b")
    for name in ("scores.parquet", "analysis.json", "progress.json"):
        (tmp_path / "b" / name).unlink()
    assert analysed(runs / "a", tmp_path / "b", out=tmp_path / "x") == analysis_in(both)


@pytest.mark.full
def test_a_site_shows_runs_of_one_study_as_one(runs: Path) -> None:
    paths = [runs / "a", runs / "c", runs / "b"]
    assert study_groups(paths) == [(runs / "a", runs / "b"), (runs / "c",)]
    apart = {runs / "a": "mine", runs / "b": "yours"}
    assert len(study_groups(paths, lambda path: apart.get(path, ""))) == 3
    with open_joined([runs / "a", runs / "b"]) as source:
        assert set(source.analysis.performance) == set(BOTH)
        assert [each.model for each in source.failures] == list(BOTH)
        assert source.notes == ("This study is put together from 2 runs.",)
        assert source.path == runs / "a"


def test_the_check_finds_nothing_wrong_in_two_runs_of_a_study(runs: Path) -> None:
    found = json.loads(here("publish", "--check", runs / "a", runs / "b", "--json").stdout)
    assert found["studies"] == 1
    said = [(each["check"], each["what"]) for each in found["findings"]]
    assert len(set(said)) == len(said) > 0
    assert {"names", "twice"}.isdisjoint(each["check"] for each in found["findings"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("analyse", "a", "a", "--out", "x"), "a: it is given twice"),
        (("analyse", "a", "--out", "b"), "--out b: is a run, but not of these results"),
        (("analyse", "a", "--out", "b/analysis"), "--out b/analysis: lies in the run"),
        (("analyse", "a", "b", "--out", "a"), "--out a: is a run, but not of these results"),
        (("analyse", "a", "--out", "."), "--out .: is not empty and holds no earlier analysis (it holds"),
        (("analyse", "a", "1.yaml", "--out", "x"), "1.yaml: is a file, a a run; expected runs of one study"),
        (("publish", "a", "--out", "b"), "--out b: is a run, but not of these results"),
        (("publish", "a", "--out", "b/site"), "--out b/site: lies in the run"),
        (("publish", "a", "--out", "a"), "--out a: is not empty and holds no earlier site (it holds"),
        (("publish", "a", "--out", "."), "--out .: is not empty and holds no earlier site (it holds"),
        (("quickstart", "--out", "b", "--run", "x"), "--out b: is a run, but not of these results"),
    ],
)
def test_results_never_go_where_they_do_not_belong(
    runs: Path, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(runs)
    before = {path: path.stat().st_mtime_ns for path in runs.rglob("*")}
    assert refusal(*line).startswith(f"torr: {said}")
    assert {path: path.stat().st_mtime_ns for path in runs.rglob("*")} == before


def test_a_recipe_named_as_a_run_s_file_makes_no_run_of_its_folder(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.yaml").write_text("name: mine\ncards: [cards.bundled.cell_lookup]\n")
    done("analyse", runs / "a", "--out", "analysis", "--no-charts", "--resamples", "20")
    assert (tmp_path / "analysis" / "analysis.json").is_file()


def test_scores_files_whose_rows_belong_together(tmp_path: Path) -> None:
    def written(name: str, model: str, **more: Any) -> Path:
        rows = [(model, "d", f"c{n % 2}", str(n // 2), "accuracy", float(n % 3 == 0)) for n in range(20)]
        frame = pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "metric", "score"])
        path = tmp_path / name
        (frame.assign(**more).to_csv if name.endswith("csv") else frame.assign(**more).to_parquet)(
            path, index=False
        )
        return path

    files = [written("one.csv", "one"), written("two.parquet", "two")]
    line = ("--out", tmp_path / "x", "--no-charts", "--resamples", "20")
    done("analyse", *files, *line)
    both = pd.concat([pd.read_csv(files[0], dtype={"example": str}), pd.read_parquet(files[1])])
    both.to_csv(tmp_path / "both.csv", index=False)
    done("analyse", tmp_path / "both.csv", "--out", tmp_path / "y", *line[2:])
    assert analysis_in(tmp_path / "x") == analysis_in(tmp_path / "y")
    said = refusal("analyse", *files, written("again.csv", "one"), written("two.csv", "two"), *line)
    assert "again.csv: has 20 scores that a file before it has too (model 'one', dataset 'd'" in said
    said = refusal("analyse", files[0], written("more.csv", "two", main=True), *line)
    assert f"one.csv: no column 'main', which {tmp_path / 'more.csv'} has" in said
