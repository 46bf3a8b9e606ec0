"""Scores of answers. In: a card, predictions and references. Out: scores in [0, 1], one row a score.

``metrics`` and ``processors`` are registries; ``score_example`` rates one answer, ``score_run`` a run
directory and ``score_predictions`` a file of predictions made elsewhere.
"""

from .example_scores import score_example
from .lengths import lengths_of_run
from .metrics import Metric, metrics
from .predictions import ScoreReport, score_predictions
from .processors import Processor, processors
from .scores import score_run

__all__ = [
    "Metric",
    "Processor",
    "ScoreReport",
    "lengths_of_run",
    "metrics",
    "processors",
    "score_example",
    "score_predictions",
    "score_run",
]
