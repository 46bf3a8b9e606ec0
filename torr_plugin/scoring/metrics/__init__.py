"""All metrics, by name. In: a prediction and its references, as text. Out: scores in [0, 1] by name."""

from ...catalog.folders import added_metrics
from ...core.errors import OWN
from ...tables import Registry
from .base import SHOWN_TABLE, Metric
from .bleu import Bleu
from .consistency import Consistency
from .exact_match import Accuracy, ExactMatch
from .f1_strings import F1Strings
from .number_match import NumberMatch
from .rouge import Rouge
from .value_set import ValueSet

__all__ = ["SHOWN_TABLE", "Metric", "metrics"]

_CATALOG = "metrics."
_IN_UNITXT = "metrics.torr."


class _Metrics(Registry[Metric]):
    """The project's and the plugins' metrics, and a bridge to those of unitxt's catalog.

    Their names are registered with the catalog, so that cards can name them.
    """

    def register(self, name: str, value: Metric, *, origin: str = OWN) -> Metric:
        """Add a metric under ``name``; ``origin`` is the plugin that brings it."""
        added_metrics[_IN_UNITXT + name] = (value.main, *value.score_names)
        return super().register(name, value, origin=origin)

    def remove(self, name: str) -> None:
        """Remove ``name``, if it is there."""
        added_metrics.pop(_IN_UNITXT + name, None)
        super().remove(name)

    def _unlisted(self, name: str) -> Metric:
        """``metrics.rouge`` is ``rouge``, and ``unitxt:metrics.squad`` a metric of unitxt's own."""
        from .unitxt import PREFIX, unitxt_metric

        if name.startswith(PREFIX):
            return unitxt_metric(name.removeprefix(PREFIX), self.names())
        if name.startswith(_CATALOG):
            return self.get(name.removeprefix(_CATALOG))
        return super()._unlisted(name)


metrics: Registry[Metric] = _Metrics("metric", hook="torr_metrics")
for _metric in (
    Accuracy(),
    Bleu(),
    Consistency(),
    ExactMatch(),
    F1Strings(),
    NumberMatch(),
    Rouge(),
    ValueSet(),
):
    metrics.add(_metric)
