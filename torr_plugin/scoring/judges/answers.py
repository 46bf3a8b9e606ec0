"""The answers of a run that a judge is asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.errors import InputError, nearest
from ...prompts.rendering import renames_words
from ...tables import perturbations
from ..example_scores import right_score
from ..request_index import CELL
from ..scores import answered_by_card, score_matrix
from ..shown_examples import ShownExamples
from .prompts import YES_NO, JudgeKind

if TYPE_CHECKING:
    from ...catalog import Card
    from ...prompts import Prompt
    from ...running import Run

CONTAINMENT = "complete_containment"


def judged_answers(
    run: Run, limit: int | None = None, *, kind: JudgeKind = YES_NO, datasets: Collection[str] | None = None
) -> pd.DataFrame:
    """Every answer of a run with the judge's prompt about it.

    Args:
        run: whose models' answers.
        limit: at most so many examples a data set, the first in the run's order.
        kind: what is asked.
        datasets: names of data sets or cards; None for all.

    Returns:
        ``CELL``, ``main`` (the main score), ``contained`` (whether all values are in the answer: complete
        containment where the card's metrics give it, else a main score of 1) and ``asked`` (the prompt).

    Raises:
        InputError: the run has no such data set.
        RunError: an example of the run is no longer in its card's data.
    """
    wanted = _known_datasets(run, datasets)
    asking: dict[str, _JudgePrompts] = {}
    frames = []
    for card, answered in answered_by_card(run, lambda card: wanted is None or card.dataset in wanted):
        if card.dataset not in asking:
            asking[card.dataset] = _JudgePrompts(run.study, card, kind)
        frames.append(_cells(card, _first(answered, limit), asking[card.dataset]))
    columns = [*CELL, "main", "contained", "asked"]
    cells: pd.DataFrame = (
        pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)
    )
    return cells


def _known_datasets(run: Run, names: Collection[str] | None) -> set[str] | None:
    if names is None:
        return None
    chosen = [name.removeprefix("cards.") for name in names]
    known = list(run.study.get("datasets") or {})
    for name in chosen:
        if name not in known:
            raise InputError(f"{run.path}: has no data set {name!r}; {nearest(name, known)}")
    return set(chosen)


def _first(answered: pd.DataFrame, limit: int | None) -> pd.DataFrame:
    if limit is None:
        return answered
    chosen = answered["example"].drop_duplicates().head(limit)
    few: pd.DataFrame = answered[answered["example"].isin(chosen)]
    return few


def _cells(card: Card, answered: pd.DataFrame, asked: _JudgePrompts) -> pd.DataFrame:
    if answered.empty:
        return _with(answered, [], [], [])
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    main = values[:, names.index(right_score(card, names))]
    contained = values[:, names.index(CONTAINMENT)] if CONTAINMENT in names else main
    columns = (answered[name] for name in ("example", "perturbation", "references", "prediction"))
    prompts = [asked.prompt(*row) for row in zip(*columns, strict=True)]
    return _with(answered, main, contained == 1, prompts)


def _with(answered: pd.DataFrame, main: Any, contained: Any, prompts: Sequence[Prompt]) -> pd.DataFrame:
    """Add columns to the answers; a prompt, which is a tuple, is one value."""
    asked = pd.Series(list(prompts), index=answered.index, dtype="object")
    cells: pd.DataFrame = answered.assign(main=main, contained=contained, asked=asked)
    return cells


class _JudgePrompts:
    """Makes the prompts of one data set, equal ones once; perturbs an example only where that shows."""

    def __init__(self, study: Mapping[str, Any], card: Card, kind: JudgeKind) -> None:
        self._examples, self._kind = ShownExamples(study, card), kind
        self._made: dict[tuple[str, str, tuple[str, ...], str], Prompt] = {}

    def prompt(self, name: str, perturbation: str, references: Sequence[str], answer: str) -> Prompt:
        seen = self._kind.sees_table or renames_words(perturbations.get(perturbation))
        asked = (name, perturbation if seen else "", tuple(references), answer)
        if asked not in self._made:
            shown = self._examples.shown(name, perturbation) if seen else self._examples.original(name)
            self._made[asked] = self._kind.prompt(shown, list(references), answer)
        return self._made[asked]
