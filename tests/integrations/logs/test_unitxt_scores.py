"""The scores in unitxt's files of samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.reading import read_scores

from ..importing.test_unitxt import PLAIN, TRANSPOSED, instance, write


def test_recipes_are_configurations_and_places_items(tmp_path: Path) -> None:
    samples = [instance(0, "entailed"), instance(1, "no") | {"length": 7, "f1": 0.5}]
    write(tmp_path, {PLAIN: samples, TRANSPOSED: [instance(0, "no"), instance(1, "no")]})
    board = read_scores([tmp_path])
    rows = board.items[board.items.metric == "accuracy"]
    assert rows[["model", "task", "config", "item", "score"]].to_numpy().tolist() == [
        ["org/m", "tab_fact", "torr.html/none/torr", "0", 1.0],
        ["org/m", "tab_fact", "torr.html/none/torr", "1", 0.0],
        ["org/m", "tab_fact", "torr.html/transpose/torr", "0", 0.0],
        ["org/m", "tab_fact", "torr.html/transpose/torr", "1", 0.0],
    ]
    assert set(board.items.metric) == {"accuracy", "f1"}
    assert board.main == {"tab_fact": "accuracy"}
    assert board.notes == ()


def test_the_newest_counts_and_what_is_nan_is_missing(tmp_path: Path) -> None:
    write(tmp_path, {PLAIN: [instance(0, "no")]}, second=1)
    nan = float("nan")
    write(tmp_path, {PLAIN: [instance(0, "entailed") | {"accuracy": nan, "score": nan}]}, second=2)
    board = read_scores([tmp_path])
    assert board.items.status.tolist() == ["unscored"]
    assert "the newest counts" in board.notes[0]
    (alone,) = tmp_path.glob("*01_evaluation*")
    assert read_scores([alone]).items.score.tolist() == [0.0]


def test_rows_in_another_order_are_refused(tmp_path: Path) -> None:
    for second, model in enumerate(("org/a", "org/b")):
        sample = instance(0, "entailed") | {"source": f"statement {second}"}
        write(tmp_path, {PLAIN: [sample]}, second=second, model=model)
    with pytest.raises(InputError, match="task 'tab_fact', item '0': has two questions or targets"):
        read_scores([tmp_path])
