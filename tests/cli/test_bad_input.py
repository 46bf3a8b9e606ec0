"""Every wrong input ends with exit code 2 and one clear line: where, what was found, what is expected."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.core.versions import shipped_folder

from ..conftest import Torr
from .in_process import here, one_line

RECIPE = """\
name: small
seed: {seed}
cards: [{card}]
configurations:
  - serializers: [{serializer}]
    perturbations: [{perturbation}]
examples: {{count: {count}}}
demonstrations: {{shots: 0}}
models: [{model}]
"""
GOOD = {
    "seed": "1",
    "card": "cards.bundled.cell_lookup",
    "serializer": "html",
    "perturbation": "none",
    "count": "2",
    "model": "torr-majority",
}


@pytest.fixture
def recipe(tmp_path: Path):
    """Writes a recipe with some fields changed and gives its path."""

    def write(**changes: str) -> Path:
        path = tmp_path / "small.yaml"
        path.write_text(RECIPE.format(**{**GOOD, **changes}))
        return path

    return write


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"card": "cards.bundled.cell_lokup"},
            ["small.yaml:3", "cell_lokup", "did you mean", "cards.bundled.cell_lookup"],
        ),
        ({"serializer": "htlm"}, ["small.yaml:5", "htlm", "did you mean", "'html'"]),
        ({"perturbation": "shuffle_row"}, ["small.yaml:6", "shuffle_row", "did you mean", "'shuffle_rows'"]),
        ({"count": "many"}, ["small.yaml:7", "examples.count", "many"]),
    ],
)
def test_a_wrong_recipe(torr: Torr, recipe, changes: dict[str, str], expected: list[str]) -> None:
    line = one_line(torr("run", recipe(**changes)))
    assert [part for part in expected if part not in line] == []


def test_a_file_that_is_nearly_there_is_named(torr: Torr, recipe) -> None:
    assert recipe().name == "small.yaml"
    assert "did you mean 'small.yaml'" in one_line(torr("run", "smal.yaml"))
    assert "did you mean 'small.yaml'" in one_line(torr("run", "small.yam"))


@pytest.mark.parametrize("wrong", ['exact_match"', '"main_metric": "exact_match"'])
def test_a_wrong_metric_is_said_before_any_model_is_asked(
    torr: Torr, tmp_path: Path, recipe, wrong: str
) -> None:
    card = (shipped_folder("cards") / "bundled" / "cell_lookup.json").read_text()
    (tmp_path / "mine.json").write_text(card.replace(wrong, wrong.replace("match", "mach")))
    line = one_line(torr("run", recipe(card=str(tmp_path / "mine.json")), "--out", "here"))
    assert "exact_mach" in line
    assert "exact_match" in line
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("split", "rows", "expected"),
    [
        ("test", [["1", "2"], ["3"]], ["wikitq", "nu-0", "row 1", "1 cell", "expected 2"]),
        ("train", [["1", "2"]], ["wikitq/test.parquet", "train"]),
    ],
)
def test_a_wrong_mirror(
    torr: Torr, tmp_path: Path, recipe, split: str, rows: list[list[str]], expected: list[str]
) -> None:
    table = {"header": ["x", "y"], "rows": rows, "name": "t"}
    examples = [{"id": "nu-0", "question": "which?", "answers": ["a"], "table": table}]
    (tmp_path / "mirror" / "wikitq").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(examples), tmp_path / "mirror" / "wikitq" / f"{split}.parquet")
    line = one_line(torr("run", recipe(card="cards.wikitq"), data=tmp_path / "mirror"))
    assert [part for part in expected if part not in line] == []


def test_predictions_that_do_not_fit(torr: Torr, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"example": "nowhere-1", "prediction": "x"}\n')
    line = one_line(torr("score", "--card", "cards.bundled.cell_lookup", "--predictions", path))
    assert "nowhere-1" in line
    assert "not in card" in line


def test_a_directory_that_holds_another_study(torr: Torr, recipe) -> None:
    assert torr("run", recipe(), "--out", "here").returncode == 0
    line = one_line(torr("run", recipe(seed="2"), "--out", "here"))
    assert "here" in line
    assert "another study" in line
    assert "seed" in line


def test_a_directory_that_cannot_be_written(torr: Torr, recipe) -> None:
    line = one_line(torr("run", recipe(), "--out", "/proc/torr-run"))
    assert "/proc/torr-run" in line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (("quickstart", "--out", "file"), "torr: file: is a file; expected a folder, or a name that is free"),
        (("quickstart", "--out", "file/in/it"), "torr: file: is a file; expected a folder"),
        (("analyse", "run", "--out", "file"), "torr: file: is a file; expected a folder"),
        (("run", "quickstart", "--reuse", "file", "--out", "new"), "torr: file: is not a run (it has no "),
        (("plan", "quickstart", "--limit", "1", "--out", "file"), "torr: file: cannot be read: Not a dir"),
    ],
)
def test_where_results_go_is_looked_at_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    done = here(*line)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(expected)
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
