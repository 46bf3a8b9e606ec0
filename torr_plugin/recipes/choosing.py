"""What a command line chooses of a recipe: cards, configurations, the share of replicates."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..catalog import load_card
from ..core.errors import RecipeError, nearest
from ..core.texts import names_in
from .schema import Product, Recipe, Replicates


def with_cards(recipe: Recipe, names: str | None) -> Recipe:
    """Restrict a recipe to some of its cards, in its own order; ``None`` keeps all.

    Args:
        recipe: the recipe.
        names: names separated by commas, as ``scigen,cards.wikitq``.

    Raises:
        RecipeError: no name, or one that is not in the recipe (with the nearest).
    """
    if names is None:
        return recipe
    selected = [name.removeprefix("cards.") for name in names_in(names)]
    datasets = [load_card(entry.card).dataset for entry in recipe.cards]
    for name in selected:
        if name not in datasets:
            raise RecipeError(
                f"--cards: the recipe {recipe.name!r} asks no {name!r}; {nearest(name, datasets)}"
            )
    if not selected:
        raise RecipeError(f"--cards: found {names!r}; expected names of cards, divided by commas")
    kept = [entry for entry, name in zip(recipe.cards, datasets, strict=True) if name in selected]
    return recipe.model_copy(update={"cards": tuple(kept)})


def with_configurations(recipe: Recipe, names: str | None) -> Recipe:
    """Restrict a recipe to some of its configurations, in its own order; ``None`` keeps all.

    Args:
        recipe: the recipe.
        names: patterns divided by commas, each of a format (``markdown``) or of an id (``html/none/*``).

    Raises:
        RecipeError: no pattern, or one that fits no configuration of the recipe.
    """
    if names is None:
        return recipe
    patterns = names_in(names)
    if not patterns:
        raise RecipeError(f"--configurations: found {names!r}; expected formats or ids, divided by commas")
    every, kept = recipe.expanded(), set()
    for pattern in patterns:
        names_of = {each: each.id if "/" in pattern else each.serializer for each in every}
        fitting = {each for each, name in names_of.items() if fnmatchcase(name, pattern)}
        if not fitting:
            hint = nearest(pattern, set(names_of.values()))
            raise RecipeError(f"--configurations: the recipe {recipe.name!r} has no {pattern!r}; {hint}")
        kept |= fitting
    chosen = tuple(Product.model_validate(each.id) for each in every if each in kept)
    return recipe.model_copy(update={"configurations": chosen})


def with_replicates(recipe: Recipe, share: float | None) -> Recipe:
    """Replace the share of cells that a recipe asks again; ``None`` keeps it.

    Raises:
        RecipeError: the share is not from 0 to 1.
    """
    if share is None:
        return recipe
    if not 0 <= share <= 1:
        raise RecipeError(f"--replicates: found {share:g}; expected a share from 0 (none) to 1 (all cells)")
    again = Replicates.model_validate({**recipe.replicates.model_dump(), "share": share})
    return recipe.model_copy(update={"replicates": again})
