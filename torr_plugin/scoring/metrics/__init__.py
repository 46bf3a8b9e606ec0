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
from .charts import Charts
from .column_types import ColumnTypes
from .consistency import Consistency
from .exact_match import Accuracy, ExactMatch, UnsortedListExactMatch
from .f1_strings import F1Strings, TorrF1Strings
from .feverous import Feverous
from .finqa import FinQa
from .hctqa import HctQa, HctQaVision
from .header_tree import HeaderTreeMatch
from .hybrid_qa import HybridQa
from .number_match import NumberMatch
from .realhitbench import RealHiTBench, RealHiTBenchConsistency, RealHiTBenchRouge
from .rouge import Rouge
from .sqa import Sqa
from .structure import MergedColumns, Positions, ValueList
from .tablequest import TableQuest, TableQuestAnalysis
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
        added_metrics.add(_IN_UNITXT + name)
        return super().register(name, value, origin=origin)

    def remove(self, name: str) -> None:
        """Remove ``name``, if it is there."""
        added_metrics.discard(_IN_UNITXT + name)
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


metrics: Registry[Metric] = _Metrics("metric")
for _metric in (
    Accuracy(),
    Bleu(),
    Charts(),
    ColumnTypes(),
    Consistency(),
    ExactMatch(),
    F1Strings(),
    Feverous(),
    FinQa(),
    HctQa(),
    HctQaVision(),
    HeaderTreeMatch(),
    HybridQa(),
    MergedColumns(),
    NumberMatch(),
    Positions(),
    RealHiTBench(),
    RealHiTBenchConsistency(),
    RealHiTBenchRouge(),
    Rouge(),
    Sqa(),
    TableQuest(),
    TableQuestAnalysis(),
    TorrF1Strings(),
    UnsortedListExactMatch(),
    ValueList(),
    ValueSet(),
):
    metrics.add(_metric)


def origin_of(metric: Metric) -> str:
    """The plugin that brought a metric; ours are ``torr-plugin``'s, and so is the bridge to unitxt's."""
    if metric.name in metrics and metrics.get(metric.name) is metric:
        return metrics.origin(metric.name)
    return OWN
