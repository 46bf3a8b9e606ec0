"""All metrics, by name. In: a prediction and its references, as text. Out: scores in [0, 1] by name.

A plugin's metric needs no base class, so what :class:`Metric` has and it has not is read as its default.
"""

from collections.abc import Mapping, Sequence
from numbers import Real

from ...catalog.folders import added_metrics
from ...core.errors import OWN
from ...core.texts import as_seen
from ...tables import Registry
from .base import SHOWN_TABLE, AnswerForm, Metric
from .bleu import Bleu
from .consistency import Consistency
from .exact_match import Accuracy, ExactMatch
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


def step_of(metric: Metric) -> str:
    """The step whose answer a metric rates; empty for the last one, as of a plugin's without ``step``."""
    return str(getattr(metric, "step", ""))


def is_of_pairs(metric: Metric) -> bool:
    """Whether a metric compares the two answers of a pair; no plugin's without ``pairs`` does."""
    return bool(getattr(metric, "pairs", False))


def needs_of(metric: Metric) -> tuple[str, ...]:
    """The facts that a metric needs; none for a plugin's without ``needs``."""
    return tuple(getattr(metric, "needs", ()))


def score_names_of(metric: Metric) -> tuple[str, ...]:
    """The names of the scores that a metric gives; its main one where it does not say."""
    return tuple(getattr(metric, "score_names", ())) or (metric.main,)


def answer_form_of(metric: Metric) -> AnswerForm:
    """How a metric takes a final answer; as text, for a plugin's without ``answer_form``."""
    form: AnswerForm = getattr(metric, "answer_form", "text")
    return form


def facts_of(metric: Metric) -> tuple[str, ...]:
    """The facts that a metric needs, and those that it takes into account; without any it gets none."""
    return (*needs_of(metric), *getattr(metric, "optional", ()))


def rate(
    metric: Metric, prediction: str, references: Sequence[str], facts: Mapping[str, str]
) -> dict[str, float]:
    """The scores of one answer, with the facts where the metric takes any.

    Texts are compared as they are seen: in Unicode's composed form, without characters of no width.
    """
    prediction, references = as_seen(prediction), list(map(as_seen, references))
    if facts_of(metric):
        return metric.scores(prediction, references, facts)  # type: ignore[call-arg]  # see Metric.needs
    return metric.scores(prediction, references)


def check_scores(scores: object) -> None:
    """Refuse results of a metric that are no scores.

    Raises:
        TypeError: no mapping, an empty one, or a name that is no text or a score that is no number.
        ValueError: a score outside [0, 1], or none at all (NaN).
    """
    if not isinstance(scores, Mapping) or not scores:
        raise TypeError(f"it gave {type(scores).__name__}, expected a mapping of at least one score")
    for name, score in scores.items():
        if not isinstance(name, str) or not isinstance(score, Real):
            raise TypeError(f"it gave {type(score).__name__} as the score {name!r}, expected a number")
        if not 0 <= float(score) <= 1:
            raise ValueError(f"it gave {float(score)!r} as the score {name!r}, expected a number from 0 to 1")


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
    ValueSet(),
):
    metrics.add(_metric)


def origin_of(metric: Metric) -> str:
    """The plugin that brought a metric; ours are ``torr-plugin``'s, and so is the bridge to unitxt's."""
    if metric.name in metrics and metrics.get(metric.name) is metric:
        return metrics.origin(metric.name)
    return OWN
