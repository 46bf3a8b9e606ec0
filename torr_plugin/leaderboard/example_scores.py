"""Mean scores of single examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from .source import main_rows

UNIT = 10_000
"""Means are kept as whole numbers of ten-thousandths."""


@dataclass(frozen=True)
class ExampleMeans:
    """The means of a study.

    ``examples`` are each data set's, in the order of the scores; ``of`` has a model's means in ``UNIT`` for
    each of them, None where it has no score.
    """

    examples: Mapping[str, Sequence[str]]
    of: Mapping[str, Mapping[str, Sequence[int | None]]]


def example_means(scores: pd.DataFrame, models: Sequence[str], datasets: Sequence[str]) -> ExampleMeans:
    """The means of the main scores, (model, data set, example); a hole is left out of its mean.

    Args:
        scores: of the scores' shape.
        models: whose means to return.
        datasets: on which.
    """
    main = main_rows(scores)
    means = main.groupby(["dataset", "example", "model"], sort=False, observed=True)["score"].mean()
    table = (means * UNIT).round().unstack("model").reindex(columns=list(models))
    examples: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[int | None]]] = {model: {} for model in models}
    there = set(table.index.get_level_values("dataset"))
    for dataset in datasets:
        part = table.loc[dataset] if dataset in there else table.iloc[:0]
        examples[dataset] = [str(name) for name in part.index] if dataset in there else []
        for model in models:
            values = part[model].tolist()
            found[model][dataset] = [None if math.isnan(value) else int(value) for value in values]
    return ExampleMeans(examples, found)
