"""Scores of a study with designs of the prompt."""

from __future__ import annotations

import numpy as np
import pandas as pd

COST = {"suc": 0.0, "suc_no_marks": 0.0, "suc_no_demonstration": 0.6, "self_augmented+suc": -0.2}


def scores_of(
    formats: tuple[str, ...] = ("html", "xml"),
    models: tuple[str, ...] = ("alpha", "<b>beta"),
    datasets: tuple[str, ...] = ("lookup", "size"),
    without: frozenset[tuple[str, str]] = frozenset(),
) -> pd.DataFrame:
    """Forty examples under each design in each format, but for some; marks change nothing."""
    rng = np.random.default_rng(3)
    rows = []
    for dataset in datasets:
        for model in models:
            ability = rng.random(40)
            for name in formats:
                for design, cost in COST.items():
                    if (name, design) in without:
                        continue
                    config = f"{name}/none/{design}"
                    rows += [
                        (model, dataset, config, name, "none", design, f"e{i}", "em", float(a > 0.3 + cost))
                        for i, a in enumerate(ability)
                    ]
    columns = "model dataset config serializer perturbation design example metric score"
    return pd.DataFrame(rows, columns=columns.split())
