"""Scores of one answer, by the postprocessors and metrics of its card."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

from ..core.errors import OWN, CardError, InputError, UnknownNameError, nearest
from ..core.names import faithful_name, lenient_name
from ..core.texts import as_seen, split_thoughts
from ..tables import serializers
from .answers import final_readings, label_of
from .json_answers import LONGEST, read_json_answer
from .metrics import SHOWN_TABLE, Metric, metrics
from .metrics.unitxt import PREFIX, in_catalog
from .processors import postprocess

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..tables import Table

LAST = ""
"""Stands for the last step of a design."""


def card_metrics(card: Card, step: str | None = LAST) -> list[Metric]:
    """The metrics of a card: the project's or a plugin's, else unitxt's of that name.

    Args:
        card: names them.
        step: the step whose answer the metrics rate; None for any. Never metrics of pairs.

    Raises:
        CardError: neither has it, or the card names none.
    """
    if not card.metrics:
        raise CardError(f"{card.name}: no metric; expected at least one under task.metrics")
    return [each for each in _named(card) if not each.pairs and step in (None, each.step)]


def pair_metrics(card: Card) -> list[Metric]:
    """The metrics that compare the two answers of a pair: the card's, or else ``consistency``.

    Raises:
        CardError: as :func:`card_metrics`.
    """
    return _of_pairs(card) or [metrics.get("consistency")]


def _of_pairs(card: Card) -> list[Metric]:
    return [metric for metric in _named(card) if metric.pairs]


def _named(card: Card) -> list[Metric]:
    return [_metric(name, card.name) for name in card.metrics]


def rated_steps(card: Card) -> list[str]:
    """The steps that the card's metrics rate, ``LAST`` first.

    Raises:
        CardError: as :func:`card_metrics`.
    """
    return list(dict.fromkeys([LAST, *(metric.step for metric in card_metrics(card, None))]))


def _metric(name: str, card: str) -> Metric:
    bare = name.removeprefix("metrics.")
    try:
        return metrics.get(PREFIX + bare if bare not in metrics and in_catalog(f"metrics.{bare}") else bare)
    except UnknownNameError as error:
        raise CardError(f"{card}: {error}") from None


def card_score_names(card: Card) -> list[str]:
    """The names of the scores that :func:`score_example` gives for a card, the main one first.

    A plugin's metric that does not name its scores counts with its main one. The lenient score is among them,
    where a card has one.

    Raises:
        CardError: as :func:`card_metrics`.
    """
    its_metrics = card_metrics(card)
    names = [name for metric in its_metrics for name in metric.score_names or (metric.main,)]
    lenient = [] if _lenient_metric(card, its_metrics) is None else [lenient_name(card.main_metric)]
    return list(dict.fromkeys([card.main_metric, *names, *lenient]))


def scored_leniently(card: Card) -> Card:
    """The card with its lenient score as the main one; itself where it has none (:func:`scores_of`)."""
    if _lenient_metric(card, card_metrics(card)) is None:
        return card
    return replace(card, main_metric=lenient_name(card.main_metric))


def _lenient_metric(card: Card, its_metrics: Sequence[Metric]) -> Metric | None:
    """The metric of single answers that gives the main score, unless it takes no other reading of them."""
    name = faithful_name(card.main_metric)
    fits = (
        each for each in its_metrics if each.answer_form != "whole" and name in (each.main, *each.score_names)
    )
    return next(fits, None)


def check_main_score(card: Card) -> None:
    """Refuse a card whose main score none of its metrics gives, without scoring anything.

    Metrics of plugins and of unitxt need not name their scores; a card with one of these passes.

    Raises:
        CardError: as :func:`card_metrics`; or no such score, with the nearest ones.
    """
    its_metrics = [*card_metrics(card), *_of_pairs(card)]
    if all(each.name in metrics and metrics.origin(each.name) == OWN for each in its_metrics):
        names = [name for metric in its_metrics for name in (metric.main, *metric.score_names)]
        if faithful_name(card.main_metric) not in names:
            raise CardError(f"{_no_main_score(card)}; {nearest(card.main_metric, names)}")


def _no_main_score(card: Card) -> str:
    return f"{card.name}: no metric gives its main score {card.main_metric!r}"


def score_example(
    card: Card, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Score one answer by the card's postprocessors and metrics; those of earlier steps take no part.

    Args:
        card: the answer's card.
        prediction: the answer as the model gave it. Its thoughts are left out, and where it ended in them
            every score is 0; of more than ``LONGEST`` characters the last ``LONGEST`` are read.
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
    refuse_single_answers(card)
    return scores_of(card, card_metrics(card), prediction, references, facts or {})


def scores_of(
    card: Card,
    its_metrics: Sequence[Metric],
    prediction: str,
    references: Sequence[str],
    facts: Mapping[str, str],
    *,
    step: str = LAST,
) -> dict[str, float]:
    """:func:`score_example`, with the card's metrics of a step looked up before.

    Answers to a step before the last are no answers to the question: the card's postprocessors leave them
    as they are, and none of their scores is the card's main one.

    Beside the main score stands ``<main score>.lenient``: the most that the same postprocessors and the same
    metric give the answer as it is, or one of the readings of the final answer in it
    (:func:`~torr_plugin.scoring.answers.final_readings`), the labels in other words that the card names. So
    it is never lower, and what it is higher by is what the form of the answers cost. There is none where a
    metric takes an answer as a whole (``answer_form``), and none of pairs and of earlier steps.
    """
    if not references:
        raise InputError(f"{card.name}: an example without references cannot be scored")
    said = split_thoughts(as_seen(prediction))
    answer, right = _processed(card, said.text, list(map(as_seen, references)), step)
    scores: dict[str, float] = {}
    for metric in its_metrics:
        given = rated(card, metric, answer, right, facts)
        twice = sorted(scores.keys() & given.keys())
        if twice:
            raise CardError(_given_twice(card, twice[0]))
        scores.update(given)
    of_main = _lenient_metric(card, its_metrics) if step == LAST else None
    if of_main is not None:
        faithful = scores[faithful_name(card.main_metric)]
        # what is right already needs no other reading
        others = _other_answers(card, of_main, said.text) if faithful < 1 else ()
        better = (
            rated(card, of_main, other, right, facts)[faithful_name(card.main_metric)]
            for other in dict.fromkeys(others)
            if other != answer
        )
        scores[lenient_name(card.main_metric)] = max([faithful, *better])
    if step == LAST and card.main_metric not in scores and not _is_main_of_pairs(card):
        raise CardError(f"{_no_main_score(card)}; found: {', '.join(scores) or 'none'}")
    return dict.fromkeys(scores, 0.0) if said.unfinished else scores


def read_answer(
    card: Card, prediction: str, references: Sequence[str] = (), *, step: str = LAST
) -> tuple[str, list[str]]:
    """An answer and its references as the card's metrics get them: without thoughts, postprocessed.

    Args:
        card: whose postprocessors; they leave answers to a step before the last as they are.
        prediction: as the model gave it; of more than ``LONGEST`` characters the last ``LONGEST`` are read.
        references: the right answers.
        step: the step that was answered.
    """
    return _processed(card, split_thoughts(as_seen(prediction)).text, list(map(as_seen, references)), step)


def _processed(card: Card, said: str, right: list[str], step: str = LAST) -> tuple[str, list[str]]:
    """:func:`read_answer` of texts as they are seen, without thoughts."""
    answer = said[-LONGEST:]
    if step != LAST:
        return answer, right
    return postprocess(answer, right, card.template.postprocessors, where=f"{card.name}: postprocessors")


def _other_answers(card: Card, metric: Metric, prediction: str) -> Iterator[str]:
    """The readings of the final answer, postprocessed, in the form that the metric takes."""
    in_json = metric.answer_form == "json"
    if in_json and read_json_answer(prediction)[0] is not None:
        return
    for reading in final_readings(prediction):
        if not in_json:
            answer, _ = _processed(card, reading, [])
            yield label_of(answer, card.spellings) if card.spellings else answer
        elif "\n" not in reading:
            yield json.dumps({"answer": reading}, ensure_ascii=False)


def _is_main_of_pairs(card: Card) -> bool:
    return any(card.main_metric in (metric.main, *metric.score_names) for metric in _of_pairs(card))


def right_score(card: Card, names: Collection[str]) -> str:
    """The name of an answer's own score.

    It is the card's main score or, where that compares pairs, the main score of its first metric that does
    not.

    Args:
        card: the answer's.
        names: the scores that single answers have.
    """
    return card.main_metric if card.main_metric in names else card_metrics(card)[0].main


def refuse_single_answers(card: Card) -> None:
    """Refuse a card whose main score compares two answers, where there is but one.

    Raises:
        CardError: it does.
    """
    if _is_main_of_pairs(card):
        raise CardError(
            f"{card.name}: its main score {card.main_metric!r} compares the two answers of a pair, so that "
            "single answers have none; expected a run ('torr run'), or other metrics"
        )


def check_card(card: Card, example: Example) -> None:
    """Rate an empty answer to an example at every step, to find a wrong card before models are asked.

    Raises:
        CardError: as :func:`score_example`, also of the metrics of earlier steps.
    """
    facts = {**example.facts, SHOWN_TABLE: table_fact(example.table)}
    names: set[str] = set()
    for step in rated_steps(card):
        given = scores_of(card, card_metrics(card, step), "", example.references, facts, step=step)
        if twice := sorted(names & given.keys()):
            raise CardError(_given_twice(card, twice[0]))
        names |= given.keys()
    for metric in _of_pairs(card):
        rated(card, metric, "", [""], {})


def table_fact(table: Table) -> str:
    """The fact ``shown_table``: a table in the format ``json``, which loses nothing."""
    return str(serializers.get("json").serialize(table))


def _given_twice(card: Card, name: str) -> str:
    return f"{card.name}: two metrics give a score called {name!r}; name only one of them"


def rated(
    card: Card, metric: Metric, answer: str, right: Sequence[str], facts: Mapping[str, str]
) -> dict[str, float]:
    """The scores of one metric.

    Args:
        card: for messages.
        metric: rates the answer.
        answer: postprocessed.
        right: the references, postprocessed; of a metric of pairs the other answer.
        facts: the example's, by name.

    Raises:
        CardError: the metric needs a fact that is missing.
    """
    missing = [name for name in metric.needs if name not in facts]
    if missing:
        raise CardError(
            f"{card.name}: metric {metric.name!r} needs the fact {missing[0]!r}; "
            f"found: {', '.join(facts) or 'none'} (see 'facts' of read_example)"
        )
    with metrics.blamed(metric.name):
        scores = rate(metric, answer, right, facts)
        if metrics.origin(metric.name) != OWN:
            check_scores(scores)
        return scores


def rate(
    metric: Metric, prediction: str, references: Sequence[str], facts: Mapping[str, str]
) -> dict[str, float]:
    """The scores of one answer, with the facts where the metric takes any.

    Texts are compared as they are seen: in Unicode's composed form, without characters of no width.
    """
    prediction, references = as_seen(prediction), list(map(as_seen, references))
    if metric.needs or metric.optional:
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
