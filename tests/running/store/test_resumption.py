"""A run resumed with other versions of packages: answers of one model are not mixed, the rest is noted."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
import yaml

from tests.running.asked_models import Plan
from tests.running.made import entry, prompts
from torr_plugin.core.errors import RunError
from torr_plugin.core.versions import ENGINES
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import Run, execute
from torr_plugin.running.answer import Answer

ECHO = entry("test-echo")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lm-eval": "0.0.1"}, "lm-eval 0.0.1, now {lm-eval}"),
        ({"sglang": "0.0.1"}, "sglang 0.0.1, now absent"),
        ({"scipy": None}, "scipy absent, now {scipy}"),
        ({"pydantic": metadata.version("pydantic")}, None),  # as earlier versions recorded
        ({}, None),
    ],
)
def test_other_versions_on_resuming_are_said_and_recorded(
    tmp_path: Path, changed: dict[str, str | None], said: str | None
) -> None:
    path = tmp_path / "run"
    execute(Plan(["say a"]), [ECHO], path)
    study = yaml.safe_load((path / "study.yaml").read_text())
    now = study["versions"]
    (path / "study.yaml").write_text(yaml.safe_dump({**study, "versions": {**now, **changed}}))
    note = f"{path}: resumed with other versions than before: {said.format(**now) if said else None}"
    assert execute(Plan(["say a"]), [ECHO], path).notes == ((note,) if said else ())
    after = yaml.safe_load((path / "study.yaml").read_text())
    assert after["versions"] == {**now, **changed}
    attempts = [{name: now.get(name) for name in changed}] if said else []
    assert [attempt["versions"] for attempt in after.get("resumed", ())] == attempts
    assert execute(Plan(["say a"]), [ECHO], path).notes == ()


def test_of_a_package_that_was_not_recorded_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run"
    execute(Plan(["say a"]), [ECHO], path)
    study = yaml.safe_load((path / "study.yaml").read_text())
    del study["versions"]["scipy"]
    (path / "study.yaml").write_text(yaml.safe_dump(study))
    assert execute(Plan(["say a"]), [ECHO], path).notes == ()


def of_other_versions(path: Path, **versions: str) -> Path:
    study = yaml.safe_load((path / "study.yaml").read_text())
    other = {name.replace("_", "-"): version for name, version in versions.items()}
    study["versions"].update(other)
    for model in study["models"]:
        model["answered_by"] = {**model.get("answered_by", {}), **other}
    (path / "study.yaml").write_text(yaml.safe_dump(study))
    return path


def half_asked(path: Path, model: ModelEntry = ECHO) -> Path:
    """A run of two requests of which one was answered."""
    plan = Plan(["say a", "say b"])
    run = Run.create_or_resume(path, plan, [model])
    key = next(key for key, prompt in prompts(run, model.model).items() if "say a" in str(prompt))
    run.answers(model.model).append([Answer(key, "A")])
    return path


def test_answers_of_two_versions_of_an_engine_are_not_mixed_unasked(tmp_path: Path) -> None:
    path = of_other_versions(half_asked(tmp_path / "run"), lm_eval="0.0.1")
    for _ in range(2):  # a refusal is no going on: the second is refused like the first
        with pytest.raises(
            RunError,
            match=r"run: 'test-echo' answered with other versions \(lm-eval 0\.0\.1, now .*--mix-versions",
        ):
            execute(Plan(["say a", "say b"]), [ECHO], path)
    assert "resumed" not in yaml.safe_load((path / "study.yaml").read_text())
    summary = execute(Plan(["say a", "say b"]), [ECHO], path, mix_versions=True)
    assert (summary.answered, len(summary.notes)) == (2, 1)
    assert execute(Plan(["say a", "say b"]), [ECHO], path).notes == ()


def test_a_model_that_answered_nothing_and_a_baseline_mix_nothing(tmp_path: Path) -> None:
    constant = entry("torr-constant")
    path = of_other_versions(half_asked(tmp_path / "run", constant), lm_eval="0.0.1")
    assert execute(Plan(["say a", "say b"]), [constant, ECHO], path).answered == 4


def test_another_model_asked_meanwhile_changes_nothing_for_the_first(tmp_path: Path) -> None:
    """Nor does an attempt that asks nothing: versions are known for each model, not for the run."""
    plan, other = Plan(["say a", "say b"]), entry("test-echo", name="other")
    path = tmp_path / "run"
    execute(Plan(["say a", "say b"]), [ECHO], path)
    shard = next(Run.open(path).folder("test-echo").glob("part-*"))
    shard.unlink()
    run = Run.open(path)
    run.answers("test-echo").append([Answer(next(iter(prompts(run, "test-echo"))), "A")])
    study = yaml.safe_load((path / "study.yaml").read_text())
    (model,) = study["models"]
    assert set(model["answered_by"]) <= ENGINES
    model["answered_by"]["lm-eval"] = study["versions"]["lm-eval"] = "0.0.1"
    (path / "study.yaml").write_text(yaml.safe_dump(study))
    assert execute(plan, [other], path).answered == 2
    for _ in range(2):
        with pytest.raises(
            RunError, match=r"'test-echo' answered with other versions \(lm-eval 0\.0\.1, now "
        ):
            execute(plan, [other, ECHO], path)
    assert execute(plan, [other, ECHO], path, mix_versions=True).answered == 4
    assert execute(plan, [other, ECHO], path).answered == 4


def test_versions_of_other_machines_are_recorded_and_not_mixed(tmp_path: Path) -> None:
    execute(Plan(["say a"]), [ECHO], tmp_path)
    run = Run.open(tmp_path)
    run.mix_versions = True
    run.record_known(ECHO.label, "answered_by", {"vllm": "1.0"})
    run.mix_versions = False
    (model,) = Run.open(tmp_path).study["models"]
    assert model["answered_by"] == {"vllm": "1.0"}
    with pytest.raises(RunError, match=r"answered with other versions \(vllm 1\.0, now 1\.1\)"):
        run.record_known(ECHO.label, "answered_by", {"vllm": "1.1"})
