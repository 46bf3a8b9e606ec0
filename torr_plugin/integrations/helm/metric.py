"""Rates each answer against its own references; counts missing answers, changed prompts and what it took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from helm.benchmark.adaptation.adapter_spec import ADAPT_CHAT
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.metrics.metric import MetricInterface, MetricMetadata, MetricResult, PerInstanceStats
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.metric_service import MetricService
from helm.benchmark.metrics.statistic import Stat
from helm.benchmark.window_services.window_service import WindowService
from helm.benchmark.window_services.window_service_factory import WindowServiceFactory

from ...catalog import Card
from ...core.errors import InputError
from ...plugins import load
from ...recipes import Configuration
from ...running.contexts import plain_text
from ...scoring import card_score_names, score_example
from ..record import FIELD, read_record
from ..steps import FAILURE, logged_steps, scored_text
from ..studies import dataset_entry
from .annotator import answer_of_result, text_of_request
from .schema import (
    CHANGED,
    INSTANCE_STATISTICS,
    MISSING,
    OUTPUT_TOKENS,
    PROMPT_TOKENS,
    REQUESTS,
    SCORE,
    STATISTICS,
    TRAFFIC,
    score_field,
)


class TorrHelmMetric(MetricInterface):  # type: ignore[misc]  # HELM ships no types
    """The scores of a study's answers, by the names that ``torr run`` gives them.

    The instance's record holds the references of an answer, so neither HELM's drawing of instances nor their
    order matters. A missing answer, or one that a client gave in place of an error, has no score: its
    statistics are empty and ``torr_missing`` is 1. Requests and tokens are those of all steps of a design,
    where HELM's own statistics know the first one.

    Args:
        study: a recipe's name or file.
        dataset: one of its data sets.
    """

    def __init__(self, study: str, dataset: str) -> None:
        self._study, self._dataset = study, dataset

    def evaluate(
        self,
        scenario_state: ScenarioState,
        metric_service: MetricService,
        eval_cache_path: str,
        parallelism: int,
    ) -> MetricResult:
        """Statistics of every instance, and those of all together.

        Raises:
            InputError: an instance without a record, or one of another data set.
        """
        load()
        card = dataset_entry(self._study, self._dataset).card
        states = scenario_state.request_states
        scores = [self._scores(card, state) for state in states]
        given = (name for each in scores for name in each or ())
        names = list(dict.fromkeys([SCORE, *card_score_names(card), *given]))
        adapter = scenario_state.adapter_spec
        chat = adapter.method == ADAPT_CHAT
        window = WindowServiceFactory.get_window_service(adapter.model_deployment, metric_service)
        per_instance = [
            _instance_stats(
                state,
                {name: (found or {}).get(name) for name in names}
                | _counts(state, found, chat)
                | _traffic(state, window),
            )
            for state, found in zip(states, scores, strict=True)
        ]
        return MetricResult(_merged(stat for each in per_instance for stat in each.stats), per_instance)

    def get_metadata(self) -> list[MetricMetadata]:
        """The names and descriptions of the statistics, and of the scores of the data set's metrics."""
        load()
        main, *others = card_score_names(dataset_entry(self._study, self._dataset).card)
        ours = [MetricMetadata(**STATISTICS[name], group="torr") for name in INSTANCE_STATISTICS]
        scores = [MetricMetadata(**score_field(name), group="scores") for name in others]
        return [MetricMetadata(**score_field(main)), *scores, *ours]  # HELM has a group of main metrics

    def _scores(self, card: Card, state: RequestState) -> dict[str, float] | None:
        """Score an answer by the references of its own record; None if there is no answer."""
        instance = state.instance
        record = read_record((instance.extra_data or {}).get(FIELD), f"instance {instance.id}: extra_data")
        if record.dataset != self._dataset:
            raise InputError(
                f"instance {instance.id}: data set {record.dataset!r}; expected {self._dataset!r}"
            )
        answer = answer_of(state)
        if answer is None:
            return None
        where = f"instance {state.instance.id}"
        scored = scored_text(Configuration.of(record.config), answer, where)
        scores = score_example(card, scored, record.references, record.facts)
        return {**scores, SCORE: scores[card.main_metric]}


def answer_of(state: RequestState) -> str | None:
    """The text of a request's answer; None if there is none, or an error in its place.

    Of a design of several calls all steps, as the annotator took them.
    """
    steps = (state.annotations or {}).get(FIELD)
    if steps is None:
        return answer_of_result(state.result)
    return None if FAILURE in steps else json.dumps(steps)


def sent_unchanged(state: RequestState, chat: bool) -> bool:
    """Whether HELM sent the prompt as it was: not cut to a window, nothing added for a model."""
    if chat:
        return bool(state.request.messages == state.instance.input.messages)
    return bool(state.request.prompt == state.instance.input.text)


def _counts(state: RequestState, scores: Mapping[str, float] | None, chat: bool) -> dict[str, float | None]:
    return {MISSING: float(scores is None), CHANGED: float(not sent_unchanged(state, chat))}


def _traffic(state: RequestState, window: WindowService) -> dict[str, float | None]:
    """Requests and tokens of all calls of an answer."""
    answer = answer_of(state)
    if answer is None:
        return dict.fromkeys(TRAFFIC)
    config = Configuration.of(state.instance.extra_data[FIELD]["config"])
    steps = logged_steps(config, answer, f"instance {state.instance.id}")
    calls = [(plain_text(each.messages), each.answer) for each in steps]
    calls = calls or [(text_of_request(state.request), answer)]
    return {
        REQUESTS: len(calls),
        PROMPT_TOKENS: sum(window.get_num_tokens(prompt) for prompt, _ in calls),
        OUTPUT_TOKENS: sum(window.get_num_tokens(text) for _, text in calls),
    }


def _instance_stats(state: RequestState, values: Mapping[str, float | None]) -> PerInstanceStats:
    """An instance's statistics; one without a value stays empty, which differs from 0."""
    instance = state.instance
    stats = [Stat(MetricName(name, split=instance.split)).add(value) for name, value in values.items()]
    return PerInstanceStats(str(instance.id), instance.perturbation, state.train_trial_index, stats)


def _merged(stats: Iterable[Stat]) -> list[Stat]:
    """Merge statistics of the same name; HELM's own merging would change those of the first instance."""
    found: dict[MetricName, Stat] = {}
    for stat in stats:
        found.setdefault(stat.name, Stat(stat.name)).merge(stat)
    return list(found.values())
