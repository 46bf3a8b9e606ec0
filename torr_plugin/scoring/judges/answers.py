"""The answers of a run that a judge is asked about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
        The columns of :func:`scored_answers`, and ``asked`` (the prompt).

    Raises:
        InputError: the run has no such data set.
        RunError: an example of the run is no longer in its card's data.
    """
    asking: dict[str, JudgePrompts] = {}
    frames = []
    for card, answered in scored_answers(run, limit, datasets):
        if card.dataset not in asking:
            asking[card.dataset] = JudgePrompts(run.study, card, kind.prompt, sees_table=kind.sees_table)
        columns = (answered[name] for name in ("example", "perturbation", "references", "prediction"))
        prompts = [asking[card.dataset].prompt(*row) for row in zip(*columns, strict=True)]
        # a prompt, which is a tuple, is one value
        asked: Any = pd.Series(prompts, index=answered.index, dtype="object")
        frames.append(answered.assign(asked=asked))
    columns_kept = [*CELL, "main", "contained", "asked"]
    cells: pd.DataFrame = (
        pd.concat(frames, ignore_index=True)[columns_kept] if frames else pd.DataFrame(columns=columns_kept)
    )
    return cells


def scored_answers(
    run: Run, limit: int | None = None, datasets: Collection[str] | None = None
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every chosen data set, with the card; arguments and errors as above.

    A row an answer: ``CELL``, ``prediction``, ``references``, ``facts``, ``main`` (the main score) and
    ``contained`` (whether all values are in the answer: complete containment where the card's metrics give
    it, else a main score of 1).
    """
    wanted = _known_datasets(run, datasets)
    for card, answered in answered_by_card(run, lambda card: wanted is None or card.dataset in wanted):
        yield card, _with_scores(card, _first(answered, limit))


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


def _with_scores(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    if answered.empty:
        unscored: pd.DataFrame = answered.assign(main=[], contained=[])
        return unscored
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    main = values[:, names.index(right_score(card, names))]
    contained = values[:, names.index(CONTAINMENT)] if CONTAINMENT in names else main
    scored: pd.DataFrame = answered.assign(main=main, contained=contained == 1)
    return scored


class JudgePrompts:
    """Makes the prompts of one data set, equal ones once; perturbs an example only where that shows.

    Args:
        study: the contents of study.yaml.
        card: the data set's.
        made: a prompt from an example as it was shown, its references, and the answers in question.
        sees_table: whether the prompt has the table.
    """

    def __init__(
        self, study: Mapping[str, Any], card: Card, made: Callable[..., Prompt], *, sees_table: bool
    ) -> None:
        self.examples = ShownExamples(study, card)
        self._make, self._sees_table = made, sees_table
        self._made: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Prompt] = {}

    def prompt(self, name: str, perturbation: str, references: Sequence[str], *answers: str) -> Prompt:
        """The prompt about the answers to an example.

        Raises:
            RunError: the example is no longer in the card's data.
        """
        seen = self._sees_table or renames_words(perturbations.get(perturbation))
        asked = (name, perturbation if seen else "", tuple(references), answers)
        if asked not in self._made:
            shown = self.examples.shown(name, perturbation) if seen else self.examples.original(name)
            self._made[asked] = self._make(shown, list(references), *answers)
        return self._made[asked]
