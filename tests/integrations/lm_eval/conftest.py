"""What the tests of lm-eval's tasks share: a small study, run by ``torr run`` and by lm-eval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache as cache_of_results
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.integrations.lm_eval import task_files, task_manager
from torr_plugin.integrations.lm_eval.task_files import TaskFolder, task_folder

STUDY = """
name: small
cards: [cards.bundled.cell_lookup, cards.bundled.fact_verification]
configurations:
  serializers: [torr.html, torr.json]
  perturbations: [none, transpose]
demonstrations: {shots: 2}
examples: {count: 6}
generation: {max_tokens: 32, until: ["\\n\\n"]}
models: [torr-lexical]
"""

Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user's cache of the tests' own."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shipped() -> TaskFolder:
    """The tasks of the recipes that come with the package."""
    return task_folder()


@pytest.fixture(scope="session")
def shipped_manager(cache: Path) -> Any:
    """lm-eval's ``TaskManager`` of those alone."""
    return task_manager(include_defaults=False)


@pytest.fixture
def managers_read(monkeypatch: pytest.MonkeyPatch, shipped_manager: Any) -> list[bool]:
    """Whether each ``TaskManager`` made is to read lm-eval's own tasks; all of them know the shipped ones."""
    from lm_eval.tasks import TaskManager

    read = list[bool]()

    def made(
        self: Any,
        verbosity: Any = None,
        include_path: Any = None,
        *,
        include_defaults: bool = True,
        **more: Any,
    ) -> None:
        read.append(include_defaults)
        vars(self).update(vars(shipped_manager))

    monkeypatch.setattr(TaskManager, "__init__", made)
    return read


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "small.yaml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="session")
def run(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study run by ``torr run``."""
    return run_of(str(study), tmp_path_factory.mktemp("run") / "run")


def run_of(study: str, out: Path, *more: str) -> Path:
    from typer.testing import CliRunner

    from torr_plugin.cli.app import app

    done = CliRunner().invoke(app, ["run", study, "--out", str(out), *more])
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture(scope="session")
def evaluate(study: Path, cache: Path) -> Evaluate:
    """lm-eval's ``simple_evaluate`` on tasks of the small study, without lm-eval's own tasks."""

    @cache_of_results
    def manager(*recipes: str) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(task_files, "known_studies", list)  # their 900 tasks are no part of the test
            return task_manager([str(study), *recipes], include_defaults=False)

    def call(*tasks: str, model: Any = "torr-lexical", recipes: tuple[str, ...] = (), **options: Any) -> Any:
        from lm_eval import evaluator

        options.setdefault("bootstrap_iters", 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(evaluator, "add_env_info", lambda results: None)  # asks pip for seconds each time
            return evaluator.simple_evaluate(
                model=model, model_args="", tasks=list(tasks), task_manager=manager(*recipes), **options
            )

    return call


@pytest.fixture(scope="session")
def small(evaluate: Evaluate) -> dict[str, Any]:
    """The small study by lm-eval."""
    return evaluate("small")


def main_scores(run: Path, dataset: str, *, configs: list[str] | None = None) -> pd.DataFrame:
    """Main scores of a run, a row an example and a column a configuration."""
    frame = pd.read_parquet(run / "scores.parquet")
    frame = frame[frame.main & (frame.dataset == dataset)]
    if configs is not None:
        frame = frame[frame.config.isin(configs)]
    return frame.pivot(index="example", columns="config", values="score")
