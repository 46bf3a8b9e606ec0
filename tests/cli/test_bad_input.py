"""Every wrong input ends with exit code 2 and one clear line: where, what was found, what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.versions import shipped_folder

from ..conftest import Torr
from .in_process import here, one_line

RECIPE = """\
name: small
cards: [{card}]
configurations: [html/none/default]
examples: {{count: 2}}
demonstrations: {{shots: 0}}
models: [torr-majority]
"""


def test_a_file_that_is_nearly_there_is_named(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(RECIPE.format(card="cards.bundled.cell_lookup"))
    assert "did you mean 'small.yaml'" in one_line(torr("run", "smal.yaml"))
    assert "did you mean 'small.yaml'" in one_line(torr("run", "small.yam"))


@pytest.mark.parametrize("wrong", ['exact_match"', '"main_metric": "exact_match"'])
def test_a_wrong_metric_is_said_before_any_model_is_asked(torr: Torr, tmp_path: Path, wrong: str) -> None:
    card = (shipped_folder("cards") / "bundled" / "cell_lookup.json").read_text()
    (tmp_path / "mine.json").write_text(card.replace(wrong, wrong.replace("match", "mach")))
    (tmp_path / "small.yaml").write_text(RECIPE.format(card=tmp_path / "mine.json"))
    line = one_line(torr("run", "small.yaml", "--out", "here"))
    assert "exact_mach" in line
    assert "exact_match" in line
    assert not (tmp_path / "here").exists()


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
