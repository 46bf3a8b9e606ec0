"""From the answers to a document to the figures that lm-eval averages over documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..figures import figures_of_example

if TYPE_CHECKING:
    from ...catalog import Card


def rated_configuration(card: Card, record: Mapping[str, Any], answer: Any) -> dict[str, float]:
    """All metrics of one answer; what is no text has none, which is not the same as a wrong answer.

    Returns:
        Scores in [0, 1] by the card's names; the main one alone, NaN, where there is no answer.
    """
    from ...scoring import score_example

    if not isinstance(answer, str):
        return {card.main_metric: math.nan}
    return score_example(card, answer, record["references"], record["facts"])


def rated_example(
    card: Card, records: Sequence[Mapping[str, Any]], answers: Sequence[Any]
) -> dict[str, float]:
    """Performance, robustness, worst and best of an example, and the means of the card's other metrics.

    Args:
        card: the data set's.
        records: of the document, one a configuration.
        answers: in the same order.
    """
    scores = [
        rated_configuration(card, record, answer) for record, answer in zip(records, answers, strict=True)
    ]
    main = figures_of_example(each[card.main_metric] for each in scores)
    return {**_means(scores, besides=card.main_metric), **main}


def _means(scores: Sequence[Mapping[str, float]], *, besides: str) -> dict[str, float]:
    """The mean of every other metric over the configurations; NaN where one of them lacks it."""
    names = dict.fromkeys(name for each in scores for name in each if name != besides)
    return {name: math.fsum(each.get(name, math.nan) for each in scores) / len(scores) for name in names}
