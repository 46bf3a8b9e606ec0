"""Progress and tables as people see them, in terminals of eighty columns and in pipes."""

from __future__ import annotations

import io
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from torr_plugin.cli import console as tables
from torr_plugin.cli.commands.plan import show_plan
from torr_plugin.cli.commands.status import headline, show_end, status_text, usage_rows
from torr_plugin.cli.console import remaining, shortened
from torr_plugin.cli.progress import RunProgress
from torr_plugin.cli.results import columns
from torr_plugin.recipes import Price
from torr_plugin.running.progress import ModelProgress
from torr_plugin.running.status import AnswerCounts, ErrorKind, ModelStatus, RunStatus
from torr_plugin.workflows.study import StudyOutline


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9_999, "9,999"), (10_000, "10.0K"), (999_949, "999.9K"), (999_950, "1.0M"),
     (70_123_456, "70.1M"), (2_000_000_000, "2.0G"), (5_600_000_000_000, "5.6T")],
)  # fmt: skip
def test_numbers_are_shortened(count: int, text: str) -> None:
    assert shortened(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0.2, "0 s"), (99, "99 s"), (150, "2 min"), (5_400, "90 min"), (12_000, "3 h 20"),
     (200_000, "2 d 7 h")],
)  # fmt: skip
def test_times_are_short(seconds: float | None, text: str) -> None:
    assert remaining(seconds) == text


def test_lines_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every so often; plain, also where colours are wanted in pipes."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with RunProgress() as progress:
        one, two = ModelProgress(2_000, 0), ModelProgress(10, 10)
        progress.show("one", one)
        progress.show("two", two)
        assert capsys.readouterr().err.splitlines() == [
            "one: 2,000 requests",
            "two: 10 of 10 requests already answered",
        ]
        one.add(500, 0, 5_000)
        progress.show("one", one)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr("torr_plugin.cli.progress.SECONDS_A_LINE", 0.0)
        one.total += 10
        one.add(1_000, 3, 5_000)
        progress.show("one", one)
        line = capsys.readouterr().err.splitlines()[-1]
        for part in (
            "one: 1,500 of 2,010; ",
            "/s",
            "tok/s",
            "3 failed",
            "left",
        ):
            assert part in line
        two.ended = True
        progress.show("two", two)
        one.add(510, 0, 0)
        one.ended = True
        progress.show("one", one)
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "two: done",
        "one: done, 3 failed",
    ]


def test_a_resumed_bar_begins_with_what_is_answered() -> None:
    with RunProgress() as progress:
        progress.show("one", ModelProgress(20_000, 10_500))
        (task,) = progress._progress.tasks
        assert task.completed == 10_500
        assert task.fields["facts"].startswith("10.5K/20.0K")


def test_a_model_that_stops_early_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    with RunProgress() as progress:
        state = ModelProgress(100, 0)
        progress.show("one", state)
        state.add(64, 0, 0)
        state.ended = True
        progress.show("one", state)
    assert capsys.readouterr().err.splitlines()[-1] == "one: ended at 64 of 100"


def status(**changes: object) -> RunStatus:
    counts = AnswerCounts(
        answered=123_456,
        failed=789,
        cut=4_321,
        prompt_tokens=9_000_000,
        completion_tokens=1_234_567,
        cached_tokens=6_000_000,
        cache_write_tokens=1_000_000,
        reasoning_tokens=900_001,
        unfinished=12_000,
        refused=300,
        last=1.7e9,
    )
    label = "an-organisation/a-model-with-a-long-name-70B-Instruct"
    live = {"rate": 1234.5, "token_rate": 98765.4, "seconds_left": 200_000.0}
    price = Price(prompt=0.5, completion=2.0, cached=0.25, cache_write=0.75)
    models = (ModelStatus(label, 350_000, counts, **live, price=price, right=50_000.5),)
    errors = (
        ErrorKind(
            "the prompt has N tokens, the model takes N with max_tokens N" * 2, 700, label, "ab" * 16, "x"
        ),
    )
    said: dict[str, object] = {
        "run": Path("runs/small"),
        "name": "small",
        "state": "running",
        "step": "asking",
        "writer": None,
        "last_writer": ("node-17", 4242),
        "models": models,
        "errors": errors,
        "notes": (),
    }
    return RunStatus(**{**said, **changes})  # type: ignore[arg-type]


def test_a_status_fits_eighty_columns() -> None:
    file = io.StringIO()
    Console(file=file, width=80).print(status_text(status(), 80))
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for part in ("350.0K", "123.5K", "789", "4,321", "1,234", "98.8K", "2 d 7 h", "abababab",
                 "9,000,000", "6,000,000", "1,000,000", "1,234,567", "900,001", "5.72"):  # fmt: skip
        assert part in text, part
    words = " ".join(text.split())
    assert "ran out of tokens: 10%; refused: <1%; cut: 4%" in words
    assert "0.00011 US dollars for each right answer" in words
    assert "789 requests failed; the errors are in the column error of runs/small/predictions" in words


def test_unknown_tokens_have_no_price() -> None:
    """What the engine does not report is said, and a price of nothing is not shown as 0."""
    (model,) = status().models
    silent = replace(model, model="silent", counts=AnswerCounts(answered=1_000, uncounted=1_000))
    assert silent.cost is None
    rows = usage_rows((model, silent))
    assert [(row["answers"], row["US dollars"]) for row in rows] == [
        (1_234_567, "5.72"),
        (0, ""),
        (1_234_567, "5.72"),
    ]
    assert usage_rows((silent,)) == []
    file = io.StringIO()
    Console(file=file, width=80).print(status_text(status(models=(model, silent)), 80))
    assert "silent: the tokens of 1,000 answers are not known" in " ".join(file.getvalue().split())


def test_times_are_local_and_name_their_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "EST5")
    time.tzset()
    try:
        file = io.StringIO()
        Console(file=file, width=80).print(status_text(status(), 80))
        assert "last answers stored at 2023-11-14 17:13:20 EST" in file.getvalue()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_run_that_ends_says_what_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    """A failed model's reason comes once, and what to do about it."""
    (model,) = status().models
    lost = replace(model, model="lost", counts=AnswerCounts(), unloaded="model 'lost' cannot be loaded: x")
    show_end(status(models=(model, lost)), {"lost", model.model})
    out, err = capsys.readouterr()
    words = " ".join(err.split())
    assert "total" in out
    assert err.count("cannot be loaded") == 1
    for part in (
        "789 requests failed (most often, 700 times: x); the errors are in",
        "model 'lost' cannot be loaded: x Once that is mended, the same command asks what is left",
    ):
        assert part in words, part


def test_a_run_that_ends_names_no_error_of_models_that_it_did_not_ask(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (model,) = status().models
    show_end(status(models=(model, replace(model, model="asked now"))), {"asked now"})
    assert "789 requests failed; the errors are in" in " ".join(capsys.readouterr().err.split())


def test_headlines() -> None:
    assert headline(status(state="done", step="done", models=())) == "runs/small: done"
    assert headline(status(state="done", step="done")).endswith("done; 225,755 requests have no answer")
    assert headline(status(state="stopped")) == (
        "runs/small: stopped while asking (host node-17, process 4242); run the same command again to resume"
    )


def test_a_plan_fits_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(tables, "results", lambda: file)
    monkeypatch.setenv("COLUMNS", "80")
    dataset = {
        "dataset": "tablebench_numerical_reasoning",
        "configurations": 350,
        "examples": 10_000,
        "shots": 5,
        "prompts": 3_500_000,
        "unique prompts": 3_500_000,
        "estimated tokens": 7_000_000_000,
        "longest prompt": 131_072,
        "shared beginning": 1.0,
    }
    model = {
        "model": "an-organisation/a-model-with-a-long-name-70B-Instruct",
        "requests": 3_500_000,
        "unique requests": 3_500_000,
        "prompt tokens": 7_000_000_000,
        "counted": "estimated",
        "saved tokens": 7_000_000_000,
        "saved in blocks": 6_000_000_000,
        "longest prompt": 131_072,
        "answer tokens": 350_000_000,
        "gpus": 8,
        "cost of prompts": 1_050_000.5,
        "cost of prompts cached": 500_000.25,
        "cost of answers": 210_000.0,
        "cost": 1_260_000.5,
    }
    show_plan(StudyOutline([dataset], [model], [], ["a note"], {}), Path("run"))
    text = file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for part in ("3,500,000", "~7.0G", "~131,072", "100%", "86%", "350.0M", "1,260,000.50"):
        assert part in text, part
    assert max(map(len, capsys.readouterr().err.splitlines())) <= 80


def test_a_leaderboard_in_eighty_columns_keeps_its_figures() -> None:
    label = "a-model-with-a-very-long-name-of-a-fine-tuned-checkpoint-v2.1-instruct-awq"
    figure = "0.12 [0.04, 0.68]"
    row = {"model": label, "performance": figure, "robustness": figure, "worst": "0.12", "best": "0.12"}
    lines = lines_of([{**row, "rank": "12"}], left=("model",), width=80)
    assert max(map(len, lines)) <= 80
    assert "".join(line.split()[0] for line in lines[1:]) == label
    assert lines[1].count(figure) == 2


def lines_of(rows: list[dict[str, Any]], *, left: tuple[str, ...], width: int) -> list[str]:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "results", lambda: stream)
        patch.setenv("COLUMNS", str(width))
        tables.print_rows(rows, left=left)
    return [line.rstrip() for line in stream.getvalue().split("\n")[:-1]]


def rows_of(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"model": name, "score": "0.123 [0.045, 0.678]", "n": 12_345, **more} for name in names]


def test_what_fits_is_a_plain_table() -> None:
    assert lines_of(rows_of("one", "second"), left=("model",), width=80) == [
        "model                  score       n",
        "one     0.123 [0.045, 0.678]  12,345",
        "second  0.123 [0.045, 0.678]  12,345",
    ]


def test_figures_are_never_cut() -> None:
    line = lines_of(rows_of("a-model"), left=("model",), width=30)[1]
    assert line == "a-model  0.123 [0.045, 0.678]  12,345"


def test_texts_are_broken_between_words() -> None:
    about = "needs a package that nobody has: see its documentation"
    assert lines_of(rows_of("a-name", about=about), left=("model", "about"), width=60) == [
        "model                  score       n  about",
        "a-name  0.123 [0.045, 0.678]  12,345  needs a package that",
        "                                      nobody has: see its",
        "                                      documentation",
    ]


def test_control_characters_do_not_reach_a_terminal() -> None:
    _, line = lines_of([{"model": "a\x1b[2Jb\nc"}], left=("model",), width=80)
    assert line == "a?[2Jb c"


CELLS = st.text(st.characters(exclude_categories=["Cs", "Mn", "Me"]), max_size=60)


@given(st.lists(st.tuples(CELLS, CELLS, st.integers(0, 10**6)), min_size=1, max_size=4), st.integers(40, 100))
def test_no_line_is_too_wide_and_no_figure_is_lost(cells: list[tuple[str, str, int]], width: int) -> None:
    rows = [{"model": name, "about": about, "n": n} for name, about, n in cells]
    lines = lines_of(rows, left=("model", "about"), width=width)
    assert max(map(cell_len, lines)) <= max(width, 8 + 2 + 8 + 2 + 9)
    assert all(any(line.endswith(f"{n:,}") for line in lines) for *_, n in cells)


class Terminal(io.StringIO):
    def fileno(self) -> int:
        return 5


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda handle: os.terminal_size((100 + handle, 24)))
    assert columns(Terminal()) == 105
    assert columns(io.StringIO()) == 80
    monkeypatch.setattr(os, "get_terminal_size", lambda handle: os.terminal_size((0, 0)))
    assert columns(Terminal()) == 80


@pytest.mark.parametrize(("told", "width"), [("120", 120), ("1", 40), ("0", 80), ("x", 80), ("-5", 80)])
def test_columns_says_otherwise(monkeypatch: pytest.MonkeyPatch, told: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert columns(io.StringIO()) == width


def test_a_column_of_texts_may_be_empty() -> None:
    rows = [{"design": "suc_no_role", "difference": "+0.000", "": ""}]
    lines = lines_of(rows, left=("design", ""), width=80)
    assert lines == ["design       difference", "suc_no_role      +0.000"]
