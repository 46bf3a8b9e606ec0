"""The examples of a run as its configurations show them: perturbed, as when the prompts were built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..catalog import read_examples, read_unitxt_examples
from ..core.errors import RunError
from ..prompts.builder import perturb_table
from ..tables import perturbations

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
