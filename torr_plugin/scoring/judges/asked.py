"""What judges are asked about: the answers of a run with their scores, and the prompts on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from ...core.errors import InputError, nearest
from ...prompts.builder import renames_words
from ...running import Run
from ...tables import perturbations
from ..example_scores import right_score
from ..run_scores import answered_by_card, score_matrix
from ..shown_examples import ShownExamples

if TYPE_CHECKING:
    from ...catalog import Card
    from ...prompts import Prompt
    from .prompts import JudgeKind, PairOptions

CONTAINMENT = "complete_containment"

Figures: TypeAlias = (
    "tuple[Mapping[str, Any], Mapping[str, Mapping[str, Any]], Mapping[str, Mapping[str, Any]]]"
)
"""Overall, by data set, by judged model."""


@dataclass(frozen=True)
class AskedRows:
    """What a judge is asked about: rows of the file of its verdicts, and the prompt that each waits for.

    Attributes:
        rows: the columns that are known before anybody is asked.
        prompts: one a row; null where the answers are equal, which is a tie.
        answers: those that a prompt shows, in its order; of judges of pairs.
        models: whose answers are judged.
        unanswered: how many pairs are left out, as one of the two models has no answer.
    """

    rows: pd.DataFrame
    prompts: Sequence[Prompt | None]
    answers: Sequence[tuple[str, ...]]
    models: tuple[str, ...]
    unanswered: int = 0


def scored_answers(
    run: Run, limit: int | None = None, datasets: Collection[str] | None = None
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every chosen data set, with the card.

    A row an answer: ``CELL``, ``prediction``, ``references``, ``facts``, ``main`` (the main score) and
    ``contained`` (whether all values are in the answer: complete containment where the card's metrics give
    it, else a main score of 1).
    """
    known = list(run.study.get("datasets") or {})
    wanted = None if datasets is None else {name.removeprefix("cards.") for name in datasets}
    for name in sorted((wanted or set()).difference(known)):
        raise InputError(f"{run.path}: has no data set {name!r}; {nearest(name, known)}")
    for card, answered in answered_by_card(run, lambda card: wanted is None or card.dataset in wanted):
        chosen = answered["example"].drop_duplicates().head(limit or len(answered))
        yield card, _with_scores(card, answered[answered["example"].isin(chosen)])


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


class PromptMaker:
    """Makes the prompts of one data set, equal ones once; perturbs an example only where that shows."""

    def __init__(self, study: Mapping[str, Any], card: Card, kind: JudgeKind | PairOptions) -> None:
        self.examples = ShownExamples(study, card)
        self._kind = kind
        self._made: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Prompt] = {}

    def prompt(self, name: str, perturbation: str, references: Sequence[str], *answers: str) -> Prompt:
        """The prompt about the answers to an example.

        Raises:
            RunError: the example is no longer in the card's data.
        """
        seen = self._kind.sees_table or renames_words(perturbations.get(perturbation))
        asked = (name, perturbation if seen else "", tuple(references), answers)
        if asked not in self._made:
            shown = self.examples.shown(name, perturbation) if seen else self.examples.original(name)
            self._made[asked] = self._kind.prompt(shown, list(references), *answers)
        return self._made[asked]
