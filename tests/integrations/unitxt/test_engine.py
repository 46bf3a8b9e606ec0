"""The embedded models as engines of unitxt, and unitxt's own command with our catalog."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import load_card
from torr_plugin.core.errors import ModelError
from torr_plugin.integrations.record import read_record
from torr_plugin.integrations.studies import plan_of, requests_of, study_parts
from torr_plugin.integrations.unitxt.instances import prompt_of
from torr_plugin.recipes import ModelEntry
from torr_plugin.running.loaded_model import load_model
from torr_plugin.running.request_sources import PendingRequest
from torr_plugin.scoring import score_example

RECIPE = "recipes.quickstart.bundled.cell_lookup.html.transpose"


def own_answers(name: str, model: str, limit: int) -> list[tuple[str, float]]:
    """Answers and main scores by our own runner and rating."""
    (part,) = [each for each in study_parts("quickstart") if each.recipe == name]
    planned = plan_of("quickstart", part.dataset, limit)
    requests = list(requests_of(planned, part))
    loaded = load_model(ModelEntry(model=model), planned.generation)
    answers = loaded.answers([PendingRequest(str(at), each.prompt) for at, each in enumerate(requests)])
    card = planned.cards[part.dataset]
    return [
        (
            str(answer.prediction),
            score_example(card, str(answer.prediction), each.references, each.facts)[card.main_metric],
        )
        for answer, each in zip(answers, requests, strict=True)
    ]


@pytest.mark.parametrize("model", ["torr-lexical", "torr-majority"])
def test_an_engine_answers_as_torr_run(model: str) -> None:
    from unitxt import evaluate, load_dataset
    from unitxt.artifact import fetch_artifact

    engine, _ = fetch_artifact(f"engines.torr.{model.removeprefix('torr-')}")
    found = load_dataset(RECIPE, split="test", max_test_instances=6)
    predictions = engine(found)
    assert engine.get_engine_id() == model
    result = evaluate(predictions=predictions, data=found)
    scores = [each["score"]["instance"]["score"] for each in result]
    assert list(zip(predictions, scores, strict=True)) == own_answers(RECIPE, model, 6)


def test_generation_is_the_studys_unless_it_is_given() -> None:
    from torr_plugin.integrations.unitxt.engine import TorrEngine

    engine = TorrEngine(model="torr-lexical", max_tokens=7)
    assert engine._generation({"max_tokens": 64, "temperature": 0.5, "until": ["\n"]}) == {
        "max_tokens": 7,
        "temperature": 0.5,
        "until": ["\n"],
    }


def test_what_a_model_cannot_answer_is_told() -> None:
    from torr_plugin.integrations.unitxt.engine import TorrEngine

    engine = TorrEngine(model="torr-lexical")
    engine._loaded._lm.generate_until = lambda *given, **named: 1 / 0
    with pytest.raises(ModelError, match=r"1 of 1 requests failed, the first: .*division"):
        engine.infer([{"source": "x"}])


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Run]:
    """The command in this process: exit code, stderr and what unitxt logged."""
    from unitxt import evaluate_cli

    from torr_plugin.integrations.unitxt import __main__ as ours

    monkeypatch.setattr(evaluate_cli, "setup_logging", lambda verbosity: None)

    def call(*more: str, task: str = RECIPE) -> tuple[int, str, str]:
        arguments = ["--tasks", task, "--model", "torr-lexical", "--output_path", str(tmp_path), *more]
        monkeypatch.setattr(sys, "argv", ["x", *arguments])
        with pytest.raises(SystemExit) as stopped:
            ours.main()
        return int(stopped.value.code or 0), capsys.readouterr().err, caplog.text

    evaluate_cli.logger.addHandler(caplog.handler)  # unitxt's loggers hand nothing on
    yield call
    evaluate_cli.logger.removeHandler(caplog.handler)
    evaluate_cli.logger.removeFilter(ours._without_traceback)


def command(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "torr_plugin.integrations.unitxt", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )


def samples_in(folder: Path) -> dict[str, list[dict[str, Any]]]:
    (file,) = folder.glob("*_samples.json")
    found: dict[str, list[dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))["samples"]
    return found


@pytest.mark.full
def test_unitxts_command_gives_our_scores_and_carries_the_records(tmp_path: Path) -> None:
    arguments = ["--tasks", RECIPE, "--model", "torr-lexical", "--limit", "3", "--log_samples"]
    done = command([*arguments, "--output_path", "out", "--apply_chat_template"], tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    (samples,) = samples_in(tmp_path / "out").values()
    assert [(each["prediction"], each["score"]) for each in samples] == own_answers(RECIPE, "torr-lexical", 3)
    (part,) = [each for each in study_parts("quickstart") if each.recipe == RECIPE]
    requests = requests_of(plan_of("quickstart", part.dataset, 3), part)
    for sample, request in zip(samples, requests, strict=True):
        record = read_record(sample["torr"], "samples")
        assert (record.key, record.example) == (request.key, request.example)
        assert load_card(record.card).dataset == request.dataset
        assert prompt_of(sample["source"]) == request.prompt


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--limit", "0"], "the limit is 0; expected at least 1"),
        (["--limit", "1", "--gen_kwargs", "max_tokens=0"], "max_tokens: Input should be greater than"),
        (["--num_fewshots", "2"], "UnexpectedArgumentError: Unexpected keyword argument(s)"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(run: Run, more: list[str], said: str) -> None:
    code, err, _ = run(*more)
    assert code == 2
    (line,) = [each for each in err.splitlines() if said in each]
    assert "│" not in line


def test_what_is_wrong_while_rating_is_one_line_too(run: Run) -> None:
    code, err, logged = run("--limit", "1", task=f"{RECIPE}[metrics=[metrics.torr.acuracy]]")
    assert code == 2
    (line,) = [each for each in err.splitlines() if "acuracy" in each]
    assert line.startswith("torr: ")
    assert "Traceback" not in err + logged


def test_debug_shows_where_it_was_wrong(run: Run) -> None:
    with pytest.raises(Exception, match="acuracy"):
        run("--limit", "1", "--debug", task=f"{RECIPE}[metrics=[metrics.torr.acuracy]]")
