"""Boards for tests: from arrays, and made at random with known truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from torr_plugin.integrations.logs.board import AGGREGATE_COLUMNS, ITEM_COLUMNS, BoardScores


def board_of(
    scores: np.ndarray | Mapping[str, np.ndarray],
    models: Sequence[str] | None = None,
    clusters: np.ndarray | None = None,
    metric: str = "accuracy",
    **more: object,
) -> BoardScores:
    """A board of (models x [replicates x] items), of one task or by name; NaN failed."""
    tasks = scores if isinstance(scores, Mapping) else {"task": scores}
    parts = []
    for task, given in tasks.items():
        values = given[:, None] if given.ndim == 2 else given
        names = list(models or [f"m{number}" for number in range(len(values))])
        model, replicate, item = (place.ravel() for place in np.indices(values.shape))
        flat = values.ravel().astype(float)
        parts.append(
            pd.DataFrame(
                {
                    "model": np.array(names)[model],
                    "task": task,
                    "config": "",
                    "item": np.char.add("i", item.astype(str)),
                    "replicate": replicate,
                    "metric": metric,
                    "score": flat,
                    "status": np.where(np.isnan(flat), "failed", "scored"),
                    "cluster": "" if clusters is None else np.char.add("c", clusters.astype(str))[item],
                    "same": "",
                }
            )
        )
    items = pd.concat(parts, ignore_index=True)[list(ITEM_COLUMNS)]
    return BoardScores(items=items, **more)  # type: ignore[arg-type]


def aggregates_of(
    rows: Sequence[tuple[str, str, float, float, float]], metric: str = "accuracy", **more: object
) -> BoardScores:
    """A board of means: model, task, score, n and error a row."""
    frame = pd.DataFrame(rows, columns=["model", "task", "score", "n", "error"])
    frame = frame.assign(config="", metric=metric, digits=-1)[list(AGGREGATE_COLUMNS)]
    return BoardScores(aggregates=frame, **more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Made:
    """A board with the true mean score of each model, (models,), and its aggregates."""

    board: BoardScores
    aggregates: BoardScores
    truth: np.ndarray


def made_board(
    rng: np.random.Generator,
    models: int,
    items: int,
    *,
    levels: int = 1,
    replicates: int = 1,
    holes: float = 0.0,
    per_cluster: int = 1,
    tasks: int = 1,
) -> Made:
    """Right and wrong answers; models share ``levels`` true means, so that many of them tie.

    Items are hard for all models together; a cluster suits some models more than others. The truth is the
    mean over all items there could be, a normal probability.
    """
    ability = rng.choice(rng.normal(0.3, 0.7, levels), models)
    scores: dict[str, np.ndarray] = {}
    clusters = np.arange(items) // per_cluster
    shared, own = 1.0, 0.5 if per_cluster > 1 else 0.0
    means = []
    for task in range(tasks):
        hard = shared * rng.normal(size=items)
        suits = own * rng.normal(size=(models, clusters.max() + 1))[:, clusters]
        noise = rng.normal(size=(models, replicates, items))
        right = (ability[:, None, None] + suits[:, None] - hard + noise > 0).astype(float)
        means.append(right.mean(axis=(1, 2)))
        right[rng.random((models, 1, items)).repeat(replicates, axis=1) < holes] = np.nan
        scores[f"t{task}"] = right
    rows = [
        (f"m{model}", f"t{task}", float(mean), float(items), float("nan"))
        for task, values in enumerate(means)
        for model, mean in enumerate(values)
    ]
    return Made(
        board_of(scores, clusters=clusters if per_cluster > 1 else None), aggregates_of(rows), ability
    )
