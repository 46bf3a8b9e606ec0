"""The examples of a run as its configurations show them: perturbed, as when the prompts were built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalog import read_examples, read_unitxt_examples
from ..core.caches import BoundedCache
from ..core.errors import RunError
from ..prompts.rendering import perturb_table
from ..recipes import facts_column, facts_of_column
from ..tables import perturbations
from .example_scores import card_metrics, table_fact
from .metrics import SHOWN_TABLE, facts_of
from .request_index import RequestIndex
from .run_scores import DatasetAnswers, FactsOfRows

if TYPE_CHECKING:
    from ..catalog import Card, Example


class ShownExamples:
    """The examples of one data set of a run, perturbed with the study's seed.

    Args:
        study: the contents of study.yaml.
        card: the data set's.

    Raises:
        DataError: the card's data cannot be read.
    """

    def __init__(self, study: Mapping[str, Any], card: Card) -> None:
        split = study.get("datasets", {}).get(card.dataset, {}).get("split") or card.test_split
        recipe = study.get("recipe", {})
        drawn = [(recipe.get(part) or {}).get("draw") for part in ("examples", "demonstrations")]
        read = read_unitxt_examples if "unitxt" in drawn else read_examples
        self._examples = {example.id: example for example in read(card, split)}
        self._seed, self._card, self._split = int(study.get("seed") or 0), card, split

    def __contains__(self, name: str) -> bool:
        return name in self._examples

    def original(self, name: str) -> Example:
        """An example as the data set has it.

        Raises:
            RunError: the card's data no longer have it.
        """
        if name not in self._examples:
            raise RunError(
                f"{self._card.name}: split {self._split!r} has no example {name!r}, which the run asked; "
                "expected the data that the run was made with"
            )
        return self._examples[name]

    def shown(self, name: str, perturbation: str) -> Example:
        """An example under a perturbation, at least its table and words; raises as :meth:`original`."""
        example = self.original(name)
        return perturb_table(example, perturbations.get(perturbation), self._seed, self._card.dataset)


MOST_CHARACTERS = 20_000_000  # of facts with tables that are kept


class RunFacts:
    """The facts of a run's answers, with the table as it was shown where a metric takes it into account."""

    def __init__(self, study: Mapping[str, Any], cells: RequestIndex) -> None:
        self._study, self._cells = study, cells
        self._examples: dict[str, ShownExamples] = {}
        self._texts: BoundedCache[tuple[str, int, int, int], str] = BoundedCache(MOST_CHARACTERS, len)

    def of(self, answers: DatasetAnswers) -> FactsOfRows | None:
        """The facts of answers; None where the metrics of their step take none into account.

        Raises:
            RunError: a table is wanted, and an example of the run is no longer in its card's data.
            DataError: these data cannot be read.
        """
        wanted = {name for metric in card_metrics(answers.card, answers.step) for name in facts_of(metric)}
        if not wanted:
            return None
        given = self._cells.fact_codes[answers.rows]
        if SHOWN_TABLE not in wanted:
            return FactsOfRows(given, self._given)
        places = [self._cells.places[name][answers.rows] for name in ("example", "perturbation")]
        kinds, codes = np.unique(np.stack([given, *places]), axis=1, return_inverse=True)

        def text(code: int) -> str:
            kind: tuple[int, int, int] = tuple(kinds[:, code].tolist())
            return self._texts.get(
                (answers.card.dataset, *kind), lambda: self._with_table(answers.card, *kind)
            )

        return FactsOfRows(codes.reshape(-1), text)

    def _given(self, code: int) -> str | None:
        return self._cells.facts[code] if code >= 0 else None

    def _with_table(self, card: Card, given: int, example: int, perturbation: int) -> str:
        names = self._cells.names
        examples = self._examples.get(card.dataset) or ShownExamples(self._study, card)
        self._examples[card.dataset] = examples
        shown = examples.shown(names["example"][example], names["perturbation"][perturbation])
        facts = {**facts_of_column(self._given(given)), SHOWN_TABLE: table_fact(shown.table)}
        return facts_column(facts) or ""
