"""Logs of inspect_ai and instances of Every Eval Ever as runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing

from ..logs import test_eee as eee
from ..logs.inspect_output import head, sample, write_eval, write_json
from .conftest import Importing


@pytest.mark.parametrize(
    "write",
    [write_json, write_eval, partial(write_eval, chunked=True)],
    ids=["json", "eval", "chunked"],
)
def test_samples_are_answers_with_inspect_s_scores(importing: Importing, write: Callable[..., Any]) -> None:
    importing.source.mkdir()
    for model, values in {"org/a": "CI", "org/b": "CC"}.items():
        samples = [sample(at, match=value, f1=0.5) for at, value in enumerate(values, 1)]
        if write is write_json:
            said = {"role": "assistant", "content": "said"}
            asked = {"messages": [{"role": "user", "content": "asked"}, said]}
            samples = [
                s | asked | {"output": {"completion": "said", "choices": [{"message": said}]}}
                for s in samples
            ]
        name = f"{model[-1]}{'.json' if write is write_json else '.eval'}"
        write(importing.source / name, head(model, results=[("match", 0.5), ("f1", 0.5)]), samples)
    said_ = importing("inspect")
    assert (said_["models"], said_["datasets"], said_["holes"]) == (["org/a", "org/b"], {"quiz": 2}, 0)
    assert said_["notes"] == ["quiz: match is the main one of f1, match; --metric chooses another"]
    main = importing.main
    assert main[main.model == "org/a"].set_index("example").score.to_dict() == {"1": 1.0, "2": 0.0}
    run = importing.opened()
    assert run.predictions("org/a")["prediction"].to_pylist() == ["said", "said"]
    assert run.requests()["references"].to_pylist() == [["right 1"], ["right 2"]]
    assert run.study["imported"]["version"] == "0.3.285"
    assert {model["chat"] for model in run.study["models"]} == {True}


def test_failed_samples_and_unscored_ones_are_holes_and_later_epochs_are_left_out(
    importing: Importing,
) -> None:
    importing.source.mkdir()
    samples = [sample(i, e, match="C") for e in (1, 2) for i in (1, 2)]
    samples[0] = sample(1, 1, error="it broke")
    samples[1] = sample(2, 1, match=float("nan"))
    samples += [sample(3, e, match="I") for e in (1, 2)]
    header = head(ids=(1, 2, 3), epochs=2, results=[("match", 0.5)])
    write_eval(importing.source / "log.eval", header, samples)
    said = importing("inspect", code=1)
    assert importing.main_by_example == {"1": None, "2": None, "3": 0.0}
    assert (said["failed"], said["notes"][0]) == (
        1,
        "quiz: mockllm/a: of 2 epochs the first is imported; torr audit reads all",
    )


def test_long_texts_that_stand_beside_are_put_in(importing: Importing) -> None:
    importing.source.mkdir()
    said = {"role": "assistant", "content": "attachment://abc"}
    one = sample(1, match="C") | {
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "q"}, said],
        "output": {"completion": "", "choices": [{"message": said}]},
        "attachments": {"abc": "a long answer"},
    }
    write_json(importing.source / "log.json", head(ids=(1,), results=[("match", 1.0)]), [one])
    importing("inspect")
    run = importing.opened()
    assert run.predictions("mockllm/a")["prediction"].to_pylist() == ["a long answer"]
    assert "be brief" in str(run.requests().to_pylist())


@pytest.mark.parametrize(
    ("header", "samples", "line"),
    [
        (head(status="started"), [], "unfinished log: found status 'started'"),
        (head(ids=range(9), results=[]), [sample(1, match="C")], "holds 1 samples of 9, by its results"),
    ],
)
def test_logs_that_are_not_whole(importing: Importing, header: Any, samples: Any, line: str) -> None:
    importing.source.mkdir()
    write_json(importing.source / "log.json", header, samples)
    assert line in importing.refused("inspect")


def test_instances_are_answers_with_the_scores_of_their_result(importing: Importing) -> None:
    lines = [eee.line("1", 1.0), eee.line("2", 0.0), eee.line("3", 0.0, error="timeout")]
    eee.write(importing.source, [eee.result(score=0.5)], lines)
    said = importing("eee", code=1)
    assert (said["models"], said["datasets"], said["failed"]) == (["org/m"], {"quiz": 3}, 1)
    assert importing.main_by_example == {"1": 1.0, "2": 0.0, "3": None}
    assert set(importing.main.metric) == {"accuracy"}
    assert importing.opened().predictions("org/m")["prediction"].to_pylist() == ["said", "said", None]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "holds results without instances, so no answers; torr audit reads them"),
        ([eee.line("1", 1.0)], "none of the results has a score"),
    ],
)
def test_results_without_instances_or_with_other_ones(
    importing: Importing, lines: list[Any], message: str
) -> None:
    eee.write(importing.source, [eee.result(score=0.5)], lines)
    assert message in importing.refused("eee")


def test_real_logs_of_inspect(importing: Importing, shared_data: Path) -> None:
    folder = shared_data / "harness_logs" / "inspect"
    if not folder.is_dir():
        missing("these logs are not here")
    importing.source.mkdir()
    for name in ("data_arc_qwen.json", "data_pubmedqa_gpt4o_mini.json"):
        (importing.source / name).write_bytes((folder / name).read_bytes())
    said = importing("inspect")
    assert (said["models"], said["results"]) == (["ollama/qwen2.5:0.5b", "openai/azure/gpt-4o-mini"], 5)
    main = importing.main
    assert main[main.score.notna()].groupby("model").score.mean().tolist() == [pytest.approx(1 / 3), 1.0]
    prompts = importing.opened().requests()["prompt"].to_pylist()
    assert any("photosynthesis" in prompt for prompt in prompts)
