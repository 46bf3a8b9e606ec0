"""Models that could not be asked are refused before anything is planned, each with one line."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from torr_plugin import recipes
from torr_plugin.core.errors import ModelError
from torr_plugin.recipes import model_entry
from torr_plugin.running import Run, check_models
from torr_plugin.running import model_classes as registry
from torr_plugin.running.store.manifest import write_study
from torr_plugin.workflows.study import run_study

from .asked_models import Plan

QUICKSTART = recipes.load("quickstart")
URL = "base_url=http://localhost:1/v1/chat/completions"


@pytest.mark.parametrize(
    ("model", "args", "message"),
    [
        ("local-chat-completions", f"{URL},num_concurent=3", "did you mean 'num_concurrent'"),
        ("local-chat-completions", f"{URL},num_concurrent=abc", "num_concurrent is 'abc', expected a whole"),
        ("openai-chat-completions", "model=m", "set the `OPENAI_API_KEY` environment variable"),
        ("openai-chat-completions", "model=m,api_key=x", "unknown argument 'api_key'"),
        ("torr-constant", "anser=3", "unknown argument 'anser'; did you mean 'answer'"),
        ("torr-majority", "answer=3", "unknown argument 'answer'; it takes none"),
    ],
)
def test_what_is_wrong_is_one_line(
    monkeypatch: pytest.MonkeyPatch, model: str, args: str, message: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    entry = model_entry(model, args)
    with pytest.raises(ModelError, match=message) as caught:
        check_models([entry])
    assert "\n" not in str(caught.value)
    assert f"model {entry.label!r}" in str(caught.value)


def test_what_can_be_asked_passes(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Silently: what a class has to say comes when it is loaded to be asked."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    check_models(
        [
            model_entry("torr-constant", "answer=3"),
            model_entry("local-chat-completions", f"{URL},model=m,num_concurrent=3,max_length=9,timeout=5"),
            model_entry("openai-chat-completions", "model=m,max_retries=2"),
        ]
    )
    assert not caplog.records
    assert logging.root.manager.disable == logging.NOTSET


def test_a_plan_needs_neither_packages_nor_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(registry, "_missing", tuple)
    models = [model_entry("hf", "pretrained=x"), model_entry("openai-chat-completions", "model=m")]
    check_models(models, here=False)
    with pytest.raises(ModelError, match="model 'hf' needs package 'torch': pip install"):
        check_models(models)
    with pytest.raises(ModelError, match="did you mean 'num_concurrent'"):
        check_models([*models, model_entry("openai-chat-completions", "num_concurent=3")], here=False)


@pytest.fixture
def no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def planned(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("planned")

    monkeypatch.setattr(recipes, "plan", planned)


@pytest.mark.usefixtures("no_plan")
def test_it_is_found_before_planning(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="base_url is missing"):
        run_study(
            recipes.load("quickstart"), [model_entry("local-chat-completions", "model=m")], tmp_path / "run"
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("no_plan")
def test_it_is_found_again_in_a_run_that_was_killed_while_planning(tmp_path: Path) -> None:
    entry = model_entry("local-chat-completions", "model=m")
    run = Run.create_or_resume(tmp_path / "run", Plan(["say a"]), [entry])
    write_study(run.path, {name: value for name, value in run.study.items() if name != "written"})
    with pytest.raises(ModelError, match="base_url is missing"):
        run_study(QUICKSTART, [entry], run.path)
