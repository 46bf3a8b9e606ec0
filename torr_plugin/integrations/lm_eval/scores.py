"""The figures of an example that lm-eval averages over documents: performance, robustness, worst and best.

Each figure of a data set is a mean over its examples (ToRR, section 2.2), so a harness that averages over
documents and gives the mean's standard error gives ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...analysis.statistics import example_best, example_robustness, example_worst
from ...catalog import Card
from ...recipes import Configuration
from ...scoring import card_score_names, score_example
from ..steps import scored_text

FIGURES = ("performance", "robustness", "worst", "best")


def figures_of_example(scores: Iterable[float]) -> dict[str, float]:
    """The four figures of one example.

    Args:
        scores: main scores in [0, 1], one a configuration, NaN where there is none. An example with a hole
            has no figures (NaN): a range over fewer configurations would look more robust than it is.
    """
    values = np.array(list(scores), dtype=float)
    if not len(values) or np.isnan(values).any():
        return dict.fromkeys(FIGURES, math.nan)
    one = values.reshape(1, -1, 1)  # model, configuration, example
    return {
        "performance": math.fsum(values) / len(values),
        "robustness": float(example_robustness(one)[0, 0]),
        "worst": float(example_worst(one)[0, 0]),
        "best": float(example_best(one)[0, 0]),
    }


def configuration_scores(card: Card, record: Mapping[str, Any], answer: Any) -> dict[str, float]:
    """Score one answer by all metrics; an answer that is no text has no score, unlike a wrong one.

    Returns:
        Scores in [0, 1] by the card's names; the main one alone, NaN, where there is no answer.
    """
    if not isinstance(answer, str):
        return {card.main_metric: math.nan}
    where = f"example {record['example']!r}"
    scored = scored_text(Configuration.of(record["config"]), answer, where)
    return score_example(card, scored, record["references"], record["facts"])


def example_figures(
    card: Card, records: Sequence[Mapping[str, Any]], answers: Sequence[Any]
) -> dict[str, float]:
    """Performance, robustness, worst and best of an example, and the means of the card's metrics.

    Args:
        card: the data set's.
        records: of the document, one a configuration.
        answers: in the same order.
    """
    scores = [
        configuration_scores(card, record, answer) for record, answer in zip(records, answers, strict=True)
    ]
    main = figures_of_example(each[card.main_metric] for each in scores)
    return {**main, **_means(scores), **main}  # a metric may have a figure's name


def figure_names(card: Card, *, single: bool) -> list[str]:
    """The names of a task's figures, before an answer is scored.

    Args:
        card: the data set's.
        single: whether the task asks one configuration.
    """
    names = card_score_names(card)
    return names if single else [*FIGURES, *names]


def _means(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every metric over the configurations; NaN where one of them lacks it."""
    names = dict.fromkeys(name for each in scores for name in each)
    return {name: math.fsum(each.get(name, math.nan) for each in scores) / len(scores) for name in names}
