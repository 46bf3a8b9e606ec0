"""A recipe's ``examples.context``: how long prompts may be, and what is said of documents cut to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..catalog.cuts import DocumentCut
from ..core.errors import RecipeError, counted
from ..core.texts import CHARACTERS_A_TOKEN
from .context_length import context_length
from .step_tokens import StepTokens

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Configuration
    from .models import ModelEntry
    from .schema import Recipe


def context_of(recipe: Recipe, models: Sequence[ModelEntry]) -> int | None:
    """The most tokens of a prompt and its longest answer; None where the recipe sets no limit.

    Args:
        recipe: the recipe.
        models: the models that are asked.

    Raises:
        RecipeError: it is to be that of the models, and of none it is known here.
    """
    if recipe.examples.context != "models":
        return recipe.examples.context
    known = [length for each in models if (length := context_length(each)) is not None]
    if not known:
        raise RecipeError(
            f"{recipe.name}: examples.context is 'models', and of no model it is known here how many tokens "
            "it takes; expected max_length=N among a model's arguments, or a number"
        )
    return min(known)


def most_characters(
    configurations: Sequence[Configuration], generation: Mapping[str, Any], tokens: int
) -> dict[Configuration, int]:
    """The most characters of a prompt in each configuration, at four a token, beside its longest answers.

    Raises:
        RecipeError: the answers alone take as many tokens.
    """
    answers = {each.design: StepTokens.of(each.design, generation).most for each in configurations}
    for design, answer in answers.items():
        if answer >= tokens:
            raise RecipeError(
                f"examples.context: found {tokens:,} tokens, but answers to the design {design!r} may take "
                f"{answer:,}; expected more, or a lower generation.max_tokens"
            )
    return {each: (tokens - answers[each.design]) * CHARACTERS_A_TOKEN for each in configurations}


def cut_notes(card: Card, examples: Sequence[Example], tokens: int) -> list[str]:
    """How many examples have their document cut, and how many lose the table that they are about."""
    cuts = [each.cut for each in examples if isinstance(each.cut, DocumentCut)]
    if not cuts:
        return []
    shares = sorted(cut.characters / cut.of_characters for cut in cuts)
    lost = sum(cut.lost_table is True for cut in cuts)
    unknown = sum(cut.lost_table is None for cut in cuts)
    which = "" if not unknown else f"; of {unknown:,} the data do not say which table that is"
    return [
        f"{card.name}: {len(cuts):,} of {counted(len(examples), 'example')} show their document cut to "
        f"{tokens:,} tokens (half of them at most {shares[len(shares) // 2]:.0%} of it); {lost:,} lose the "
        f"table that the question is about{which}"
    ]


def models_note(recipe: Recipe, models: Sequence[ModelEntry], tokens: int) -> list[str]:
    """Which model decides how long prompts may be, and of which nothing is known."""
    lengths = {each.label: context_length(each) for each in models if not each.model.startswith("torr-")}
    smallest = ", ".join(label for label, length in lengths.items() if length == tokens)
    unknown = ", ".join(label for label, length in lengths.items() if length is None)
    rest = f"; how many {unknown} takes is not known here" if unknown else ""
    fits_more = recipe.examples.table_tokens is not None or recipe.demonstrations.fit
    what = "prompts are made to fit" if fits_more else "documents are cut to"
    return [f"{what} {tokens:,} tokens, the context of {smallest or 'a model'}{rest}"]
