"""``torr run`` on a cluster: the models and the judges of its recipe run there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here
from torr_plugin.running.executors import Executor, open_executor

RECIPE = """
name: small
cards: [cards.bundled.cell_lookup]
configurations: html/none/default
examples: {count: 2}
models: [torr-constant]
judges: [{model: torr-judge, name: fair}]
"""


def test_judges_run_where_the_models_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, Any]] = []

    @contextmanager
    def joined(address: str | None = None, *, runtime_env: Any = None) -> Iterator[Executor]:
        asked.append((address, runtime_env))
        with open_executor("local") as executor:
            yield executor

    monkeypatch.setattr("torr_plugin.running.executors.ray.ray_executor", joined)
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(RECIPE)
    Path("env.yaml").write_text("env_vars: {A: b}")
    done = here("run", "small.yaml", "--ray-address", "head:6379", "--ray-runtime-env", "env.yaml", "--json")
    assert done.exit_code == 0, done.stderr
    assert asked == [("head:6379", {"env_vars": {"A": "b"}})] * 2
