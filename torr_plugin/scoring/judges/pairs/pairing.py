"""Pairs of two models' answers to one question in one configuration, and the prompts about them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pandas as pd

from ....core.errors import InputError, nearest
from ....core.seeds import seed as seed_of
from ..answers import JudgePrompts, scored_answers
from .battles import Order
from .prompts import PairOptions

if TYPE_CHECKING:
    from ....catalog import Card
    from ....prompts import Prompt
    from ....running import Run

LEVEL = "level"
"""The group of an example that says how hard it is."""

_QUESTION = ["dataset", "config", "example"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models' answers to a question, and the prompts that ask which is better.

    Attributes:
        row: the columns of battles.parquet that are known before anybody is asked, without ``order``.
        answers: of ``model_a`` and ``model_b``.
        asked: a prompt for each order that is judged; null where the answers are equal, which is a tie.
    """

    row: dict[str, Any]
    answers: tuple[str, str]
    asked: dict[Order, Prompt | None]


@dataclass(frozen=True, slots=True)
class RunPairs:
    """The pairs of a run.

    Attributes:
        found: the pairs, by data set, then by models, in the run's order of questions.
        models: the models that are compared.
        unanswered: how many pairs are left out, as one of the two models has no answer.
    """

    found: list[Pair]
    models: list[str]
    unanswered: int


def pairs_of_run(
    run: Run,
    options: PairOptions,
    limit: int | None = None,
    datasets: Collection[str] | None = None,
) -> RunPairs:
    """The pairs of answers that a judge is asked about; replicates take no part.

    Args:
        run: whose models' answers.
        options: who is compared with whom, and how.
        limit: at most so many examples a data set, the first in the run's order.
        datasets: names of data sets or cards; None for all.

    Raises:
        InputError: no such data set or baseline, or fewer than two models with answers.
        RunError: an example of the run is no longer in its card's data.
    """
    _check_baseline(run, options.baseline)
    frames: dict[str, list[pd.DataFrame]] = {}
    cards: dict[str, Card] = {}
    for card, answered in scored_answers(run, limit, datasets):
        cards[card.dataset] = card
        frames.setdefault(card.dataset, []).append(answered)
    answering = {str(name) for each in frames.values() for one in each for name in one["model"].unique()}
    models = [label for label in run.models() if label in answering]
    _check_models(run, models, options.baseline)
    found: list[Pair] = []
    seed, unanswered = int(run.study.get("seed") or 0), 0
    for dataset, card in cards.items():
        prompts = JudgePrompts(run.study, card, options.prompt, sees_table=options.table)
        by_model = {str(one["model"].iloc[0]): one for one in frames[dataset] if len(one)}
        for a, b in _opponents(by_model, options.baseline):
            both = by_model[a].merge(by_model[b], on=_QUESTION, suffixes=("_a", "_b"))
            unanswered += len(by_model[a]) + len(by_model[b]) - 2 * len(both)
            found += [_pair(each, (a, b), prompts, options, seed) for each in both.to_dict("records")]
    return RunPairs(found, models, unanswered)


def _check_baseline(run: Run, baseline: str | None) -> None:
    if baseline is not None and baseline not in run.models():
        raise InputError(
            f"{run.path}: the baseline {baseline!r} is none of its models; {nearest(baseline, run.models())}"
        )


def _check_models(run: Run, models: Sequence[str], baseline: str | None) -> None:
    if len(models) < 2:
        those = f"of {models[0]!r} alone" if models else "of no model"
        raise InputError(
            f"{run.path}: has answers {those}, so there is nothing to compare; expected those of two models"
        )
    if baseline is not None and baseline not in models:
        raise InputError(f"{run.path}: the baseline {baseline!r} has no answer to compare others with")


def _opponents(models: Collection[str], baseline: str | None) -> list[tuple[str, str]]:
    """The models that meet, by name."""
    every = combinations(sorted(models), 2)
    return [pair for pair in every if baseline is None or baseline in pair]


def _pair(
    both: Mapping[Hashable, Any],
    models: tuple[str, str],
    prompts: JudgePrompts,
    options: PairOptions,
    seed: int,
) -> Pair:
    example, config = str(both["example"]), str(both["config"])
    question = f"{both['dataset']}/{example}"
    a, b = str(both["prediction_a"]), str(both["prediction_b"])
    orders: tuple[Order, ...] = ("ab", "ba")
    if not options.both_orders:
        orders = (orders[seed_of(seed, "order", question, config, *models) % 2],)
    shown = (example, str(both["perturbation_a"]), both["references_a"])
    asked: dict[Order, Prompt | None] = dict.fromkeys(orders)
    if a.strip() != b.strip():
        asked = {order: prompts.prompt(*shown, *((a, b) if order == "ab" else (b, a))) for order in orders}
    row = {
        "question": question,
        "dataset": str(both["dataset"]),
        "config": config,
        "level": prompts.examples.original(example).groups.get(LEVEL, ""),
        "model_a": models[0],
        "model_b": models[1],
        "length_a": len(a),
        "length_b": len(b),
        "main_a": both["main_a"],
        "main_b": both["main_b"],
    }
    return Pair(row, (a, b), asked)
