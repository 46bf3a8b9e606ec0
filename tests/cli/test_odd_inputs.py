"""What people type by mistake: every command ends with exit code 2 and one clear line, and writes nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.main import get_command

from torr_plugin.cli.app import app
from torr_plugin.cli.command import INPUT_WRONG, run_app

from .in_process import here

RECIPE = """\
name: small
cards: [cards.bundled.cell_lookup]
configurations: [html/none/default]
examples: {count: 4}
demonstrations: {shots: 0}
models: [torr-majority]
analysis: {resamples: 5}
"""
SCORES = "model,dataset,config,example,metric,score\n"
ROW = "a,d,c,1,accuracy,{}\n"
BATTLES = "question,model_a,model_b,winner\n"
FILES: dict[str, str | bytes] = {
    "empty": "",
    "empty.yaml": "",
    "empty.csv": "",
    "empty.jsonl": "",
    "empty.parquet": "",
    "junk.yaml": bytes(range(256)) * 9,
    "junk.csv": bytes(range(128, 256)) * 9,
    "junk.jsonl": bytes(range(256)) * 9,
    "junk.parquet": b"PAR1" + bytes(range(256)) + b"PAR1",
    "junk.zip": b"PK\3\4" + bytes(99),
    "text.txt": "Dear diary,\n",
    "list.yaml": "- one\n- two\n",
    "number.yaml": "7\n",
    "broken.yaml": "name: [small\ncards: }\n",
    "twice.yaml": f"{RECIPE}name: again\n",
    "wrong_types.yaml": RECIPE.replace("[cards.bundled.cell_lookup]", "{a: 1}"),
    "wrong_count.yaml": RECIPE.replace("count: 4", "count: -1"),
    "wrong_table.yaml": RECIPE.replace("count: 4", "count: 4, table_tokens: few"),
    "narrow.yaml": RECIPE.replace("count: 4", "count: 4, table_tokens: 3"),
    "wrong_key.yaml": f"{RECIPE}cardz: [x]\n",
    "no_cards.yaml": RECIPE.replace("[cards.bundled.cell_lookup]", "[]"),
    "no_models.yaml": RECIPE.replace("models: [torr-majority]\n", ""),
    "wrong_resamples.yaml": RECIPE.replace("resamples: 5", "resamples: many"),
    "recipe.yaml": RECIPE,
    "header.csv": SCORES,
    "no_header.csv": ROW.format(1),
    "words.csv": SCORES + ROW.format("good"),
    "two.csv": SCORES + ROW.format("2"),
    "nameless.csv": SCORES + ROW.format(1).replace("a,", ",", 1),
    "ragged.csv": SCORES + ROW.format("1,2,3,4"),
    "list.jsonl": "[1, 2]\n",
    "broken.jsonl": '{"model": "a"\n',
    "scores.csv": SCORES + "".join(ROW.format(1).replace("1,", f"{n},", 1) for n in range(6)),
    "answers.csv": "example,prediction\nnowhere,x\n",
    "unnamed.csv": "a,b\n1,2\n",
    "card.json": '{"__type__": "task_card"}',
    "card_list.json": "[]",
    "towns/towns.csv": "Town,Visitors\nHarwich,7\n",
    "filed/a.html": "<table><tr><th>Town</th><th>Ships</th></tr><tr><td>Harwich</td><td>7</td></tr></table>",
    "questions.csv": "table,question,answer\nnowhere,Which?,Harwich\n",
    "no_answers.csv": "table,question\ntowns,Which?\n",
    "not_a_run/study.yaml": "name: [1\n",
    "old_run/study.yaml": "format: 99\n",
    "list_run/study.yaml": "- 1\n",
    "battles.csv": BATTLES + "q1,a,b,model_a\nq2,a,b,model_b\n",
    "alone.csv": BATTLES + "q1,a,a,tie\n",
    "apart.csv": BATTLES + "q1,a,b,tie\nq1,c,d,tie\n",
    "homepage/index.html": "<html>somebody's page</html>",
    "models_number.yaml": "7\n",
    "models_wrong.yaml": "- {name: a, size: big}\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of things that are not what a command wants, and a run that is whole."""
    made = tmp_path_factory.mktemp("odd")
    for name, content in FILES.items():
        path = made / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (made / "folder").mkdir()
    done = here("run", made / "recipe.yaml", "--out", made / "run")
    assert done.exit_code == 0, done.output
    shutil.copytree(made / "run", made / "unscored")
    (made / "unscored" / "scores.parquet").unlink()
    shutil.copytree(made / "run", made / "damaged")
    (made / "damaged" / "scores.parquet").write_bytes(b"PAR1")
    return made


CASES = Path(__file__).with_name("odd_inputs.txt").read_text(encoding="utf-8").splitlines()
"""What is typed behind ``torr`` in the folder; ``{locked}`` is one that nobody may write."""


Typed = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def typed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Runs a line in the folder as from a shell; exit code, stdout and stderr."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TORR_DATA", raising=False)

    def run(line: str) -> tuple[int, str, str]:
        locked = "/proc" if os.name == "posix" else "?"
        monkeypatch.setattr(sys, "argv", ["torr", *line.format(locked=locked).split()])
        with pytest.raises(SystemExit) as ended:
            run_app(app)
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def contents(folder: Path) -> dict[Path, tuple[int, int] | None]:
    """Every file with its size and time, and every folder; a lock that came and went is no change."""
    stats = {path: path.stat() for path in folder.rglob("*")}
    return {path: None if path.is_dir() else (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def what_is_wrong(folder: Path, before: Mapping[Path, object], said: tuple[int, str, str]) -> list[str]:
    code, out, err = said
    found = [f"exit code {code}"] if code != INPUT_WRONG else []
    found += [f"on stdout: {out[:60]!r}"] if out else []
    mistyped = err.startswith("Usage: ")  # which typer answers
    if not mistyped and (err.count("\n") != 1 or not err.startswith("torr: ")):
        found.append(f"no one line: {err[:200]!r}")
    changed = {path for path, _ in contents(folder).items() ^ before.items()}
    return [*found, *(f"{path.relative_to(folder)} was written" for path in sorted(changed))]


def test_there_are_many_of_every_command() -> None:
    assert len(CASES) >= 200
    assert set(get_command(app).commands) <= {line.split()[0] for line in CASES}  # type: ignore[attr-defined]


@pytest.mark.full
@pytest.mark.parametrize("command", dict.fromkeys(line.split()[0] for line in CASES))
def test_an_odd_input_is_one_line_and_writes_nothing(folder: Path, typed: Typed, command: str) -> None:
    wrong = {}
    for line in (each for each in CASES if each.split()[0] == command):
        before = contents(folder)
        found = what_is_wrong(folder, before, typed(line))
        if found:
            wrong[line] = found
    assert wrong == {}
