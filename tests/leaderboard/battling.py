"""Battles between the models of a run, as a judge of pairs leaves them in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from torr_plugin.analysis.ratings import BATTLES_FILE
from torr_plugin.running import Run

LEVELS = ("extraction", "calculation", "analysis")


def with_battles(
    run: Path,
    *,
    judges: Sequence[str] = ("judge-one", "judge-two"),
    levels: Sequence[str] = LEVELS,
    reason: Callable[[int], str] = lambda number: f"Reason {number}: the first names the value.",
    examples: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Writes battles of all pairs about every example (or the first ones), in both orders, and returns them.

    Every 23rd verdict names no winner, and every 29th failed.
    """
    rng = np.random.default_rng(seed)
    scores = Run.open(run).scores()
    models = sorted(scores["model"].astype(str).unique())
    strength = dict(zip(models, np.linspace(0.8, -0.8, len(models)), strict=True))
    first = scores["config"].astype(str).iloc[0]
    asked = scores[["dataset", "example"]].astype(str).drop_duplicates().head(examples or len(scores))
    rows: list[dict[str, Any]] = []
    for number, (dataset, example) in enumerate(asked.itertuples(index=False)):
        for a, b in combinations(models, 2):
            for judge in judges:
                for order in ("ab", "ba"):
                    rows.append(
                        {
                            "question": f"{dataset}/{example}",
                            "dataset": dataset,
                            "config": first,
                            "level": levels[number % len(levels)],
                            "model_a": a,
                            "model_b": b,
                            "order": order,
                            "judge": judge,
                            **_verdict(len(rows), strength[a] - strength[b] + rng.logistic()),
                            "reason": reason(len(rows)),
                            "score_a": 0.75 if judge == judges[0] else None,
                            "score_b": 0.5 if judge == judges[0] else None,
                            "length_a": int(rng.integers(5, 300)),
                            "length_b": int(rng.integers(5, 300)),
                            "main_a": 1.0,
                            "main_b": 0.0,
                            "key": f"verdict-{len(rows)}",
                        }
                    )
    frame = pd.DataFrame(rows)
    frame.to_parquet(run / BATTLES_FILE, index=False)
    return frame


def _verdict(number: int, better: float) -> dict[str, str | None]:
    if number % 29 == 28:
        return {"verdict": None, "winner": None}
    if number % 23 == 22:
        return {"verdict": "unclear", "winner": None}
    found = "tie" if abs(better) < 0.3 else "model_a" if better > 0 else "model_b"
    return {"verdict": found, "winner": found}
