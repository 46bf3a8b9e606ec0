"""What a run has of its battles: the verdicts, the answers that met in them, and the references."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ...running import Run
from ...scoring.judges.battles import read_battles

_NAMES = ("question", "dataset", "config", "level", "model_a", "model_b", "order", "judge", "reason")
_MAYBE = ("verdict", "winner")
_NUMBERS = ("score_a", "score_b", "length_a", "length_b", "main_a", "main_b")


def published_battles(run: Path) -> pd.DataFrame | None:
    """The battles of all judges of a run; None where there are none.

    Returns:
        The columns of :data:`torr_plugin.scoring.judges.battles.SCHEMA` but ``key``: texts, "" where
        there is none; ``verdict`` and ``winner``, None where there is none; numbers, NaN likewise.

    Raises:
        RunError: the file is damaged, or lacks a column.
    """
    frame = read_battles(run)
    if frame is None or frame.empty:
        return None
    columns: dict[str, pd.Series] = {}
    for name in (*_NAMES, *_MAYBE):
        absent = None if name in _MAYBE else ""
        given = zip(frame[name], frame[name].isna(), strict=True)
        texts = [absent if missing else str(text) for text, missing in given]
        columns[name] = pd.Series(texts, frame.index, dtype=object)
    for name in _NUMBERS:
        columns[name] = pd.to_numeric(frame[name], errors="coerce").astype(float)
    found: pd.DataFrame = pd.DataFrame(columns)
    return found


Cell = tuple[str, str, str]
"""Data set, example, configuration."""

_REQUEST = ["key", "model", "dataset", "example", "config", "stage", "references"]


@dataclass
class BattleAnswers:
    """References of examples and answers of models.

    Attributes:
        references: (data set, example) -> its references.
        answers: (cell, model) -> the answer; of a strategy of several calls the last one.
    """

    references: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    answers: dict[tuple[Cell, str], str] = field(default_factory=dict)


def read_answers(run: Run, cells: Collection[Cell], models: Collection[str]) -> BattleAnswers:
    """The answers of some models in some cells of a run.

    Raises:
        RunError: requests or answers are damaged.
    """
    found = BattleAnswers()
    keys = _keys(run, frozenset(cells), found)
    for model in run.models():
        if model not in models:
            continue
        wanted = {cell: key for cell, by_model in keys.items() if (key := _last(by_model, model))}
        table = run.predictions(model, ["key", "prediction"])
        there = pc.is_in(table["key"], value_set=pa.array(list(set(wanted.values())), table["key"].type))
        texts = dict(zip(*(column.to_pylist() for column in table.filter(there).columns), strict=True))
        for cell, key in wanted.items():
            if (text := texts.get(key)) is not None:
                found.answers[cell, model] = text
    return found


Keys = Mapping[str | None, tuple[int, Any]]
"""Model, or None of a request to all -> its last call and that one's key."""


def _keys(run: Run, cells: frozenset[Cell], found: BattleAnswers) -> dict[Cell, dict[str | None, Any]]:
    keys: dict[Cell, dict[str | None, Any]] = {}
    examples = pa.array(sorted({example for _, example, _ in cells}), pa.string())
    for table in run.request_tables(_REQUEST):
        for row in table.filter(pc.is_in(table["example"], value_set=examples)).to_pylist():
            cell = row["dataset"], row["example"], row["config"]
            if cell not in cells:
                continue
            found.references.setdefault(cell[:2], [str(each) for each in row["references"] or ()])
            known = keys.setdefault(cell, {})
            if row["model"] not in known or row["stage"] > known[row["model"]][0]:
                known[row["model"]] = row["stage"], row["key"]
    return keys


def _last(by_model: Keys, model: str) -> Any:
    """The key of a model's last call: a later stage's request names its model."""
    stages = [by_model[name] for name in (None, model) if name in by_model]
    return max(stages, key=lambda each: each[0])[1] if stages else None
