"""Make the plan of a recipe: load its cards, choose examples, draw demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeVar

from ..catalog import load_card, with_metrics
from ..core.errors import DataError, InputError, RecipeError, counted, nearest
from ..core.seeds import seed
from ..prompts import PromptBuilder, designs, seeded_by_unitxt
from .cut_documents import context_of, cut_notes, models_note
from .fields import ExampleDraw
from .long_tables import fitting_notes
from .reading import prompt_builder, read_split
from .schema import CardEntry, Recipe, Replicates
from .study_plan import Plan

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from .models import ModelEntry


def plan(recipe: Recipe, limit: int | None = None, models: Sequence[ModelEntry] | None = None) -> Plan:
    """Make the plan of a recipe.

    Args:
        recipe: the recipe.
        limit: the most examples per data set; their prompts are the same as without a limit.
        models: the models that are asked, where prompts are to fit what these take; the recipe's if None.

    Raises:
        InputError: data cannot be read, a split is missing or empty, or demonstrations are too few.
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit is {limit}; expected at least 1 example a data set")
    cards = [with_metrics(load_card(entry.card), entry.metrics) for entry in recipe.cards]
    models = recipe.models if models is None else models
    context = context_of(recipe, models)
    for card in cards:
        for configuration in recipe.expanded():
            designs.get(configuration.design).check(card, configuration)
    entries = {card.dataset: (card, entry) for card, entry in zip(cards, recipe.cards, strict=True)}
    asked: dict[str, tuple[list[Example], list[str]]] = {}
    builders: dict[str, PromptBuilder] = {}

    def ask(card: Card, entry: CardEntry) -> None:
        shots = recipe.demonstrations.shots if entry.shots is None else entry.shots
        builders[card.dataset] = prompt_builder(recipe, card, shots, context)
        examples, notes = _examples(recipe, entry, builders[card.dataset], limit)
        asked[card.dataset] = (
            examples,
            [
                *notes,
                *(cut_notes(card, examples, context) if context else ()),
                *fitting_notes(card, examples, recipe, context),
            ],
        )

    for_each_card(entries, lambda each: ask(*each))
    planned = Plan(
        recipe=recipe,
        cards={dataset: card for dataset, (card, _) in entries.items()},
        configurations=recipe.expanded(),
        examples={dataset: examples for dataset, (examples, _) in asked.items()},
        shots={dataset: builder.shots for dataset, builder in builders.items()},
        splits={dataset: entry.split or card.test_split for dataset, (card, entry) in entries.items()},
        generation=recipe.generation.in_keys(),
        notes=(
            *_notes(recipe),
            *(
                models_note(recipe, models, context)
                if context and recipe.examples.context == "models"
                else ()
            ),
            *[note for _, notes in asked.values() for note in notes],
        ),
        limit=limit,
        context=context,
        _builders=builders,
    )
    _draw_all(planned)
    return planned


def _examples(
    recipe: Recipe, entry: CardEntry, builder: PromptBuilder, limit: int | None
) -> tuple[list[Example], list[str]]:
    """The examples of one card, with notes if it has fewer than the recipe asks for, or some are left out."""
    card = builder.card
    split = entry.split or card.test_split
    available = read_split(recipe, card, split)
    if not available:
        raise RecipeError(f"{card.name}: split {split!r} has no examples; expected at least one")
    count = recipe.examples.count if entry.examples is None else entry.examples
    notes: list[str] = []
    leaves_out = recipe.examples.refused == "leave_out"
    if leaves_out:
        available, notes = _without_refused(recipe, builder, available, _most(len(available), count, limit))
    chosen = choose_examples(
        available,
        count=count,
        draw=recipe.examples.draw,
        study_seed=recipe.seed,
        dataset=card.dataset,
        limit=limit,
    )
    if count != "all" and len(chosen) < (count if limit is None else min(count, limit)):
        has = f"split {split!r} has {len(available)}"
        notes.append(f"{card.name}: {count} examples are asked, {has}: all are used")
    if not leaves_out:
        chosen = [builder.cut(example) for example in chosen]
    builder.forget()
    return chosen, notes


def _without_refused(
    recipe: Recipe, builder: PromptBuilder, available: Sequence[Example], most: int
) -> tuple[list[Example], list[str]]:
    """The first examples of the draw that all configurations can show, cut, and a note on those left out.

    Raises:
        RecipeError: some configuration refuses every example; as it refuses the first.
    """
    card = builder.card
    drawn = choose_examples(
        available, count="all", draw=recipe.examples.draw, study_seed=recipe.seed, dataset=card.dataset
    )
    configurations = recipe.expanded()
    kept: list[Example] = []
    refusals: list[RecipeError] = []
    for _, pair in groupby(drawn, _pair):
        if len(kept) >= most:
            break
        sides = list(pair)
        try:
            shown = [builder.cut(each) for each in sides]
            for each in shown:
                builder.check(each, configurations)
        except RecipeError as refused:
            refusals += [refused] * len(sides)
        else:
            kept += shown
    if not kept:
        raise refusals[0]
    return kept, [
        f"{card.name}: {counted(len(refusals), 'example')} left out in all configurations; the first: "
        f"{refusals[0]}"
        for _ in refusals[:1]
    ]


def _draw_all(planned: Plan) -> None:
    """Draw all demonstrations, so that a pool that is too small is reported before anything runs."""

    def draw(dataset: str) -> None:
        builder = planned.builder(dataset)
        for example in planned.examples[dataset]:
            builder.demonstrations(example)

    for_each_card({dataset: dataset for dataset in planned.examples}, draw)


def _notes(recipe: Recipe) -> list[str]:
    """What a person should know about the recipe's draws."""
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


_Value = TypeVar("_Value")


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
    selected = [name.removeprefix("cards.") for name in map(str.strip, names.split(",")) if name]
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


def for_each_card(cards: Mapping[str, _Value], do: Callable[[_Value], object]) -> None:
    """Call ``do`` for every card of a study and report all cards without data in one error.

    Raises:
        DataError: the first card's error, with the names of the others and the option to leave them out.
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
        f"--cards {','.join(rest)} asks about the others only)"
    ) from first


def choose_examples(
    examples: Sequence[Example],
    *,
    count: int | Literal["all"],
    draw: ExampleDraw,
    study_seed: int,
    dataset: str,
    limit: int | None = None,
) -> list[Example]:
    """Choose at most ``count`` examples, and of these at most ``limit``.

    ``first`` takes the first ones in the file's order, ``unitxt`` in that of unitxt's own card. ``seeded``
    orders examples by a hash of (seed, data set, example id): a uniform draw without replacement, in which
    smaller counts are prefixes of larger ones and the order of the file does not matter. Both sides of a pair
    (the group ``pair``) are chosen together, so that it may be one example more.
    """
    most = _most(len(examples), count, limit)
    drawn = list(examples)
    if draw == "seeded":
        drawn.sort(key=lambda example: seed(study_seed, dataset, _pair(example), "examples"))
    while 0 < most < len(drawn) and _pair(drawn[most]) == _pair(drawn[most - 1]):
        most += 1
    return drawn[:most]


def _most(available: int, count: int | Literal["all"], limit: int | None) -> int:
    most = available if count == "all" else count
    return most if limit is None else min(most, limit)


def _pair(example: Example) -> str:
    return example.groups.get("pair", example.id)
