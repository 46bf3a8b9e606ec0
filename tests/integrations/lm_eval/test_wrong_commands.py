"""``python -m torr_plugin.integrations.lm_eval``: what is wrong is one line, and ``--debug`` shows where."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torr_plugin.integrations.lm_eval import __main__ as command

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
        (
            ("--model", "torr-lexical", "--model_args", "foo=1", "--tasks", TASK, "--limit", "1"),
            "lm-eval: TypeError: Lexical.__init__() got an unexpected keyword argument 'foo' (--debug shows",
        ),
        (("--model", "torr-lexical", "--limit", "1"), "lm-eval: ValueError: No tasks specified"),
        (("--model", "torr-lexical", "--tasks", "torr_wikitqq"), "lm-eval: ValueError: Tasks not found: t"),
        (("--model", "torr-lexical", "--tasks", "torr_wikitq", "--limit", "1"), "cards.wikitq: "),
        (
            ("--model", "torr-lexical", "--tasks", TASK, "--samples", f'{{"{TASK}": [20]}}'),
            "lm-eval: AssertionError: Elements of --samples should be in the interval",
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


def test_debug_shows_where(run: Run) -> None:
    with pytest.raises(ValueError, match="Tasks not found: nope"):
        run("--model", "torr-lexical", "--tasks", "nope", "--debug")


def test_ctrl_c(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_lm_eval", stopped)
    assert run() == (130, "torr: interrupted")


@pytest.mark.full
def test_samples_are_not_rated_if_that_is_wished(run: Run, tmp_path: Path) -> None:
    model = ("--model", "torr-lexical", "--tasks", TASK, "--output_path", str(tmp_path))
    assert run("run", *model, "--predict_only", "--samples", json.dumps({TASK: [4, 1]}))[0] == 0
    (path,) = tmp_path.rglob(f"samples_{TASK}_2*.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert [each["doc_id"] for each in found] == [4, 1]
    assert all(each["metrics"] == ["bypass"] and all(each["filtered_resps"]) for each in found)
