"""From a recipe to the plan of its requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog import load_card, with_metrics
from ..core.errors import InputError, RecipeError
from ..prompts import check_follows, check_steps, designs, seeded_by_unitxt
from .choosing import of_every_card
from .pools import read_split
from .sampling import choose_examples
from .schema import CardEntry, Recipe
from .study_plan import Plan

if TYPE_CHECKING:
    from ..catalog import Card, Example

__all__ = ["Plan", "plan"]


def plan(recipe: Recipe, limit: int | None = None) -> Plan:
    """The plan of a recipe.

    Args:
        recipe: the study.
        limit: at most so many examples a data set; the same examples with the same prompts as without it.

    Raises:
        InputError: data that cannot be read, a split that is missing or empty, too few demonstrations.
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit is {limit}; expected at least 1 example a data set")
    cards = [with_metrics(load_card(entry.card), entry.metrics) for entry in recipe.cards]
    entries = {card.dataset: (card, entry) for card, entry in zip(cards, recipe.cards, strict=True)}
    asked: dict[str, tuple[list[Example], list[str]]] = {}

    def ask(card: Card, entry: CardEntry) -> None:
        asked[card.dataset] = _examples(recipe, card, entry, limit)

    of_every_card(entries, lambda each: ask(*each))
    planned = Plan(
        recipe=recipe,
        cards={dataset: card for dataset, (card, _) in entries.items()},
        configurations=recipe.expanded(),
        examples={dataset: examples for dataset, (examples, _) in asked.items()},
        shots={
            dataset: recipe.demonstrations.shots if entry.shots is None else entry.shots
            for dataset, (_, entry) in entries.items()
        },
        splits={dataset: entry.split or card.test_split for dataset, (card, entry) in entries.items()},
        generation=recipe.generation.model_dump(mode="json"),
        notes=(*_notes(recipe), *[note for _, notes in asked.values() for note in notes]),
        limit=limit,
    )
    _check_designs(planned)
    _draw_all(planned)
    return planned


def _examples(
    recipe: Recipe, card: Card, entry: CardEntry, limit: int | None
) -> tuple[list[Example], list[str]]:
    """The examples asked of one card, and a note where the card has fewer than the recipe asks."""
    split = entry.split or card.test_split
    available = read_split(recipe, card, split)
    if not available:
        raise RecipeError(f"{card.name}: split {split!r} has no examples; expected at least one")
    count = recipe.examples.count if entry.examples is None else entry.examples
    chosen = choose_examples(
        available,
        count=count,
        draw=recipe.examples.draw,
        study_seed=recipe.seed,
        dataset=card.dataset,
        limit=limit,
    )
    few = count != "all" and len(available) < count
    return chosen, [
        f"{card.name}: {count} examples are asked, split {split!r} has {len(available)}: all are used"
    ] * few


def _check_designs(planned: Plan) -> None:
    """What a design cannot ask is told before anything runs."""
    for name in dict.fromkeys(each.design for each in planned.configurations):
        design = designs.get(name)
        check_steps(name, design.steps)
        check_follows(design)
    for card in planned.cards.values():
        for configuration in planned.configurations:
            designs.get(configuration.design).check(card, configuration)


def _draw_all(planned: Plan) -> None:
    """Draw every example's demonstrations now: a pool that is too small is told before anything runs."""

    def draw(dataset: str) -> None:
        builder = planned.builder(dataset)
        for example in planned.examples[dataset]:
            builder.demonstrations(example)

    of_every_card({dataset: dataset for dataset in planned.examples}, draw)


def _notes(recipe: Recipe) -> list[str]:
    """What draws of unitxt's mean for the study."""
    notes = []
    if recipe.demonstrations.draw == "unitxt":
        notes.append(
            "demonstrations are drawn as unitxt does: a perturbation also shows other demonstrations, so "
            "perturbations differ by the luck of that draw too ('paired' avoids it)"
        )
    if recipe.of_unitxt and any(not seeded_by_unitxt(each.perturbation) for each in recipe.expanded()):
        notes.append(
            "of the perturbations, unitxt seeds shuffle_rows, shuffle_cols and transpose; others are drawn "
            "from the recipe's seed"
        )
    shots = [recipe.demonstrations.shots, *(entry.shots for entry in recipe.cards if entry.shots is not None)]
    if any(shots) and any(designs.get(each.design).carries for each in recipe.expanded()):
        notes.append(
            "prompts that a data set carries are sent as they are: no demonstrations of the recipe in them"
        )
    return notes
