"""What a study says of one of its data sets; no data is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..catalog import load_card, with_metrics
from ..core.errors import UnknownNameError
from ..recipes import load
from .state import State, state_of

if TYPE_CHECKING:
    from ..catalog import Card


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set as a study asks it.

    Attributes:
        card: with the metrics that the study rates it by.
        shots: demonstrations a prompt.
        seed: of the study.
    """

    card: Card
    shots: int
    seed: int


def entry_of(study: str, dataset: str) -> Entry:
    """What a study says of a data set.

    Args:
        study: as :func:`torr_plugin.recipes.load` knows it; read once, and again when its files change.
        dataset: one that it asks.

    Raises:
        RecipeError: no such study, or its file is wrong.
        UnknownNameError: the study asks no such data set.
    """
    entries = _entries(study, state_of(study))
    if dataset not in entries:
        raise UnknownNameError("data set", dataset, list(entries), where=f"recipe {study!r}")
    return entries[dataset]


@lru_cache(maxsize=8)
def _entries(study: str, state: State) -> dict[str, Entry]:
    recipe = load(study)
    found = {}
    for entry in recipe.cards:
        card = with_metrics(load_card(entry.card), entry.metrics)
        shots = recipe.demonstrations.shots if entry.shots is None else entry.shots
        found[card.dataset] = Entry(card, shots, recipe.seed)
    return found
