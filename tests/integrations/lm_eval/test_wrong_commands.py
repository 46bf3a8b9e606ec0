"""``python -m torr_plugin.integrations.lm_eval``: what is wrong is one line, and ``--debug`` shows where."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval import __main__ as command
from torr_plugin.integrations.lm_eval.__main__ import line_of

TASK = "quickstart_bundled_aggregation"
GOOD = ("--model", "torr-lexical", "--tasks", TASK, "--limit", "1")

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(
    managers_read: list[bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """The command in this process, without lm-eval's own 14,000 tasks: exit code and last line of stderr."""
    monkeypatch.setattr("lm_eval.utils.setup_logging", lambda: None)
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["lm_eval", *arguments])
        level = logging.getLogger().level
        try:
            command.main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        else:
            code = 0
        finally:
            logging.getLogger().setLevel(level)
        return code, [*capsys.readouterr().err.splitlines(), ""][-2 if code else -1]

    return call


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "torr-lexcal", "--tasks", TASK), "unknown model 'torr-lexcal'; did you mean 'torr-lex"),
        (
            ("--model", "torr-lexical", "--tasks", TASK, "--limit", "1", "--apply_chat_template"),
            "the embedded baselines read plain text; leave out --apply_chat_template",
        ),
        (("--model", "torr-lexical", "--tasks", TASK, "--limit", "0"), f"--limit: {TASK}: expected a"),
        (
            ("--model", "torr-lexical", "--model_args", "foo=1", "--tasks", TASK, "--limit", "1"),
            "lm-eval: TypeError: Lexical.__init__() got an unexpected keyword argument 'foo' (--debug shows",
        ),
        (("--model", "torr-lexical", "--limit", "1"), "lm-eval: ValueError: No tasks specified"),
        (("--model", "torr-lexical", "--tasks", "torr_wikitq", "--limit", "1"), "cards.wikitq: "),
        (
            ("--model", "torr-lexical", "--tasks", TASK, "--samples", f'{{"{TASK}": [20]}}'),
            f"--samples: {TASK}: found 20; expected numbers from 0 to 19",
        ),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(
    run: Run, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORR_DATA", "/nowhere")
    code, line = run(*arguments)
    assert code == 2
    assert line.startswith(f"torr: {said}")


def test_both_of_two_unknown_tasks_are_named(run: Run) -> None:
    code, line = run("--model", "torr-lexical", "--tasks", "quickstart_bundled_agregation,torr_wikitqq")
    assert code == 2
    assert f"torr: --tasks: unknown task 'quickstart_bundled_agregation', did you mean '{TASK}'" in line
    assert "; unknown task 'torr_wikitqq', did you mean 'torr_wikitq'" in line


def test_debug_shows_where(run: Run) -> None:
    with pytest.raises(ValueError, match="Tasks not found: nope"):
        run("--model", "torr-lexical", "--tasks", "nope", "--debug")


def test_an_error_of_ours_is_said_to_be_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.integrations.lm_eval import task

    def broken(*given: Any) -> Any:
        raise KeyError("x\ny")

    monkeypatch.setattr(task, "example_figures", broken)
    code, line = run(*GOOD)
    assert (code, line) == (
        70,
        "torr: internal error: KeyError: 'x\\ny' (--debug shows the traceback)",
    )


def test_ctrl_c(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_lm_eval", stopped)
    assert run() == (130, "torr: interrupted")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    from torr_plugin.cli.results import reader_may_leave

    reading, writing = os.pipe()
    with open(writing, "w") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        with reader_may_leave():
            print("a table")
            sys.stdout.flush()
            assert os.read(reading, 100) == b"a table\n"
            os.close(reading)
            for _ in range(3):
                print("x" * 100_000)
            (tmp_path / "results").write_text("written after it")
        assert sys.stdout is stream
    assert (tmp_path / "results").exists()


@pytest.mark.full
def test_the_command_s_reader_may_go_away(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As of ``| head -1``: its results are written all the same."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as stream:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            code, line = run(*GOOD, "--output_path", str(tmp_path))
        stream.flush()  # raises where something was written to it and not dropped
    assert (code, "Traceback" in line) == (0, False)
    assert list(tmp_path.rglob("results_*.json"))


def test_an_option_among_the_model_s_arguments_is_named() -> None:
    error = TypeError("lm_eval.models.huggingface.HFLM() got multiple values for keyword argument 'device'")
    expected = "--model_args: device is an option of lm-eval's command line; expected --device VALUE"
    assert line_of(error, list) == expected


def test_a_long_message_and_names_are_bounded() -> None:
    def known() -> list[str]:
        return ["a"]

    missing = ValueError("Tasks not found: " + ", ".join(str(each) * 200 for each in range(9)))
    for error in (missing, ValueError("x" * 5000)):
        assert len(line_of(error, known)) < 1000
    assert line_of(missing, known).endswith("; and 6 more")


@pytest.mark.full
def test_samples_are_not_rated_if_that_is_wished(run: Run, tmp_path: Path) -> None:
    model = ("--model", "torr-lexical", "--tasks", TASK, "--output_path", str(tmp_path))
    assert run("run", *model, "--predict_only", "--samples", json.dumps({TASK: [4, 1]}))[0] == 0
    (path,) = tmp_path.rglob(f"samples_{TASK}_2*.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert [each["doc_id"] for each in found] == [4, 1]
    assert all(each["metrics"] == ["bypass"] and all(each["filtered_resps"]) for each in found)
