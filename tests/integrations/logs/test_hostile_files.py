"""Files that no harness writes, and layouts that several share: one line, or the right reader alone."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here
from torr_plugin.integrations.logs.log import recognising
from torr_plugin.integrations.logs.opencompass import OPENCOMPASS

from . import test_eee as eee
from .inspect_output import head, sample, write_eval, write_json, zipped

WHOLE = [("match", 1.0)]
HUGE = 10**30


def refusal(path: Path) -> str:
    """The one line in which torr audit refuses a path."""
    done = here("audit", path)
    (line,) = done.stderr.splitlines()
    assert (done.exit_code, done.stdout) == (2, "")
    assert line.startswith("torr: ")
    return line


def one_of_two(folder: Path, header: dict[str, Any], *samples: dict[str, Any]) -> None:
    for model in "ab":
        header["eval"]["model"] = model
        write_json(folder / f"{model}.json", header, samples)


def many_epochs(folder: Path) -> None:
    one_of_two(folder, head(status="error", epochs=HUGE), sample(1, match="C"))


def huge_epoch(folder: Path) -> None:
    one_of_two(folder, head(ids=(1,), results=WHOLE), sample(1, HUGE, match="C"))


def changed(path: Path, change: Callable[[bytearray, int], None]) -> None:
    """Change each entry of a zip file's directory."""
    data, at = bytearray(path.read_bytes()), -1
    while (at := data.find(b"PK\1\2", at + 1)) >= 0:
        change(data, at)
    path.write_bytes(data)


def encrypted(folder: Path) -> None:
    def mark(data: bytearray, at: int) -> None:
        data[at + 8] |= 1
        data[struct.unpack_from("<I", data, at + 42)[0] + 6] |= 1

    changed(write_eval(folder / "a.eval", head(), [sample(1, match="C")], method=8), mark)


def members_behind_the_end(folder: Path) -> None:
    path = write_eval(folder / "a.eval", head(), [sample(1, match="C")])
    size = path.stat().st_size
    changed(path, lambda data, at: struct.pack_into("<I", data, at + 42, size - 5))


def long_number(folder: Path) -> None:
    zipped(folder / "a.eval", {f"_journal/summaries/{'1' * 5000}.json": b"[]", "_journal/start.json": b"[]"})


def uncertain(folder: Path, **uncertainty: Any) -> None:
    one = eee.result()
    one["score_details"]["uncertainty"] = uncertainty
    for model in ("org/a", "org/b"):
        eee.write(folder, [one], model=model)


def no_range(folder: Path) -> None:
    eee.write(folder, [eee.result(score=0.0, n=9, min_score=0, max_score=0)])


def confidence_of_zero(folder: Path) -> None:
    uncertain(folder, confidence_interval={"lower": 0.4, "upper": 0.6, "confidence_level": 0})


def reversed_interval(folder: Path) -> None:
    uncertain(folder, confidence_interval={"lower": 0.6, "upper": 0.4})


def huge_count(folder: Path) -> None:
    uncertain(folder, num_samples=10**400)


def huge_error(folder: Path) -> None:
    uncertain(folder, standard_error={"value": 1e300})


def eee_epoch(folder: Path, epoch: str) -> None:
    lines = [eee.line(str(item), 1.0, metadata={"epoch": epoch}) for item in range(9)]
    for model in ("org/a", "org/b"):
        eee.write(folder, [eee.result(score=1.0, n=9)], lines, model=model)


def huge_scores(folder: Path) -> None:
    rows = "".join(f"{model},{item},{1.7e308 * (-1) ** item}\n" for model in "ab" for item in range(9))
    (folder / "t.csv").write_text(f"model,item,score\n{rows}")


def huge_number_of_items(folder: Path) -> None:
    (folder / "t.csv").write_text("model,task,score,n\na,t,0.5,1e300\nb,t,0.6,1e300\n")


def two_scales(folder: Path) -> None:
    for model, score in {"a": 1, "b": 100}.items():
        rows = "".join(f"{model},t,{item},{score * (item % 2)}\n" for item in range(9))
        (folder / f"{model}.csv").write_text(f"model,task,item,score\n{rows}")


def many_unsolved(folder: Path) -> None:
    (folder / "t.csv").write_text("model,task,item,n\na,t,x,1e12\nb,t,y,1e12\n")


def a_loop(folder: Path) -> None:
    (folder / "loop").symlink_to(folder / "loop")


CASES: dict[Callable[[Path], None], str] = {
    many_epochs: "epochs",
    huge_epoch: "epoch: found 1000000",
    encrypted: "a.eval: header.json: damaged: File",
    members_behind_the_end: "a.eval: header.json: damaged: ",
    long_number: "a.eval: found []; expected an object",
    no_range: "min_score 0 and max_score 0; expected",
    confidence_of_zero: "confidence_level",
    reversed_interval: "reversed",
    huge_count: "neither the number of items nor a standard error is known",
    huge_error: "standard error",
    huge_scores: "found a score of 1.7e+308",
    huge_number_of_items: "n: expected whole numbers of items",
    two_scales: "has shares in one file and percentages in another",
    many_unsolved: "number of all items",
}


@pytest.mark.parametrize("write", CASES, ids=lambda write: write.__name__)
def test_odd_files_are_one_line(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    assert CASES[write] in refusal(tmp_path)


@pytest.mark.parametrize("epoch", ["9" * 30, "9" * 5000])
def test_an_epoch_that_no_one_asked_is_none(tmp_path: Path, epoch: str) -> None:
    eee_epoch(tmp_path, epoch)
    assert here("audit", tmp_path).exit_code == 0


def test_a_loop_of_links_and_an_empty_folder_are_one_line(tmp_path: Path) -> None:
    a_loop(tmp_path)
    (tmp_path / "empty").mkdir()
    for arguments in ([tmp_path / "loop"], [tmp_path / "empty", "--format", "helm"]):
        done = here("audit", *arguments)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.json")
    assert "is a folder of none" in here("audit", tmp_path).stderr


def test_the_folder_of_another_harness_may_be_called_results(tmp_path: Path) -> None:
    """As lm_eval's --output_path often is; OpenCompass's files are known by theirs alone."""
    folder = tmp_path / "results" / "model"
    folder.mkdir(parents=True)
    for model in "ab":
        samples = [sample(item, match="C" if item % 3 else "I") for item in range(9)]
        write_json(folder / f"{model}.json", head(model, ids=range(9), results=[("match", 6 / 9)]), samples)
    for path in ([tmp_path], sorted(folder.iterdir())):
        done = here("audit", *path)
        assert (done.exit_code, "quiz (match)" in done.stdout) == (0, True), done.stderr


def test_nor_are_the_runs_of_helm_in_one_opencompass(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "quiz:model=a"
    folder.mkdir(parents=True)
    for name in ("run_spec.json", "stats.json", "scenario.json"):
        (folder / name).write_text("{}")
    assert not recognising(tmp_path, [OPENCOMPASS])
