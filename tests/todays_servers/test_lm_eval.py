"""lm-eval, asking the same servers about the same study, gives the figures that ``torr run`` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval import task_files, task_manager

from ..running.misbehaving import misbehaving
from .servers import Today, is_cut

# a filter that refuses a request by HTTP 400 ends lm-eval's own client, and so the command
WAYS = {
    **dict.fromkeys(("plain", "think", "think-unopened", "brackets", "harmony", "field"), ()),
    **dict.fromkeys(("cut-in-tags", "cut-null", "cut-empty"), (is_cut,)),
}


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> tuple[Today, Any]:
    today = Today(tmp_path_factory.mktemp("today"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_files, "known_studies", list)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        return today, task_manager([str(today.recipe)], include_defaults=False)


@pytest.fixture
def performance(manager: tuple[Today, Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., float]:
    from lm_eval import evaluator

    today, tasks = manager
    monkeypatch.setattr(evaluator, "add_env_info", lambda results: None)

    def found(model: str, more: str = "", **options: Any) -> float:
        with misbehaving(today.reply) as server:
            results = evaluator.simple_evaluate(
                model="local-chat-completions",
                model_args=f"base_url={server.url},model={model},num_concurrent=8{more}",
                tasks=["today"],
                task_manager=tasks,
                apply_chat_template=True,
                bootstrap_iters=1,
                **options,
            )["results"]
        return float(results["today"]["performance,none"])

    return found


@pytest.mark.parametrize("model", WAYS)
def test_the_figure_is_the_true_one(
    manager: tuple[Today, Any], performance: Callable[..., float], model: str
) -> None:
    assert performance(model) == pytest.approx(manager[0].truth(*WAYS[model]))


def test_a_server_that_refuses_an_empty_stop_can_be_asked(
    manager: tuple[Today, Any], performance: Callable[..., float]
) -> None:
    assert performance("wants-stop", gen_kwargs={"until": [], "stop": None}, limit=2) > 0
    assert {body["stop"] for body in manager[0].asked["wants-stop"]} == {None}
