"""All metrics, by name. In: a prediction and its references, as text. Out: scores in [0, 1] by name."""

from ...catalog.artifacts import added_metrics
from ...core.errors import OWN
from ...tables import Registry
from .base import (
    SHOWN_TABLE,
    Metric,
    answer_form_of,
    check_scores,
    facts_of,
    is_of_pairs,
    needs_of,
    rate,
    score_names_of,
    step_of,
)
from .bleu import Bleu
from .consistency import Consistency
from .exact_match import Accuracy, ExactMatch, UnsortedListExactMatch
from .f1_strings import F1Strings
from .number_match import NumberMatch
from .rouge import Rouge
from .value_set import ValueSet

__all__ = [
    "SHOWN_TABLE",
    "Metric",
    "answer_form_of",
    "check_scores",
    "facts_of",
    "is_of_pairs",
    "metrics",
    "needs_of",
    "origin_of",
    "rate",
    "score_names_of",
    "step_of",
]

_CATALOG = "metrics."
_IN_UNITXT = "metrics.torr."


class _Metrics(Registry[Metric]):
    """The project's and the plugins' metrics, and a bridge to those of unitxt's catalog.

    Their names are registered with the catalog, so that cards can name them.
    """

    def register(self, name: str, value: Metric, *, origin: str = OWN) -> Metric:
        """Add a metric under ``name``; ``origin`` is the plugin that brings it."""
        added_metrics[_IN_UNITXT + name] = (value.main, *score_names_of(value))
        return super().register(name, value, origin=origin)

    def remove(self, name: str) -> None:
        """Remove ``name``, if it is there."""
        added_metrics.pop(_IN_UNITXT + name, None)
        super().remove(name)

    def get(self, name: str) -> Metric:
        """The metric called ``name``.

        Args:
            name: ``rouge`` or ``metrics.rouge`` for a metric of the project or a plugin;
                ``unitxt:metrics.squad`` for unitxt's own.

        Raises:
            UnknownNameError: there is none; the message gives the nearest.
        """
        from .unitxt import PREFIX, unitxt_metric

        if name.startswith(PREFIX):
            return unitxt_metric(name.removeprefix(PREFIX), self.names())
        return super().get(name.removeprefix(_CATALOG))


metrics: Registry[Metric] = _Metrics("metric", hook="torr_metrics")
for _metric in (
    Accuracy(),
    Bleu(),
    Consistency(),
    ExactMatch(),
    F1Strings(),
    NumberMatch(),
    Rouge(),
    UnsortedListExactMatch(),
    ValueSet(),
):
    metrics.add(_metric)


def origin_of(metric: Metric) -> str:
    """The plugin that brought a metric; ours are ``torr-plugin``'s, and so is the bridge to unitxt's."""
    if metric.name in metrics and metrics.get(metric.name) is metric:
        return metrics.origin(metric.name)
    return OWN
