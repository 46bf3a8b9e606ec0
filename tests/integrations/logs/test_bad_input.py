"""Bad logs and the real command: one line, exit code 2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.in_process import here

from . import test_eee as eee
from .inspect_output import head, sample, write_eval, write_json, zipped

WHOLE = [("match", 1.0)]


def cut(folder: Path) -> None:
    write_eval(folder / "a.eval", head(), [sample(1, match="C")])
    (folder / "a.eval").write_bytes((folder / "a.eval").read_bytes()[:-9])


def bomb(folder: Path) -> None:
    zipped(folder / "a.eval", {"header.json": b" " * (70 << 20)})


def nan(folder: Path) -> None:
    eee.write(folder, [eee.result(score=float("nan"))])


def started(folder: Path) -> None:
    write_json(folder / "a.json", head(status="started"), [sample(1, match="C")])


def two_targets(folder: Path) -> None:
    for model in ("a", "b"):
        one = sample(1, match="C") | {"target": model}
        write_json(folder / f"{model}.json", head(model, ids=(1,), results=WHOLE), [one])


def two_ids(folder: Path) -> None:
    write_json(folder / "a.json", head(results=WHOLE), [sample(1, match="C"), sample("1", match="C")])


def percent(folder: Path) -> None:
    for model, score in {"org/a": 0.5, "org/b": 60.0}.items():
        eee.write(folder, [eee.result(score=score, max_score=None)], model=model)


def two_names(folder: Path) -> None:
    for model in ("Llama-3 8B", "llama_3-8b"):
        name = f"{model[0]}.json"
        write_json(folder / name, head(model, ids=(1,), results=WHOLE), [sample(1, match="C")])


def blank(folder: Path) -> None:
    write_json(folder / "a.json", head("model ", ids=(1,), results=WHOLE), [sample(1, match="C")])


def two_versions(folder: Path) -> None:
    for version in (1, 2):
        header = head(f"m{version}", ids=(1,), results=WHOLE, task_version=version)
        write_json(folder / f"{version}.json", header, [sample(1, match="C")])


def out_of_bounds(folder: Path) -> None:
    eee.write(folder, [eee.result(score=1.25)])


CASES: dict[Callable[[Path], None], str] = {
    cut: "a.eval: is not a whole .eval log",
    bomb: "bytes that become 73,400,320; expected a log",
    nan: "score: found nan; expected a finite number",
    started: "found status 'started'; expected a finished one",
    two_targets: "item '1': has two questions or targets; expected one item under one id",
    two_ids: "two samples of id 1, a number and a text; expected one",
    percent: "a share beside a percentage?",
    two_names: "are one name, written in two ways; expected one",
    blank: "model 'model ': has a blank at its beginning or end",
    two_versions: "task 'quiz': has two versions, 1 and 2; expected one",
    out_of_bounds: "found a score of 1.25; expected 0 to 1",
}


@pytest.mark.parametrize("write", CASES, ids=lambda write: write.__name__)
def test_bad_logs_are_one_line(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    done = here("audit", tmp_path)
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (2, "")
    assert line.startswith("torr: ")
    assert CASES[write] in line
