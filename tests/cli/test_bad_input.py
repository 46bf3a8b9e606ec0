"""Every wrong input ends with exit code 2 and one clear line: where, what was found, what is expected."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ..conftest import Torr
from .in_process import here

RECIPE = """\
name: small
seed: 1
cards: [{card}]
configurations:
  - serializers: [{serializer}]
    perturbations: [{perturbation}]
examples: {{count: 2}}
demonstrations: {{shots: 0}}
models: [{model}]
"""


@pytest.fixture
def recipe(tmp_path: Path):
    """Writes a recipe with one field changed and gives its path."""

    def write(text: str = RECIPE, **changes: str) -> Path:
        fields = {
            "card": "cards.bundled.cell_lookup",
            "serializer": "html",
            "perturbation": "none",
            "model": "torr-majority",
        }
        path = tmp_path / "small.yaml"
        path.write_text(text.format(**{**fields, **changes}))
        return path

    return write


def one_line(done) -> str:
    """The one line on stderr; fails when there is a traceback, another exit code or something on stdout."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("torr: ")
    return lines[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"card": "cards.bundled.cell_lokup"},
            ["small.yaml:3", "cell_lokup", "did you mean", "cards.bundled.cell_lookup"],
        ),
        ({"serializer": "htlm"}, ["small.yaml:5", "htlm", "did you mean", "'html'"]),
        ({"perturbation": "shuffle_row"}, ["small.yaml:6", "shuffle_row", "did you mean", "'shuffle_rows'"]),
        ({"model": "torr-majorty"}, ["torr-majorty", "did you mean", "'torr-majority'"]),
    ],
)
def test_unknown_names_get_the_nearest_ones(
    torr: Torr, recipe, changes: dict[str, str], expected: list[str]
) -> None:
    line = one_line(torr("run", recipe(**changes)))
    for part in expected:
        assert part in line


def test_a_wrong_recipe_names_file_line_and_field(torr: Torr, recipe) -> None:
    line = one_line(torr("plan", recipe(RECIPE.replace("count: 2", "count: many"))))
    for part in ("small.yaml:7", "examples.count", "many"):
        assert part in line


def test_a_recipe_that_is_not_there(torr: Torr) -> None:
    line = one_line(torr("run", "nowhere.yaml"))
    assert "nowhere.yaml" in line


def test_unknown_metric_in_a_card(torr: Torr, tmp_path: Path, recipe) -> None:
    from torr_plugin.core.shipped import folder

    card = json.loads((folder("cards") / "bundled" / "cell_lookup.json").read_text())
    text = json.dumps(card).replace("exact_match", "exact_mach")
    path = tmp_path / "mine.json"
    path.write_text(text)
    line = one_line(torr("run", recipe(card=str(path))))
    assert "exact_mach" in line
    assert "exact_match" in line


def write_wikitq(mirror: Path, table: dict, split: str = "test") -> None:
    rows = [{"id": "nu-0", "question": "which?", "answers": ["a"], "table": table}]
    (mirror / "wikitq").mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), mirror / "wikitq" / f"{split}.parquet")


def test_a_malformed_table_in_the_mirror(torr: Torr, tmp_path: Path, recipe) -> None:
    write_wikitq(tmp_path / "mirror", {"header": ["x", "y"], "rows": [["1", "2"], ["3"]], "name": "t"})
    line = one_line(torr("run", recipe(card="cards.wikitq"), data=tmp_path / "mirror"))
    for part in ("wikitq", "nu-0", "row 1", "1 cells", "expected 2"):
        assert part in line


def test_a_mirror_without_the_split(torr: Torr, tmp_path: Path, recipe) -> None:
    write_wikitq(tmp_path / "mirror", {"header": ["x"], "rows": [["1"]], "name": "t"}, split="train")
    line = one_line(torr("run", recipe(card="cards.wikitq"), data=tmp_path / "mirror"))
    assert "wikitq/test.parquet" in line
    assert "train" in line


def test_predictions_that_do_not_fit(torr: Torr, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"example": "nowhere-1", "prediction": "x"}\n')
    line = one_line(torr("score", "--card", "cards.bundled.cell_lookup", "--predictions", path))
    assert "nowhere-1" in line
    assert "not in card" in line


def test_a_directory_that_holds_another_study(torr: Torr, recipe) -> None:
    assert torr("run", recipe(), "--out", "here").returncode == 0
    line = one_line(torr("run", recipe(RECIPE.replace("seed: 1", "seed: 2")), "--out", "here"))
    assert "here" in line
    assert "another study" in line
    assert "seed" in line


def test_a_directory_that_cannot_be_written(torr: Torr, recipe) -> None:
    line = one_line(torr("run", recipe(), "--out", "/proc/torr-run"))
    assert "/proc/torr-run" in line


def test_more_arguments_than_models(torr: Torr, recipe) -> None:
    line = one_line(
        torr("run", recipe(), "--model", "torr-majority", "--model-args", "a=1", "--model-args", "b=2")
    )
    assert "--model-args" in line


@pytest.mark.parametrize("command", ["run", "plan", "prompts", "score", "analyse", "budget", "list"])
def test_a_missing_argument_is_a_usage_error(torr: Torr, command: str) -> None:
    done = torr(command)
    assert done.returncode == 2
    assert "Missing" in done.stderr


def test_a_main_metric_that_no_metric_gives_is_said_before_any_model_is_asked(
    torr: Torr, tmp_path: Path, recipe
) -> None:
    from torr_plugin.core.shipped import folder

    text = (folder("cards") / "bundled" / "cell_lookup.json").read_text()
    path = tmp_path / "mine.json"
    path.write_text(text.replace('"main_metric": "exact_match"', '"main_metric": "exact_mach"'))
    line = one_line(torr("run", recipe(card=str(path)), "--out", "here"))
    assert "'exact_mach'" in line
    assert "exact_match" in line
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (("quickstart", "--out", "file"), "torr: file: is a file; expected a folder, or a name that is free"),
        (("quickstart", "--out", "file/in/it"), "torr: file: is a file; expected a folder"),
        (("analyse", "run", "--out", "file"), "torr: file: is a file; expected a folder"),
        (("publish", "run", "--previous", "gone"), "torr: --previous gone: no such folder; expected that of"),
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
