"""A study whose examples are told something of: scores, examples and lengths as frames."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd


def told_study(
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
