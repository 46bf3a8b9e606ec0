"""What torr export writes comes back in by the readers that audit and import have, without loss of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.cli.in_process import here
from torr_plugin.integrations.logs.reading import read_scores

from .conftest import ChangedRun, Export

CELL = ["model", "task", "config", "item", "replicate", "metric"]


def cells(path: Path, names: dict[str, str] | None = None) -> dict[tuple[Any, ...], tuple[float, str]]:
    """(model, task, configuration, item, replicate, metric) -> score and cluster, where there is a score."""
    items = read_scores([path]).items
    items = items[items.score.notna()]
    models = [(names or {}).get(name, name) for name in items.model]
    keys = zip(models, *(items[name] for name in CELL[1:]), strict=True)
    return dict(zip(keys, zip(items.score, items.cluster, strict=True), strict=True))


@pytest.mark.parametrize("to", ["inspect", "eee"])
def test_scores_come_back(export: Export, tmp_path: Path, hard_run: Path, to: str) -> None:
    board = read_scores([hard_run])
    export(to)
    ours, theirs = cells(hard_run), cells(tmp_path / to)
    if to == "eee":  # one score an answer, and models by ids for a hub
        ours = {cell: found for cell, found in ours.items() if board.main[cell[1]] == cell[5]}
        names = {cell[0]: cell[0] for cell in theirs}
        assert len(names) == 2
        labels = board.items.model.unique()
        renamed = {
            name: next(each for each in labels if ("lexical" in each) == ("lexical" in name))
            for name in names
        }
        theirs = cells(tmp_path / to, renamed)
    assert theirs == ours


def test_nothing_that_failed_comes_back_as_a_score(export: Export, tmp_path: Path, hard_run: Path) -> None:
    export("inspect")
    ours, theirs = (read_scores([path]).items for path in (hard_run, tmp_path / "inspect"))
    missing = [set(map(tuple, frame[frame.score.isna()][CELL[:5]].to_numpy())) for frame in (ours, theirs)]
    assert missing[0] <= missing[1]
    assert isinstance(theirs, pd.DataFrame)


@pytest.mark.parametrize("to", ["inspect", "eee"])
def test_one_model_with_two_settings_comes_back_as_two(
    export: Export, changed_run: ChangedRun, tmp_path: Path, to: str
) -> None:
    def alike(study: dict[str, Any]) -> None:
        for record in study["models"]:
            record["args"] = {"pretrained": "an-org/one"}

    export(to, run=changed_run(alike))
    assert read_scores([tmp_path / to]).items.model.nunique() == 2


@pytest.mark.parametrize("to", ["inspect", "eee"])
def test_an_export_can_be_imported(export: Export, tmp_path: Path, hard_run: Path, to: str) -> None:
    export(to)
    done = here("import", to, tmp_path / to, "--out", tmp_path / "run")
    assert done.exit_code == (1 if to == "inspect" else 0), done.stderr  # there are failed requests
    main = read_scores([hard_run]).main

    def first(path: Path) -> list[tuple[Any, ...]]:
        found = cells(path).items()
        kept = [
            each for each in found if not each[0][4] and (to == "inspect" or main[each[0][1]] == each[0][5])
        ]
        return sorted((*cell[1:], score) for cell, (score, _) in kept)

    assert first(tmp_path / "run") == first(hard_run)
