"""Designs of plugins whose later prompts go wrong: that costs a cell, not the study; mended, it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.running.rounds.summed_progress import SummedProgress
from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts import Message, Step, designs
from torr_plugin.prompts.design import DefaultDesign
from torr_plugin.recipes import Plan, Recipe, plan
from torr_plugin.running import Run, execute
from torr_plugin.scoring import score_run

from ..made import entry

Follow = Callable[[str], Any]


class Twice(DefaultDesign):
    """Two calls; the second's prompt is made by whatever a test says."""

    name = "twice"
    steps = (Step("draft"), Step("answer", after=("draft",)))
    made: Follow = staticmethod(lambda draft: (Message("user", f"After {draft}: what?"),))

    def follow(self, step: Step, asked: Any, demonstrations: Any, answers: Mapping[str, str]) -> Any:
        return self.made(answers["draft"])


@pytest.fixture
def twice(monkeypatch: pytest.MonkeyPatch) -> Twice:
    design = Twice()
    monkeypatch.setitem(designs._values, "twice", design)
    return design


def planned(count: int = 4) -> Plan:
    return plan(
        Recipe.model_validate(
            {
                "name": "odd",
                "cards": ["cards.bundled.cell_lookup"],
                "configurations": {"serializers": ["html"], "designs": ["twice"]},
                "examples": {"count": count},
            }
        )
    )


def refuses(draft: str) -> Any:
    raise RecipeError("no plan in the draft")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (refuses, "RecipeError: no plan in the draft"),
        (lambda draft: (Message("user", "half a \ud83d"),), "UnicodeEncodeError"),
        (lambda draft: (), "TypeError: it gave no message, expected at least one"),
        (lambda draft: None, "TypeError"),
        (lambda draft: "After", "TypeError: it gave str, expected a tuple of messages"),
        (lambda draft: (Message("user", 7),), "AttributeError"),  # type: ignore[arg-type]
    ],
)
def test_a_prompt_that_cannot_be_asked_costs_its_cell(
    tmp_path: Path, twice: Twice, made: Follow, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    good, tried = twice.made, []

    def sometimes(draft: str) -> Any:
        tried.append(draft)
        return good(draft) if len(tried) == 1 else made(draft)

    twice.made = sometimes  # type: ignore[method-assign]
    summary = execute(planned(), [entry("test-saying")], tmp_path / "run")
    assert (summary.requests, summary.answered, summary.failed) == (8, 5, 3)
    errors = Run.open(tmp_path / "run").predictions("test-saying")["error"].drop_null().to_pylist()
    said = "design twice, step answer: the prompt cannot be built from the earlier answers: "
    assert all(error.startswith(f"{said}{reason}") for error in errors)
    assert len([line for line in caplog.messages if said in line]) == 1  # not one a cell
    main = score_run(Run.open(tmp_path / "run")).query("main")
    assert (len(main), main["score"].isna().sum()) == (4, 3)


def test_a_mended_design_goes_on_with_the_answers_of_the_run_before(tmp_path: Path, twice: Twice) -> None:
    good = twice.made
    twice.made = refuses  # type: ignore[method-assign]
    assert execute(planned(), [entry("test-saying")], tmp_path / "run").failed == 4
    twice.made = good  # type: ignore[method-assign]
    summary = execute(planned(), [entry("test-saying")], tmp_path / "mended", reuse=[tmp_path / "run"])
    assert (summary.reused, summary.answered, summary.failed) == (4, 8, 0)


@pytest.mark.parametrize("refused", [(0, 1), (3,), (0, 1, 2, 3)])
def test_what_is_refused_on_resuming_is_told_once(
    tmp_path: Path, twice: Twice, refused: tuple[int, ...]
) -> None:
    execute(planned(), [entry("test-saying")], tmp_path / "run")
    for path in (tmp_path / "run" / "requests").glob("later-*"):
        path.unlink()
    tried: list[str] = []

    def other(draft: str) -> Any:
        tried.append(draft)
        return refuses(draft) if len(tried) - 1 in refused else (Message("user", f"Now {draft}: what?"),)

    twice.made = other  # type: ignore[method-assign]
    told = SummedProgress()
    summary = execute(planned(), [entry("test-saying")], tmp_path / "run", progress=told)
    assert summary.failed == len(refused)
    assert told.done == told.total == summary.requests == 8


def test_what_can_never_be_asked_loads_no_model(tmp_path: Path, twice: Twice) -> None:
    twice.made = refuses  # type: ignore[method-assign]
    execute(planned(), [entry("test-saying")], tmp_path / "run")
    told = SummedProgress()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.running.asked_models.Saying.__init__", None)  # it cannot be loaded
        again = execute(planned(), [entry("test-saying")], tmp_path / "run", retry_failed=True, progress=told)
    assert (again.answered, again.failed, dict(again.unloaded)) == (4, 4, {})
    assert told.done == told.total == 8
