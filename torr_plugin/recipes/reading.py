"""Read the examples that a recipe asks about, and make the builders of their prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..catalog import read_examples, read_unitxt_examples
from ..core.errors import RecipeError
from ..prompts import PromptBuilder
from .cut_documents import most_characters
from .long_tables import table_characters
from .schema import Recipe

if TYPE_CHECKING:
    from ..catalog import Card, Example


def read_split(recipe: Recipe, card: Card, split: str) -> Sequence[Example]:
    """Read the examples of a split, from unitxt's own card if the recipe draws as unitxt does.

    Raises:
        CardError: the recipe draws as unitxt does, and the card names no card of unitxt.
        DataError: the data cannot be read.
    """
    return read_unitxt_examples(card, split) if recipe.of_unitxt else read_examples(card, split)


def read_demonstration_pool(recipe: Recipe, card: Card) -> Sequence[Example]:
    """Read the examples that demonstrations are drawn from; raises as :func:`read_split`."""
    return read_split(recipe, card, demonstration_split(recipe, card))


def demonstration_split(recipe: Recipe, card: Card) -> str:
    """The split that demonstrations are drawn from: the card's choice, or unitxt's, ``train``.

    Raises:
        RecipeError: the card names none.
    """
    split = "train" if recipe.of_unitxt else card.demo_split
    if split is None:
        raise RecipeError(
            f"{card.name}: the card has no demonstrations: {card.path} has no 'demo_split'; expected 0 shots"
        )
    return split


def prompt_builder(recipe: Recipe, card: Card, shots: int, context: int | None) -> PromptBuilder:
    """The prompts of a card in a study.

    Args:
        recipe: the recipe.
        card: one of its cards.
        shots: demonstrations per prompt.
        context: the most tokens of a prompt with its longest answer; None for no limit.

    Raises:
        DataError: the pool of demonstrations cannot be read.
        RecipeError: it has no split, or answers may be longer than the context.
    """
    generation = recipe.generation.model_dump(mode="json")
    most = None if context is None else most_characters(recipe.expanded(), generation, context)
    return PromptBuilder(
        card,
        read_demonstration_pool(recipe, card) if shots else [],
        seed=recipe.seed,
        shots=shots,
        draw=recipe.demonstrations.draw,
        most=most,
        tables=table_characters(recipe, most),
        fits=recipe.demonstrations.fit,
    )
