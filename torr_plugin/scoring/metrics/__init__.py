"""All metrics, by name. In: a prediction and its references, as text. Out: scores in [0, 1] by name."""

from ...tables import Registry
from .accuracy import Accuracy
from .base import Metric, needs_of, rate
from .column_types import ColumnTypes
from .exact_match import ExactMatch
from .f1_strings import F1Strings
from .finqa import FinQa
from .hctqa import HctQa, HctQaVision
from .rouge import Rouge
from .torr_f1_strings import TorrF1Strings
from .unsorted_list_exact_match import UnsortedListExactMatch

__all__ = ["Metric", "metrics", "needs_of", "rate"]

_CATALOG = "metrics."


class _Metrics(Registry[Metric]):
    """The project's and the plugins' metrics, and a bridge to those of unitxt's catalog."""

    def get(self, name: str) -> Metric:
        """The metric called ``name``.

        Args:
            name: ``rouge`` or ``metrics.rouge`` for a metric of the project or a plugin;
                ``unitxt:metrics.squad`` for unitxt's own.

        Raises:
            UnknownNameError: there is none; the message gives the nearest.
        """
        from ..unitxt_bridge import PREFIX, unitxt_metric

        if name.startswith(PREFIX):
            return unitxt_metric(name.removeprefix(PREFIX), self.names())
        return super().get(name.removeprefix(_CATALOG))


metrics: Registry[Metric] = _Metrics("metric")
for _metric in (
    Accuracy(),
    ColumnTypes(),
    ExactMatch(),
    F1Strings(),
    FinQa(),
    HctQa(),
    HctQaVision(),
    Rouge(),
    TorrF1Strings(),
    UnsortedListExactMatch(),
):
    metrics.add(_metric)
