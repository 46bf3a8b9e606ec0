"""``torr audit`` as it is typed: what it prints and writes, its exit codes and messages."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from lxml import html

from tests.cli.in_process import here

HOSTILE = ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "a|b`c`*d*", "evil\u202egnp.exe"]


def write(
    path: Path, scores: dict[str, np.ndarray], models: list[str], configs: dict[str, str] | None = None
) -> Path:
    """A file of scores, (models x items) a task, of the shape of ``scores.parquet``."""
    rows = [
        (
            model,
            task.partition("@")[0],
            (configs or {}).get(task, "plain"),
            f"i{item}",
            "accuracy",
            own[at, item],
        )
        for task, own in scores.items()
        for at, model in enumerate(models)
        for item in range(own.shape[1])
    ]
    pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "metric", "score"]).to_csv(
        path, index=False
    )
    return path


def answers(shares: list[float], items: int = 200, seed: int = 0, luck: float = 0.1) -> np.ndarray:
    """Right and wrong answers; a better model has all that a worse one has, but for a share by luck."""
    rng = np.random.default_rng(seed)
    hard, by_luck = rng.random(items), rng.random((len(shares), items)) < luck
    own = rng.random((len(shares), items))
    return (np.where(by_luck, own, hard) < np.array(shares)[:, None]).astype(float)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    scores = {f"t{seed}": answers([0.9, 0.6, 0.58, 0.3], seed=seed) for seed in range(2)}
    return write(tmp_path / "board.csv", scores, HOSTILE)


def test_every_output_of_an_audit(board: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = here("audit", board, "--out", out)
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    for said in (
        "Overall, the mean of 2 tasks (accuracy)",
        "5 of 6 pairs are separated",
        "1 model could be first",
    ):
        assert said in done.stdout
    assert "Of 3 pairs of neighbours in the order by score, 2 are separated" in done.stdout
    assert "\u202e" not in done.stdout
    assert {path.name for path in out.iterdir()} == {
        *("audit.json", "audit.html", "audit.md", "models.csv", "pairs.csv")
    }
    record = json.loads((out / "audit.json").read_text())
    assert record["overall"]["groups"] == [[HOSTILE[0]], [HOSTILE[1], HOSTILE[2]], [HOSTILE[3]]]
    with (out / "models.csv").open() as file:
        models = list(csv.DictReader(file))
    assert [row["model"] for row in models[:2]] == [HOSTILE[0], f"'{HOSTILE[1]}"]
    assert len(models) == 3 * 4
    with (out / "pairs.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3 * 6


def test_the_page_has_no_text_of_others_as_markup_and_needs_nothing_else(board: Path, tmp_path: Path) -> None:
    here("audit", board, "--out", tmp_path / "out")
    text = (tmp_path / "out" / "audit.html").read_text()
    page = html.document_fromstring(text)
    assert page.xpath("//script | //link | //img | //@src | //@href") == []
    assert "default-src 'none'" in text
    names = [each.text_content() for each in page.xpath("//section//tbody/tr/th/bdi")]
    assert HOSTILE[0] in names
    assert "\u202e" not in text


def test_the_text_for_an_issue_is_plain(board: Path, tmp_path: Path) -> None:
    here("audit", board, "--out", tmp_path / "out")
    text = (tmp_path / "out" / "audit.md").read_text()
    assert "<script" not in text.replace("\\<script", "")
    assert "\u202e" not in text
    assert all(line.count("|") - line.count("\\|") == 5 for line in text.splitlines() if line.startswith("|"))


def test_json_is_what_is_written(board: Path, tmp_path: Path) -> None:
    done = here("audit", board, "--out", tmp_path / "out", "--json")
    assert json.loads(done.stdout) == json.loads((tmp_path / "out" / "audit.json").read_text())


def test_order_and_names_of_the_table_change_no_figure(board: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(board)
    frame.sample(frac=1.0, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False)
    one, other = (
        json.loads(here("audit", path, "--json").stdout) for path in (board, tmp_path / "shuffled.csv")
    )
    assert one["overall"] == other["overall"]


@pytest.mark.parametrize(
    ("shares", "code"), [([0.9, 0.6, 0.3], 0), ([0.9, 0.6, 0.59], 1), ([0.9, 0.9, 0.3], 0)]
)
def test_false_ranks_fail(tmp_path: Path, shares: list[float], code: int) -> None:
    scores = answers(shares)
    if shares[0] == shares[1]:
        scores[1] = scores[0]  # an exact tie claims nothing
    path = write(tmp_path / "board.csv", {"task": scores}, ["a", "b", "c"])
    done = here("audit", path, "--fail-on-false-rank")
    assert (done.exit_code, "of neighbours not separated" in done.stderr) == (code, code == 1)
    assert here("audit", path).exit_code == 0


def test_the_ranks_that_a_table_states(tmp_path: Path) -> None:
    """The second is better than the first by its score, and the third as good."""
    path = tmp_path / "board.csv"
    path.write_text("rank,model,score,n\n1,a,0.60,2000\n2,b,0.80,2000\n3,c,0.79,2000\n4,d,0.2,2000\n")
    done = here("audit", path, "--fail-on-false-rank", "--json")
    record = json.loads(done.stdout)
    assert (done.exit_code, record["order"], record["false_ranks"]) == (1, "rank", 2)
    pairs = [
        (pair["first"], pair["separated"], pair["difference"] > 0) for pair in record["overall"]["neighbours"]
    ]
    assert pairs == [("a", False, False), ("b", False, True), ("c", True, True)]


def test_a_table_of_means_that_does_not_say_of_how_many(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,gsm8k,mmlu\na,0.8,0.7\nb,0.6,0.5\n")
    refused(
        here("audit", path),
        r"gsm8k: neither the number of items nor a standard error is known.*--n gsm8k=NUMBER",
    )
    for counts in (["--n", "gsm8k=1319", "--n", "mmlu=14042"], ["--n", "gsm8k=1319,mmlu=14042"]):
        done = here("audit", path, *counts)
        assert (done.exit_code, "1 of 1 pair is separated" in done.stdout) == (0, True)


def test_over_tasks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "board.csv", {f"t{seed}": answers([0.9, 0.5], seed=seed) for seed in range(6)}, ["a", "b"]
    )
    done = here("audit", path, "--over", "tasks")
    assert done.exit_code == 0
    assert "2 models, 6 tasks" in done.stdout
    assert "on other tasks like these" in " ".join(done.stdout.split())


def test_only_some_tasks(board: Path) -> None:
    assert "t1 (accuracy)" in here("audit", board, "--tasks", "t1").stdout


def gated(tmp_path: Path, new: float, *more: str | Path) -> Any:
    tasks = {"t@a": answers([0.8, new], 1000, luck=0.02), "t@b": answers([0.8, 0.8], 1000, seed=1, luck=0.02)}
    return here(
        "audit",
        write(
            tmp_path / "new.csv",
            {task: own[1:] for task, own in tasks.items()},
            ["m"],
            {"t@a": "csv", "t@b": "html"},
        ),
        "--against",
        write(
            tmp_path / "base.csv",
            {task: own[:1] for task, own in tasks.items()},
            ["m"],
            {"t@a": "csv", "t@b": "html"},
        ),
        *more,
    )


@pytest.mark.parametrize(
    ("new", "code", "said"),
    [(0.8, 0, "PASS: m is not worse"), (0.7, 1, "FAIL: in 1 of 2 comparisons m may be worse")],
)
def test_the_gate(tmp_path: Path, new: float, code: int, said: str) -> None:
    out = tmp_path / "out"
    done = gated(tmp_path, new, "--out", out)
    assert done.exit_code == code, done.output
    verdict, _, why = said.partition(": ")
    assert f"{verdict}\n    {why}" in done.stdout
    assert "t, csv" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert {path.name for path in out.iterdir()} == {"audit.json", "audit.html", "audit.md", "gate.csv"}
    assert said in (out / "audit.html").read_text()
    assert json.loads(gated(tmp_path, new, "--json").stdout)["passed"] == (code == 0)


def test_the_gate_within_a_board(tmp_path: Path) -> None:
    path = write(tmp_path / "board.csv", {"t": answers([0.8, 0.8], 1000, luck=0.02)}, ["old", "new"])
    assert here("audit", path, "--against", "old").exit_code == 0


def test_an_audit_replaces_an_earlier_one_and_nothing_else(board: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    here("audit", board, "--against", HOSTILE[3], "--out", out)
    assert here("audit", board, "--out", out).exit_code == 0
    assert not (out / "gate.csv").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    refused(here("audit", board, "--out", tmp_path / "other"), "is not empty and holds no earlier audit")


def refused(done: Any, message: str) -> None:
    (line,) = done.stderr.strip().splitlines()
    assert (done.exit_code, line.startswith("torr: ")) == (2, True), done.output
    assert re.search(message, line), line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--margin", "0.02"], "--margin: found without --against"),
        (["--against", "x", "--over", "tasks"], "--against: found with .* expected one question"),
        (["--against", "nobody"], "--against: unknown model 'nobody'"),
        (
            ["--tasks", "t3"],
            r"--tasks: unknown task 't3'; did you mean 't1' or 't0'|--tasks: unknown task 't3'",
        ),
        (["--metric", "f1"], "--metric f1: task 't0' has no such metric; expected one of: accuracy"),
        (["--over", "tasks"], "--over tasks: found 2 tasks; expected 5 or more"),
        (["--n", "t0"], "--n t0: expected TASK=NUMBER"),
        (["--n", "t0=10"], "--n t0=10: no such task has aggregates alone"),
    ],
)
def test_what_does_not_fit_is_one_line(board: Path, options: list[str], message: str) -> None:
    refused(here("audit", board, *options), message)


def test_one_model_and_no_common_items_are_one_line(tmp_path: Path) -> None:
    one = write(tmp_path / "one.csv", {"t": answers([0.5])}, ["a"])
    refused(here("audit", one), "found one model, 'a'; expected two models or more")
    frame = pd.read_csv(write(tmp_path / "apart.csv", {"t": answers([0.5, 0.6])}, ["a", "b"]))
    frame["example"] = frame["model"] + frame["example"]
    frame.to_csv(tmp_path / "apart.csv", index=False)
    refused(here("audit", tmp_path / "apart.csv"), "no two models have two items of a task in common")


def test_the_action_calls_the_gate_as_it_is(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples" / "audit-gate" / ".github" / "workflows" / "gate.yml"
    steps = yaml.safe_load(path.read_text())["jobs"]["gate"]["steps"]
    (line,) = (step["run"] for step in steps if "torr audit" in step.get("run", ""))
    words = shlex.split(line)[1:]
    gated(tmp_path, 0.8)
    there = {"logs/new": tmp_path / "new.csv", "logs/base": tmp_path / "base.csv", "gate": tmp_path / "gate"}
    assert here(*(there.get(word, word) for word in words)).exit_code == 0
    assert (tmp_path / "gate" / "audit.md").exists()


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_fits_its_window(browser: Any, board: Path, tmp_path: Path, width: int, scheme: str) -> None:
    here("audit", board, "--out", tmp_path / "out")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((tmp_path / "out" / "audit.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.full
@pytest.mark.parametrize(
    ("board", "models", "ties", "separated"), [("musr", 448, 329, 6189), ("arc_challenge", 218, 58, 16575)]
)
def test_no_neighbours_of_two_public_boards_are_separated(
    shared_data: Path, board: str, models: int, ties: int, separated: int
) -> None:
    """448 models on 756 items: the scores of 329 are exactly that of the one before."""
    found = json.loads(here("audit", shared_data / "score_matrices" / f"{board}.parquet", "--json").stdout)[
        "overall"
    ]
    assert (len(found["models"]), found["exact_ties"], found["separated"]) == (models, ties, separated)
    assert len(found["neighbours"]) == found["false_ranks"] == models - 1 - ties
