"""The answers of a run that a judge is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import RunError
from ...prompts.perturbed import perturb_example, renames_words
from ...tables import perturbations
from ..score import CELL, answered_by_card, score_matrix
from .prompt import judge_prompt

if TYPE_CHECKING:
    import pandas as pd

    from ...catalog import Card, Example
    from ...prompts import Prompt
    from ...running import Run

CONTAINMENT = "complete_containment"


def judged_cells(run: Run, limit: int | None = None) -> pd.DataFrame:
    """Every answer of a run with what a judge is asked about it.

    Args:
        run: whose models' answers.
        limit: at most so many examples a data set, the first in the run's order.

    Returns:
        ``CELL``, ``contained`` (whether all values are in the answer: complete containment where the card's
        metrics give it, else a main score of 1) and ``asked`` (the judge's prompt).

    Raises:
        RunError: an example of the run is no longer in its card's data.
    """
    import pandas as pd

    asking: dict[str, _Asked] = {}
    frames = []
    for card, answered in answered_by_card(run):
        if card.dataset not in asking:
            asking[card.dataset] = _Asked(run.study, card)
        frames.append(_cells(card, _first(answered, limit), asking[card.dataset]))
    columns = [*CELL, "contained", "asked"]
    cells: pd.DataFrame = (
        pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)
    )
    return cells


def _first(answered: pd.DataFrame, limit: int | None) -> pd.DataFrame:
    if limit is None:
        return answered
    chosen = answered["example"].drop_duplicates().head(limit)
    few: pd.DataFrame = answered[answered["example"].isin(chosen)]
    return few


def _cells(card: Card, answered: pd.DataFrame, asked: _Asked) -> pd.DataFrame:
    if answered.empty:
        return _with(answered, [], [])
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    score = values[:, names.index(CONTAINMENT if CONTAINMENT in names else card.main_metric)]
    prompts = [
        asked.prompt(*row)
        for row in zip(
            answered["example"],
            answered["perturbation"],
            answered["references"],
            answered["prediction"],
            strict=True,
        )
    ]
    return _with(answered, score == 1, prompts)


def _with(answered: pd.DataFrame, contained: Any, prompts: Sequence[Prompt]) -> pd.DataFrame:
    """The answers with two more columns; a prompt, a tuple, is one value."""
    import pandas as pd

    asked = pd.Series(list(prompts), index=answered.index, dtype="object")
    cells: pd.DataFrame = answered.assign(contained=contained, asked=asked)
    return cells


class _Asked:
    """Makes the prompts of one data set; an example is disturbed once a perturbation that renames words."""

    def __init__(self, study: Mapping[str, Any], card: Card) -> None:
        from ...catalog import read_examples

        split = study.get("datasets", {}).get(card.dataset, {}).get("split") or card.test_split
        self._examples = {example.id: example for example in read_examples(card, split)}
        self._seed, self._card, self._split = int(study.get("seed") or 0), card, split

    def prompt(self, name: str, perturbation: str, references: Sequence[str], answer: str) -> Prompt:
        fields = self._example(name, perturbation).fields
        return judge_prompt(fields, list(references), answer)

    def _example(self, name: str, perturbation: str) -> Example:
        if name not in self._examples:
            raise RunError(
                f"{self._card.name}: split {self._split!r} has no example {name!r}, which the run asked; "
                "expected the data that the run was made with"
            )
        example, disturbs = self._examples[name], perturbations.get(perturbation)
        if not renames_words(disturbs):
            return example
        return perturb_example(example, disturbs, self._seed, self._card.dataset)
