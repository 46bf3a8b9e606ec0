"""Rates each answer against its own references, and counts missing answers and changed prompts."""

from __future__ import annotations

import json

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.metrics.metric import Metric, MetricMetadata
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat

from ...core.errors import InputError
from ...plugins import load
from ...recipes import Configuration
from ...scoring import card_score_names, score_example
from ..record import FIELD, read_record
from ..steps import FAILURE, scored_text
from ..studies import dataset_entry
from .annotator import answer_of

SCORE, MISSING, CHANGED = "torr_score", "torr_missing", "torr_prompt_changed"

# name, description, whether less is better
_STATISTICS = (
    (SCORE, "Mean main score of the answers that are there.", False),
    (MISSING, "Share of requests of finished runs without an answer; they have no score.", True),
    (
        CHANGED,
        "Share of prompts that HELM cut to a window or wrapped before it gave them to its client.",
        True,
    ),
)


class TorrHelmMetric(Metric):  # type: ignore[misc]  # HELM ships no types
    """The scores of a study's answers, by the names that ``torr run`` gives them.

    The instance's record holds the references of an answer, so neither HELM's drawing of instances nor their
    order matters. A missing answer, or one that a client gave in place of an error, has no score: its
    statistics are empty, which differs from 0, and ``torr_missing`` is 1.

    Args:
        study: a recipe's name or file.
        dataset: one of its data sets.
    """

    def __init__(self, study: str, dataset: str) -> None:
        load()
        self._study, self._dataset = study, dataset

    def evaluate_generation(
        self,
        adapter_spec: AdapterSpec,
        request_state: RequestState,
        metric_service: MetricService,
        eval_cache_path: str,
    ) -> list[Stat]:
        """Statistics of an instance.

        Raises:
            InputError: an instance without a record, or one of another data set.
        """
        instance = request_state.instance
        where = f"instance {instance.id}"
        record = read_record((instance.extra_data or {}).get(FIELD), f"{where}: extra_data")
        if record.dataset != self._dataset:
            raise InputError(f"{where}: data set {record.dataset!r}; expected {self._dataset!r}")
        card = dataset_entry(self._study, self._dataset).card
        answer = answer_to_all_steps(request_state)
        values: dict[str, float | None] = dict.fromkeys([SCORE, *card_score_names(card)])
        if answer is not None:
            scored = scored_text(Configuration.of(record.config), answer, where)
            values |= score_example(card, scored, record.references, record.facts)
            values[SCORE] = values[card.main_metric]
        values |= {MISSING: float(answer is None), CHANGED: float(not sent_unchanged(request_state))}
        return [Stat(MetricName(name)).add(value) for name, value in values.items()]

    def get_metadata(self) -> list[MetricMetadata]:
        """The names and descriptions of the statistics, and of the scores of the data set's metrics."""
        main, *others = card_score_names(dataset_entry(self._study, self._dataset).card)
        about = "A score of torr-plugin's, from 0 to 1; its documentation of metrics says what it gives."
        return [
            _metadata(main, about, False, None),  # HELM has a group of main metrics
            *(_metadata(name, about, False, "scores") for name in others),
            *(_metadata(*each, "torr") for each in _STATISTICS),
        ]


def _metadata(name: str, description: str, lower_is_better: bool, group: str | None) -> MetricMetadata:
    return MetricMetadata(
        name=name, display_name=name, description=description, lower_is_better=lower_is_better, group=group
    )


def answer_to_all_steps(state: RequestState) -> str | None:
    """The text of a request's answer; of a design of several calls all steps, as the annotator took them."""
    steps = (state.annotations or {}).get(FIELD)
    if steps is None:
        return answer_of(state.result)
    return None if FAILURE in steps else json.dumps(steps)


def sent_unchanged(state: RequestState) -> bool:
    """Whether HELM sent the prompt as it was: not cut to a window, nothing added for a model."""
    shown, request = state.instance.input, state.request
    return bool(request.messages == shown.messages if shown.messages else request.prompt == shown.text)
