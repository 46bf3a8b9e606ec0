"""Scores frames and studies for the tests, and a slow, plain reference of each figure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.statistics import STATISTICS
from torr_plugin.analysis.study import StudyScores
from torr_plugin.core.statistics import mean_over_examples

Cell = tuple[str, str, str, str]


def overall_statistics(scores: np.ndarray) -> dict[str, np.ndarray]:
    """Performance, robustness and what is beside them, of the models of a cube."""
    return {name: mean_over_examples(statistic(scores)) for name, statistic in STATISTICS.items()}


def plain(result: Any) -> Any:
    """A figure's result as analysis.json has it."""
    return TypeAdapter(type(result)).dump_python(result, mode="json", exclude_unset=True)


def as_cube(scores: np.ndarray, dataset: str = "d", clusters: np.ndarray | None = None) -> Cube:
    """(models x configurations x examples); by default each example is about a table of its own."""
    shape = zip("mce", scores.shape, strict=True)
    names = [tuple(f"{letter}{i:03}" for i in range(n)) for letter, n in shape]
    return Cube(dataset, "em", *names, scores, {}, **({} if clusters is None else {"clusters": clusters}))


def study_of(cubes: Sequence[Cube], options: Options) -> StudyScores:
    """Cubes without anything else, for figures that need no more."""
    return StudyScores(cubes, options, pd.DataFrame(), {}, {}, None)


def frame(cells: Mapping[Cell, float], **columns: Any) -> pd.DataFrame:
    """Rows of (model, dataset, config, example) -> score."""
    rows = [
        {
            "model": m,
            "dataset": d,
            "config": c,
            "example": e,
            "metric": "em",
            "score": score,
            "main": True,
            **columns,
        }
        for (m, d, c, e), score in cells.items()
    ]
    return pd.DataFrame(rows)


def cube_frame(scores: Any, dataset: str = "d", *, parts: bool = False, metric: str = "em") -> pd.DataFrame:
    """(models x configurations x examples) as rows; NaN cells have none. Names are m0, c0, e0 ..."""
    array = np.asarray(scores, dtype=float)
    rows = []
    for (m, c, e), score in np.ndenumerate(array):
        if not np.isnan(score):
            row = {"model": f"m{m}", "dataset": dataset, "config": f"c{c}", "example": f"e{e:04d}"}
            if parts:
                row |= {
                    "serializer": f"s{c % 2}",
                    "perturbation": ["none", "transpose", "shuffle_rows"][c // 2 % 3],
                }
                row["config"] = f"{row['serializer']}/{row['perturbation']}/x{c}"
            rows.append({**row, "metric": metric, "score": score, "main": True})
    return pd.DataFrame(rows)


def by_example(array: np.ndarray, model: int) -> list[list[float]]:
    """A model's scores, a list an example; examples without any are left out."""
    lists = [
        [float(s) for s in array[model, :, example] if not np.isnan(s)] for example in range(array.shape[2])
    ]
    return [scores for scores in lists if scores]


def plain_performance(array: np.ndarray, model: int) -> float | None:
    means = [fmean(scores) for scores in by_example(array, model)]
    return fmean(means) if means else None


def plain_robustness(array: np.ndarray, model: int, *, solvable: bool = False) -> float | None:
    ranges = [max(s) - min(s) for s in by_example(array, model) if not solvable or max(s) > 0]
    return 1 - fmean(ranges) if ranges else None


def plain_extreme(array: np.ndarray, model: int, extreme: Any) -> float | None:
    found = [extreme(scores) for scores in by_example(array, model)]
    return fmean(found) if found else None


def known_study(
    *, tables: int = 24, datasets: tuple[str, ...] = ("a", "b"), models: int = 3, seed: int = 0
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Scores, and what ``analyse`` takes beside them; three questions a table, as text and as pictures."""
    rng = np.random.default_rng(seed)
    scores: list[dict[str, Any]] = []
    examples: list[dict[str, Any]] = []
    lengths: list[dict[str, Any]] = []
    for dataset in datasets:
        for e in range(3 * tables):
            name, table = f"e{e:03d}", e // 3
            properties = {
                "table": {
                    "complexity": ("high", "low", "medium")[3 * table // tables],
                    "length": ("20K and more", "under 10K")[table // 2 % 2],
                    "Row Nesting": bool(table % 2),
                    "Row Aggregation": bool(table % 3 == 0),
                    "Flat": True,
                },
                "question": {"Rank": bool(e % 2), "Conditions": e % 3},
            }
            groups = {"table": f"t{table}", "source": "xy"[e % 2], "template": str(e % 12)}
            examples.append(
                {
                    "dataset": dataset,
                    "example": name,
                    "groups": json.dumps(groups),
                    "properties": json.dumps(properties),
                    "cells": 10 * table + 5,
                }
            )
            for m in range(models):
                for serializer in ("html", "image"):
                    cell = {
                        "model": f"m{m}",
                        "dataset": dataset,
                        "config": f"{serializer}/none/x",
                        "example": name,
                    }
                    score = float(np.clip(0.5 - 0.2 * (table % 2) + 0.05 * m + rng.normal(0, 0.2), 0, 1))
                    parts = {"serializer": serializer, "perturbation": "none", "design": "x"}
                    scores.append({**cell, **parts, "metric": "recall", "score": score, "main": True})
                    lengths.append({**cell, "values": int(rng.integers(1, 6)), "truth": 1 + e % 2})
    return pd.DataFrame(scores), {"examples": pd.DataFrame(examples), "lengths": pd.DataFrame(lengths)}
