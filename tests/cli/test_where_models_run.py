"""``torr run`` with judges: they run where the models do, and under the same lock."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here
from torr_plugin.core.errors import RunError
from torr_plugin.running import exclusive
from torr_plugin.running.runner import Executor, open_executor
from torr_plugin.workflows import study
from torr_plugin.workflows.judging import judge_study

RECIPE = """
name: small
cards: [cards.bundled.cell_lookup]
configurations: html/none/default
examples: {count: 2}
models: [torr-constant]
judges: [{model: torr-judge, name: fair}]
"""


def test_no_other_command_comes_between_the_scores_and_the_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(RECIPE)

    def try_to_write() -> None:
        with exclusive(Path("runs/small")):
            pass

    def judged(*arguments: Any, **options: Any) -> Any:
        with ThreadPoolExecutor(1) as pool, pytest.raises(RunError, match="is writing this run"):
            pool.submit(try_to_write).result()
        return judge_study(*arguments, **options)

    monkeypatch.setattr(study, "judge_study", judged)
    done = here("run", "small.yaml", "--json")
    assert done.exit_code == 0, done.stderr


def test_judges_run_where_the_models_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, Any]] = []

    @contextmanager
    def joined(address: str | None = None, *, runtime_env: Any = None) -> Iterator[Executor]:
        asked.append((address, runtime_env))
        with open_executor("local") as executor:
            yield executor

    monkeypatch.setattr("torr_plugin.running.ray.executor.ray_executor", joined)
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(RECIPE)
    Path("env.yaml").write_text("env_vars: {A: b}")
    done = here("run", "small.yaml", "--ray-address", "head:6379", "--ray-runtime-env", "env.yaml", "--json")
    assert done.exit_code == 0, done.stderr
    assert asked == [("head:6379", {"env_vars": {"A": "b"}})] * 2
