"""Where a study's examples and demonstrations come from: our cards, or unitxt's own of the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog import read_examples, read_twin_examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..catalog import Card, Example
    from .schema import Recipe


def read_split(recipe: Recipe, card: Card, split: str) -> Sequence[Example]:
    """The examples of a split as our card has them, or with a draw of unitxt's as unitxt's has them.

    Raises:
        CardError: a draw of unitxt's, and the card names no card of unitxt's.
        DataError: the data cannot be had.
    """
    return read_twin_examples(card, split) if recipe.of_unitxt else read_examples(card, split)


def read_pool(recipe: Recipe, card: Card) -> Sequence[Example]:
    """The examples that demonstrations are drawn from; raises as :func:`read_split`."""
    return read_split(recipe, card, pool_split(recipe, card))


def pool_split(recipe: Recipe, card: Card) -> str:
    """The split that demonstrations come from: the card's own choice, or ``train``, which is unitxt's."""
    return "train" if recipe.of_unitxt else card.demo_split
