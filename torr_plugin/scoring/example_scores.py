"""Scores of one answer, by the postprocessors and metrics of its card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.errors import OWN, CardError, InputError, UnknownNameError, blamed, nearest
from .metrics import Metric, check_scores, metrics, needs_of, origin_of, rate, score_names_of
from .metrics.unitxt import PREFIX, in_catalog
from .processors import postprocess

if TYPE_CHECKING:
    from ..catalog import Card

LONGEST = 100_000
"""The most characters of an answer that are read, so that a runaway model does not stop the scoring."""


def card_metrics(card: Card) -> list[Metric]:
    """The metrics of a card: the project's or a plugin's, else unitxt's of that name.

    Raises:
        CardError: neither has it, or the card names none.
    """
    if not card.metrics:
        raise CardError(f"{card.name}: no metric; expected at least one under task.metrics")
    return [_metric(name, card.name) for name in card.metrics]


def _metric(name: str, card: str) -> Metric:
    bare = name.removeprefix("metrics.")
    try:
        return metrics.get(PREFIX + bare if bare not in metrics and in_catalog(f"metrics.{bare}") else bare)
    except UnknownNameError as error:
        raise CardError(f"{card}: {error}") from None


def card_score_names(card: Card) -> list[str]:
    """The names of the scores that :func:`score_example` gives for a card, the main one first.

    A plugin's metric that does not name its scores counts with its main one.

    Raises:
        CardError: as :func:`card_metrics`.
    """
    names = [name for metric in card_metrics(card) for name in score_names_of(metric)]
    return list(dict.fromkeys([card.main_metric, *names]))


def check_main_score(card: Card) -> None:
    """Refuse a card whose main score none of its metrics gives, without scoring anything.

    Metrics of plugins and of unitxt need not name their scores; a card with one of these passes.

    Raises:
        CardError: as :func:`card_metrics`; or no such score, with the nearest ones.
    """
    its_metrics = card_metrics(card)
    if all(each.name in metrics and origin_of(each) == OWN for each in its_metrics):
        names = [name for metric in its_metrics for name in score_names_of(metric)]
        if card.main_metric not in names:
            raise CardError(f"{_no_main_score(card)}; {nearest(card.main_metric, names)}")


def _no_main_score(card: Card) -> str:
    return f"{card.name}: no metric gives its main score {card.main_metric!r}"


def score_example(
    card: Card, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Score one answer by the card's postprocessors and metrics.

    Args:
        card: the answer's card.
        prediction: the answer as the model gave it; of more than ``LONGEST`` characters the first ``LONGEST``
            are read.
        references: the right answers, at least one.
        facts: further values that the card's metrics need (:attr:`Example.facts
            <torr_plugin.catalog.Example.facts>`).

    Returns:
        Scores by name, each in [0, 1]; ``card.main_metric`` is one of the names.

    Raises:
        CardError: an unknown metric or postprocessor, two metrics with a score of one name, no main score, a
            metric that needs a missing fact.
        InputError: no references.
    """
    return scores_of(card, card_metrics(card), prediction, references, facts or {})


def scores_of(
    card: Card,
    its_metrics: Sequence[Metric],
    prediction: str,
    references: Sequence[str],
    facts: Mapping[str, str],
) -> dict[str, float]:
    """:func:`score_example`, with the card's metrics looked up before."""
    if not references:
        raise InputError(f"{card.name}: an example without references cannot be scored")
    where = f"{card.name}: postprocessors"
    answer, right = postprocess(prediction[:LONGEST], references, card.template.postprocessors, where=where)
    scores: dict[str, float] = {}
    for metric in its_metrics:
        given = _rated(card, metric, answer, right, facts)
        twice = sorted(scores.keys() & given.keys())
        if twice:
            raise CardError(
                f"{card.name}: two metrics give a score called {twice[0]!r}; name only one of them"
            )
        scores.update(given)
    if card.main_metric not in scores:
        raise CardError(f"{_no_main_score(card)}; found: {', '.join(scores)}")
    return scores


def _rated(
    card: Card, metric: Metric, answer: str, right: Sequence[str], facts: Mapping[str, str]
) -> dict[str, float]:
    missing = [name for name in needs_of(metric) if name not in facts]
    if missing:
        raise CardError(
            f"{card.name}: metric {metric.name!r} needs the fact {missing[0]!r}; "
            f"found: {', '.join(facts) or 'none'} (see 'facts' of read_example)"
        )
    origin = origin_of(metric)
    with blamed("metric", metric.name, origin):
        rated = rate(metric, answer, right, facts)
        if origin != OWN:
            check_scores(rated)
        return rated
