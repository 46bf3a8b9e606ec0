"""``torr run`` gives the true figure, however models write their answers, and pays for each once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.running import Run, run_status

from ..conftest import Torr
from ..running.misbehaving import Misbehaving, misbehaving
from .servers import Today, is_cut, is_withheld

OWN_MARKS = {"think_start": "[[", "think_end": "]]"}
TRUE: dict[str, tuple[Callable[[str], bool], ...]] = {
    **dict.fromkeys(
        ("plain", "think", "think-unopened", "brackets", "harmony", "own-marks", "field", "picky-5"), ()
    ),
    **dict.fromkeys(("cut-in-tags", "cut-null", "cut-empty"), (is_cut,)),
    "withholds": (is_withheld,),
}


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Today:
    return Today(tmp_path_factory.mktemp("today"))


@pytest.fixture(scope="module")
def server(today: Today) -> Iterator[Misbehaving]:
    with misbehaving(today.reply) as found:
        yield found


def _pool(folder: Path, server: Misbehaving, names: Any, **more: Any) -> Path:
    models = [
        {
            "model": "local-chat-completions",
            "args": {"base_url": server.url, "model": name, "num_concurrent": 8},
            **(OWN_MARKS if name == "own-marks" else {}),
            **more,
        }
        for name in names
    ]
    path = folder / "pool.yaml"
    path.write_text(yaml.safe_dump(models), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(today: Today, server: Misbehaving, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All the ways of answering, in one run."""
    from typer.testing import CliRunner

    from torr_plugin.cli.app import app

    folder = tmp_path_factory.mktemp("run")
    price = {"prompt": 1, "completion": 10, "cached": 0.5}
    pool, out = _pool(folder, server, [*TRUE, "long", "bold"], price=price), folder / "r"
    done = CliRunner().invoke(app, ["run", str(today.recipe), "--models", str(pool), "--out", str(out)])
    assert done.exit_code == 0, done.output
    return Run.open(out)


@pytest.mark.parametrize("model", TRUE)
def test_the_figure_is_the_true_one(run: Run, today: Today, model: str) -> None:
    performance = run.analysis()["performance"][model]
    assert performance["overall"]["value"] == pytest.approx(today.truth(*TRUE[model]))


def test_what_is_counted_apart(run: Run, today: Today) -> None:
    told = {each.model: each.counts for each in run_status(run.path).models}
    count = len(today.answers)
    for model in ("cut-in-tags", "cut-null", "cut-empty"):
        assert told[model].unfinished == pytest.approx(today.share(is_cut) * count)
        assert told[model].failed == 0
    assert told["withholds"].refused == pytest.approx(today.share(is_withheld) * count)
    assert told["plain"].unfinished == told["plain"].refused == 0


def test_thoughts_are_kept(run: Run) -> None:
    for model in ("think", "brackets", "harmony", "own-marks", "field", "cut-null"):
        reasoning = run.predictions(model)["reasoning"].to_pylist()
        assert all("The table has rows." in (each or "") for each in reasoning)


def test_a_right_answer_in_another_form_is_right_leniently(run: Run, today: Today) -> None:
    scores = run.scores()
    for model in ("bold", "long"):
        own = scores[scores["model"] == model]
        lenient = own[own["metric"].astype(str).str.endswith(".lenient")]["score"]
        assert lenient.mean() == pytest.approx(today.truth())
        assert own[own["main"]]["score"].mean() < today.truth()


def test_what_a_server_refuses_by_its_name_is_left_out_and_recorded(run: Run, today: Today) -> None:
    (record,) = [model for model in run.study["models"] if model["label"] == "picky-5"]
    assert record["sent"]["max_completion_tokens"] == 40
    assert not {"max_tokens", "temperature", "stop"} & record["sent"].keys()
    refusals = [
        body for body in today.asked["picky-5"] if {"max_tokens", "temperature", "stop"} & body.keys()
    ]
    assert len(refusals) <= 3 * 16


def test_a_repeat_costs_nothing(
    run: Run, today: Today, server: Misbehaving, tmp_path: Path, torr: Torr
) -> None:
    asked = len(server.asked)
    pool = _pool(tmp_path, server, [*TRUE, "long", "bold"])
    torr("run", today.recipe, "--models", pool, "--out", run.path)
    assert len(server.asked) == asked


def test_more_room_asks_what_was_cut_alone(
    today: Today, server: Misbehaving, tmp_path: Path, torr: Torr
) -> None:
    names, cut = ["cut-in-tags", "cut-null"], today.share(is_cut) * len(today.answers)
    pool, out = _pool(tmp_path, server, names), tmp_path / "run"
    torr("run", today.recipe, "--models", pool, "--out", out)

    def asked_by(*more: str | Path) -> int:
        before = len(server.asked)
        torr("run", *more)
        return len(server.asked) - before

    # another run takes what was whole
    other = tmp_path / "other"
    longer = today.recipe.read_text(encoding="utf-8").replace("max_tokens: 40", "max_tokens: 4000")
    recipe = tmp_path / "longer.yaml"
    recipe.write_text(longer, encoding="utf-8")
    assert asked_by(recipe, "--models", pool, "--out", other, "--reuse", out) == pytest.approx(2 * cut)
    # the same run asks what was cut again, by the model's own room or by the recipe's; the plan says how much
    line = ("plan", recipe, "--models", pool, "--out", out, "--only", "cut-null", "--json")
    (planned,) = json.loads(torr(*line).stdout)["models"]
    assert planned["still to ask"] == pytest.approx(cut)
    assert planned["answered"] == pytest.approx(len(today.answers) - cut)
    own = ("--only", "cut-in-tags", "--gen", "max_tokens=2000")
    assert asked_by(today.recipe, "--models", pool, "--out", out, *own) == pytest.approx(cut)
    assert asked_by(today.recipe, "--models", pool, "--out", out, *own) == 0
    assert asked_by(recipe, "--models", pool, "--out", out, "--only", "cut-null") == pytest.approx(cut)
    for path in (out, other):
        figures = Run.open(path).analysis()["performance"]
        for name in names:
            assert figures[name]["overall"]["value"] == pytest.approx(today.truth())


def test_marks_named_later_read_stored_answers_anew(
    today: Today, server: Misbehaving, tmp_path: Path, torr: Torr
) -> None:
    line = ("--model", "local-chat-completions", "--model-args", f"base_url={server.url},model=own-marks")
    out = tmp_path / "run"
    torr("run", today.recipe, *line, "--out", out)
    assert Run.open(out).analysis()["performance"]["own-marks"]["overall"]["value"] == 0
    asked = len(server.asked)
    torr("run", today.recipe, *line[:-1], f"{line[-1]},think_start=[[,think_end=]]", "--out", out)
    assert len(server.asked) == asked
    figure = Run.open(out).analysis()["performance"]["own-marks"]["overall"]["value"]
    assert figure == pytest.approx(today.truth())


def test_a_line_warns_where_most_answers_are_cut(
    today: Today, server: Misbehaving, tmp_path: Path, torr: Torr, caplog: pytest.LogCaptureFixture
) -> None:
    torr("run", today.recipe, "--models", _pool(tmp_path, server, ["always-cut"]), "--out", "run")
    (line,) = [record.getMessage() for record in caplog.records if "always-cut" in record.getMessage()]
    assert "always-cut: 20 of the first 20 answers ran out of tokens, 20 of them before any text" in line
    assert "--gen max_tokens=N" in line


def test_a_model_that_is_refused_again_and_again_is_stopped(
    today: Today, server: Misbehaving, tmp_path: Path, torr: Torr
) -> None:
    line = f"base_url={server.url},model=refuses,num_concurrent=2"
    model = ("--model", "local-chat-completions", "--model-args", line)
    done = torr("run", today.recipe, *model, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert len(today.asked["refuses"]) < len(today.answers)
    assert "The field 'project' is required." in done.stderr
    assert "--gen NAME=null" in done.stderr


def test_a_model_s_own_parameters_are_sent(
    today: Today, server: Misbehaving, tmp_path: Path, torr: Torr
) -> None:
    given = {
        "temperature": None,
        "top_p": 0.9,
        "seed": 7,
        "stop": ["###"],
        "reasoning_effort": "low",
        "chat_template_kwargs": {"enable_thinking": False},
        "extra_body": {"project": "x"},
        "max_tokens": 50,
        "thinking_tokens": 1000,
    }
    before = len(today.asked.get("plain", ()))
    pool = _pool(tmp_path, server, ["plain"], generation=given)
    torr("run", today.recipe, "--models", pool, "--out", tmp_path / "run", "--limit", "1")
    for body in today.asked["plain"][before:]:
        assert body.items() >= {
            "top_p": 0.9, "seed": 7, "stop": ["###"], "reasoning_effort": "low", "max_tokens": 1050,
            "chat_template_kwargs": {"enable_thinking": False}, "project": "x",
        }.items()  # fmt: skip
        assert not {"temperature", "extra_body", "thinking_tokens"} & body.keys()
    recorded = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())["models"][0]
    assert recorded["sent"]["max_tokens"] == 1050
    assert recorded["generation"]["temperature"] is None
