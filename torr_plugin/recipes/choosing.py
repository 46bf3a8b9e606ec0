"""Some of a recipe's cards, and what to say where the data of some cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from ..catalog import load_card
from ..core.errors import DataError, RecipeError, nearest

if TYPE_CHECKING:
    from .schema import Recipe

_Value = TypeVar("_Value")


def with_cards(recipe: Recipe, names: str | None) -> Recipe:
    """The recipe with some of its cards alone, in its own order; all of them where ``names`` is None.

    Args:
        recipe: a study.
        names: names divided by commas, as ``scigen,cards.wikitq``.

    Raises:
        RecipeError: no name, or one that the recipe does not ask (the nearest are said).
    """
    if names is None:
        return recipe
    wanted = [name.removeprefix("cards.") for name in map(str.strip, names.split(",")) if name]
    datasets = [load_card(entry.card).dataset for entry in recipe.cards]
    for name in wanted:
        if name not in datasets:
            raise RecipeError(
                f"--cards: the recipe {recipe.name!r} asks no {name!r}; {nearest(name, datasets)}"
            )
    if not wanted:
        raise RecipeError(f"--cards: found {names!r}; expected names of cards, divided by commas")
    kept = [entry for entry, name in zip(recipe.cards, datasets, strict=True) if name in wanted]
    return recipe.model_copy(update={"cards": tuple(kept)})


def of_every_card(cards: Mapping[str, _Value], do: Callable[[_Value], object]) -> None:
    """Do something with every card of a study; what data cannot be had is said for all cards at once.

    Raises:
        DataError: of the first card without data; with others there, which they are and how to go on without.
    """
    faults: dict[str, DataError] = {}
    for dataset, value in cards.items():
        try:
            do(value)
        except DataError as fault:
            faults[dataset] = fault
    if not faults:
        return
    first = next(iter(faults.values()))
    rest = [dataset for dataset in cards if dataset not in faults]
    if len(cards) == 1 or not rest:
        raise first
    others = f", as for {', '.join(list(faults)[1:])}" if len(faults) > 1 else ""
    raise DataError(
        f"{first} ({len(faults)} of {len(cards)} data sets cannot be read{others}; "
        f"--cards {','.join(rest)} asks the others alone)"
    ) from first
