"""``python -m torr_plugin.integrations.lm_eval``: what is wrong is one line, and ``--debug`` shows where."""

from __future__ import annotations

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

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, without lm-eval's own 14,000 tasks: exit code and last line of stderr."""
    from lm_eval import __main__ as theirs
    from lm_eval.api import registry
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.tasks import TaskManager

    make = TaskManager.__init__

    def made(self: Any, verbosity: str | None = None, include_path: Any = None, **options: Any) -> None:
        make(self, verbosity, include_path, **{**options, "include_defaults": False})

    monkeypatch.setattr(TaskManager, "__init__", made)
    monkeypatch.setattr(EvaluatorConfig, "process_tasks", EvaluatorConfig.process_tasks)
    monkeypatch.setattr(registry, "get_model", registry.get_model)
    monkeypatch.setattr(theirs, "setup_logging", lambda: None)
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
            ("--model", "torr-lexical", "--tasks", "quickstart_bundled_agregation,torr_wikitqq"),
            f"--tasks: unknown task 'quickstart_bundled_agregation', did you mean '{TASK}'",
        ),
        (
            ("--model", "torr-lexical", "--tasks", TASK, "--limit", "1", "--apply_chat_template"),
            "the embedded baselines read plain text; leave out --apply_chat_template",
        ),
        (("--model", "torr-lexical", "--tasks", TASK, "--limit", "-3"), f"--limit: {TASK}: expected a"),
        (("--model", "torr-lexical", "--tasks", TASK, "--limit", "0"), f"--limit: {TASK}: expected a"),
        (
            ("--model", "torr-lexical", "--model_args", "foo=1", "--tasks", TASK, "--limit", "1"),
            "lm-eval: TypeError: Lexical.__init__() got an unexpected keyword argument 'foo' (--debug shows",
        ),
        (("--model", "torr-lexical", "--limit", "1"), "lm-eval: ValueError: No tasks specified"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, line = run(*arguments)
    assert code == 2
    assert line.startswith(f"torr: {said}")


def test_both_of_two_unknown_tasks_are_named(run: Run) -> None:
    _, line = run("--model", "torr-lexical", "--tasks", "quickstart_bundled_agregation,torr_wikitqq")
    assert "; unknown task 'torr_wikitqq', did you mean 'torr_wikitq'" in line


def test_debug_shows_where(run: Run) -> None:
    with pytest.raises(ValueError, match="Tasks not found: nope"):
        run("--model", "torr-lexical", "--tasks", "nope", "--debug")


def test_an_error_of_ours_is_said_to_be_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.integrations.lm_eval import task

    def broken(*given: Any) -> Any:
        raise KeyError("x\ny")

    monkeypatch.setattr(task, "example_figures", broken)
    code, line = run("--model", "torr-lexical", "--tasks", TASK, "--limit", "1")
    assert (code, line) == (
        70,
        "torr: internal error: KeyError: 'x\\ny' (--debug shows the traceback)",
    )


def test_ctrl_c(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> None:
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


def test_the_command_s_reader_may_go_away(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    monkeypatch.setattr(command, "_lm_eval", lambda: print("x" * 100_000))
    monkeypatch.setattr(command, "register", lambda: None)
    monkeypatch.setattr(command, "_include", lambda *given: None)
    monkeypatch.setattr(command, "_look_models_up_here", lambda: None)
    monkeypatch.setattr(sys, "argv", ["lm_eval"])
    with open(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        command.main()
        monkeypatch.undo()


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


def test_a_good_command_ends_with_its_table(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("--model", "torr-lexical", "--tasks", TASK, "--limit", "1")[0] == 0
