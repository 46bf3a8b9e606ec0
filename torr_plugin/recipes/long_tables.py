"""A recipe's ``examples.table_tokens`` and ``demonstrations.fit``: what they allow and what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..catalog.cuts import RowSample
from ..core.errors import counted
from ..core.texts import CHARACTERS_A_TOKEN

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Configuration
    from .schema import Recipe


def table_characters(
    recipe: Recipe, most: Mapping[Configuration, int] | None
) -> Mapping[Configuration, int] | None:
    """The most characters of a table in each configuration, at four a token; None where tables are whole.

    Args:
        recipe: the recipe.
        most: the most characters of a prompt, likewise; None for any.
    """
    tokens = recipe.examples.table_tokens
    if tokens is None or tokens == "context":
        return None if tokens is None else most
    return dict.fromkeys(recipe.expanded(), tokens * CHARACTERS_A_TOKEN)


def fitting_notes(card: Card, examples: Sequence[Example], recipe: Recipe, context: int | None) -> list[str]:
    """How many examples show some rows of their table, and how many demonstrations they show."""
    return [*_row_notes(card, examples, recipe, context), *_demonstration_notes(card, examples, context)]


def _row_notes(card: Card, examples: Sequence[Example], recipe: Recipe, context: int | None) -> list[str]:
    samples = [each.cut for each in examples if isinstance(each.cut, RowSample)]
    if not samples:
        return []
    tokens = recipe.examples.table_tokens
    limits = {"table": None if tokens == "context" else tokens, "prompt": context}
    kept = [f"no {what} takes more than {most:,} tokens" for what, most in limits.items() if most is not None]
    shares = sorted(sample.rows / sample.of_rows for sample in samples)
    lost = sum(sample.lost_answer is True for sample in samples)
    unknown = sum(sample.lost_answer is None for sample in samples)
    of_rest = f"; whether {unknown:,} do is not known" if unknown else ""
    return [
        f"{card.name}: {len(samples):,} of {counted(len(examples), 'example')} show some rows of their "
        f"table, drawn at random, so that {' and '.join(kept)} (half of them at most "
        f"{shares[len(shares) // 2]:.0%} of the rows); {lost:,} lose the answer{of_rest}"
    ]


def _demonstration_notes(card: Card, examples: Sequence[Example], context: int | None) -> list[str]:
    numbers = Counter(each.demonstrations for each in examples if each.demonstrations is not None)
    if not numbers or context is None:
        return []
    shown = [f"{number or 'none'} in {count:,}" for number, count in sorted(numbers.items(), reverse=True)]
    return [
        f"{card.name}: demonstrations are shown as far as they fit into {context:,} tokens: "
        f"{', '.join(shown)} of {counted(len(examples), 'example')}"
    ]
