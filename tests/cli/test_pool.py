"""A pool of models: planned, run in part and whole, and what is wrong with it said in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from .in_process import here

RECIPE = """\
name: small
cards: [cards.bundled.fact_verification]
configurations: {serializers: [torr.html, torr.csv], perturbations: [none, shuffle_rows]}
examples: {count: 3}
models: [torr-lexical]
"""
POOL = """\
models:
- name: yes-man
  model: torr-constant
  args: answer=entailed
  family: baselines
  size: 1
  open: true
  gpus: 2
  price: {prompt: 3, completion: 15, cached: 0.3}
- {name: a-model-with-a-long-name-that-needs-two-lines, model: torr-majority}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small.yaml").write_text(RECIPE)
    (tmp_path / "pool.yaml").write_text(POOL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_plan_of_a_pool(place: Path) -> None:
    done = here("plan", "small.yaml", "--models", "pool.yaml", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"datasets", "models", "judges", "notes"}
    man, other = found["models"]
    assert (man["model"], man["requests"], man["gpus"]) == ("yes-man", 12, 2)
    assert man["cost"] == pytest.approx(man["prompt tokens"] * 3e-6 + man["answer tokens"] * 15e-6)
    assert man["cost of prompts cached"] < man["cost of prompts"]
    assert other["cost"] is None
    shown = here("plan", "small.yaml", "--models", "pool.yaml")
    assert shown.exit_code == 0
    for part in ("yes-man", "requests", "cached", "US dollars", "0.0", "bundled.fact_verification"):
        assert part in shown.stdout
    assert "an estimate, four characters a token" in " ".join(shown.stderr.split())


def test_what_answers_without_a_limit_cost_is_unknown(place: Path) -> None:
    asked = ("plan", "small.yaml", "--models", "pool.yaml", "--gen", "max_tokens=null")
    man, _ = json.loads(here(*asked, "--json").stdout)["models"]
    assert man["cost of prompts"] == pytest.approx(man["prompt tokens"] * 3e-6)
    assert [man[name] for name in ("answer tokens", "cost of answers", "cost")] == [None] * 3
    shown = here(*asked)
    assert shown.exit_code == 0
    assert shown.stdout.count("unknown") == 3  # both models' tokens, the first one's cost


def test_a_plan_without_models_has_none(place: Path) -> None:
    (place / "small.yaml").write_text(RECIPE.replace("models: [torr-lexical]\n", ""))
    assert json.loads(here("plan", "small.yaml", "--json").stdout)["models"] == []
    assert "US dollars" not in here("plan", "small.yaml").stdout


def test_a_price_is_for_models_without_one_and_for_any_where_none_is_named(place: Path) -> None:
    done = here("plan", "small.yaml", "--models", "pool.yaml", "--price", "1,2", "--json")
    man, other = json.loads(done.stdout)["models"]
    assert man["cost"] == pytest.approx(man["prompt tokens"] * 3e-6 + man["answer tokens"] * 15e-6)
    assert other["cost"] == pytest.approx(other["prompt tokens"] * 1e-6 + other["answer tokens"] * 2e-6)
    (place / "small.yaml").write_text(RECIPE.replace("models: [torr-lexical]\n", ""))
    (model,) = json.loads(here("plan", "small.yaml", "--price", "1,2", "--json").stdout)["models"]
    assert (model["model"], model["cost"]) == ("any model", pytest.approx(other["cost"]))
    assert model["still to ask"] == model["unique requests"]
    refused = here("plan", "small.yaml", "--price", "free")
    assert refused.exit_code == 2
    assert "--price: found 'free'; expected two numbers, US dollars per million tokens" in refused.stderr


def test_a_run_of_a_pool_and_of_some_of_it(place: Path) -> None:
    done = here("run", "small.yaml", "--models", "pool.yaml", "--only", "yes-man", "--out", "run", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["requests"] == 10
    study = yaml.safe_load((place / "run" / "study.yaml").read_text())
    (model,) = study["models"]
    assert (model["label"], model["model"], model["args"]) == (
        "yes-man",
        "torr-constant",
        {"answer": "entailed"},
    )
    assert (model["family"], model["size"], model["open"]) == ("baselines", 1.0, True)
    # another price is no other model: the same run goes on, and asks nothing again
    (place / "pool.yaml").write_text(POOL.replace("prompt: 3", "prompt: 4").replace("gpus: 2", "gpus: 1"))
    again = here("run", "small.yaml", "--models", "pool.yaml", "--out", "run", "--json")
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["requests"] == 20
    assert "yes-man: 10 of 10 requests already answered" in again.stderr


@pytest.mark.full
def test_a_plan_says_what_a_run_has_answered(place: Path) -> None:
    line = ("plan", "small.yaml", "--models", "pool.yaml")
    kinds = ("answered", "failed", "still to ask")
    before = json.loads(here(*line, "--json").stdout)["models"]
    assert [[row[kind] for kind in kinds] for row in before] == [[0, 0, 10]] * 2
    assert "still to ask" not in here(*line).stdout
    done = here("run", "small.yaml", "--models", "pool.yaml", "--only", "yes-man")
    assert done.exit_code == 0, done.stderr
    after = json.loads(here(*line, "--json").stdout)["models"]
    assert [[row[kind] for kind in kinds] for row in after] == [[10, 0, 0], [0, 0, 10]]
    assert json.loads(here(*line, "--out", "other", "--json").stdout)["models"] == before
    shown = here(*line).stdout.splitlines()
    head = shown.index(next(row for row in shown if row.startswith("in runs/small")))
    assert shown[head].split() == ["in", "runs/small", "answered", "failed", "still", "to", "ask"]
    assert shown[head + 1].split() == ["yes-man", "10", "0", "0"]


@pytest.mark.full
def test_a_large_study_says_that_it_prepares(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Preparing" not in here("run", "small.yaml").stderr
    monkeypatch.setattr("torr_plugin.workflows.study._MANY", 12)
    assert "Preparing 12 requests ...\n" in here("run", "small.yaml", "--out", "again").stderr


def test_a_plan_of_another_study_than_the_run_is_said(place: Path) -> None:
    assert here("run", "small.yaml").exit_code == 0
    (place / "small.yaml").write_text(RECIPE.replace("count: 3", "count: 4"))
    found = here("plan", "small.yaml", "--json")
    assert found.exit_code == 0
    assert "runs/small: holds the run of another study" in " ".join(json.loads(found.stdout)["notes"])
    refused = here("plan", "small.yaml", "--out", "runs/small")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith("torr: runs/small: holds the run of another study")
    assert refused.stderr.count("\n") == 1


def test_models_of_the_line_stand_beside_the_pool_s(place: Path) -> None:
    line = ("--models", "pool.yaml", "--model", "torr-random-cell", "--model-args", "seed=3")
    found = json.loads(here("plan", "small.yaml", *line, "--json").stdout)["models"]
    assert [row["model"] for row in found][::2] == ["yes-man", "torr-random-cell"]
    # --only chooses among the recipe's models too
    chosen = json.loads(here("plan", "small.yaml", "--only", "torr-lexical", "--json").stdout)["models"]
    assert [row["model"] for row in chosen] == ["torr-lexical"]


def test_a_model_that_cannot_be_loaded_does_not_stop_the_others(place: Path) -> None:
    (place / "pool.yaml").write_text(
        "- {model: torr-constant}\n- {name: odd, model: torr-random-cell, args: {seed: ten}}\n"
    )
    done = here("run", "small.yaml", "--models", "pool.yaml", "--out", "run", "--json")
    assert done.exit_code == 2, done.stderr
    found = json.loads(done.stdout)
    assert (found["answered"], found["failed"], list(found["unloaded"])) == (10, 0, ["odd"])
    said = " ".join(done.stderr.split())
    assert said.count("invalid literal for int()") == 1
    assert said.endswith("Once that is mended, the same command asks what is left.")
    analysis = json.loads((place / "run" / "analysis.json").read_text())
    assert list(analysis["performance"]) == ["torr-constant"]
    status = json.loads(here("status", "run", "--json").stdout)
    assert [model["unloaded"] is None for model in status["models"]] == [True, False]
    assert (status["state"], status["models"][1]["waiting"]) == ("done", 10)
    # without it, the same run again: it has no answers, and is no model full of holes
    assert here("run", "small.yaml", "--model", "torr-constant", "--out", "run").exit_code == 0
    analysis = json.loads((place / "run" / "analysis.json").read_text())
    assert list(analysis["performance"]) == ["torr-constant"]


def test_an_address_is_of_ray(place: Path) -> None:
    ray = here("run", "small.yaml", "--executor", "ray", "--ray-address", "ray://host:1")
    assert (ray.exit_code, "found 'ray://host:1', expected 'auto' or 'host:port'" in ray.stderr) == (2, True)
    done = here("run", "small.yaml", "--executor", "local", "--ray-address", "auto")
    assert done.exit_code == 2
    assert done.stderr.startswith("torr: --executor: found local with an option of Ray's; expected ray")
    (place / "environment.yaml").write_text("env_var: {A: b}\n")
    given = here("run", "small.yaml", "--ray-runtime-env", "environment.yaml")
    assert given.exit_code == 2
    assert given.stderr.startswith("torr: --ray-runtime-env: found 'env_var'; did you mean 'env_vars'")


@pytest.mark.full
def test_answers_of_an_earlier_run_are_taken(place: Path) -> None:
    assert here("run", "small.yaml", "--out", "first").exit_code == 0
    done = here("run", "small.yaml", "--reuse", "first", "--out", "second", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["reused"], found["answered"]) == (10, 10)
    assert "10 of 10 requests already answered" in done.stderr
