"""Make the plan of a recipe: load its cards, choose examples, make them fit, draw demonstrations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from ..catalog import load_card, read_examples, read_unitxt_examples, with_metrics
from ..catalog.cuts import DocumentCut, RowSample
from ..core.errors import DataError, InputError, RecipeError, counted, nearest
from ..core.seeds import seed
from ..core.texts import CHARACTERS_A_TOKEN
from ..prompts import PromptBuilder, designs, seeded_by_unitxt
from .fields import ExampleDraw
from .schema import CardEntry, Recipe, Replicates
from .study_plan import Plan
from .tokens import StepTokens

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Configuration

T = TypeVar("T")


def plan(recipe: Recipe, limit: int | None = None) -> Plan:
    """Make the plan of a recipe.

    Args:
        recipe: the recipe.
        limit: the most examples per data set; their prompts are the same as without a limit.

    Raises:
        InputError: data cannot be read, a split is missing or empty, or demonstrations are too few.
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit is {limit}; expected at least 1 example a data set")
    cards = {card.dataset: (card, entry) for entry in recipe.cards for card in [_card(entry)]}
    configurations = recipe.expanded()
    for card, _ in cards.values():
        for configuration in configurations:
            designs.get(configuration.design).check(card, configuration)
    builders: dict[str, PromptBuilder] = {}
    examples: dict[str, list[Example]] = {}
    notes = [*_notes(recipe)]

    def ask(card: Card, entry: CardEntry) -> None:
        builder = builders[card.dataset] = _builder(recipe, card, entry)
        examples[card.dataset], left_out = _examples(recipe, entry, builder, limit)
        notes.extend([*left_out, *_fitting_notes(card, examples[card.dataset], recipe)])

    def draw(dataset: str) -> None:
        for example in examples[dataset]:
            builders[dataset].demonstrations(example)

    for_each_card(cards, lambda each: ask(*each))
    # so that a pool that is too small is reported before anything runs
    for_each_card({dataset: dataset for dataset in examples}, draw)
    return Plan(
        recipe=recipe,
        cards={dataset: card for dataset, (card, _) in cards.items()},
        configurations=configurations,
        examples=examples,
        shots={dataset: builder.shots for dataset, builder in builders.items()},
        splits={dataset: entry.split or card.test_split for dataset, (card, entry) in cards.items()},
        demo_splits={
            dataset: demonstration_split(recipe, cards[dataset][0])
            for dataset, builder in builders.items()
            if builder.shots
        },
        generation=recipe.generation.in_keys(),
        builders=builders,
        notes=tuple(notes),
        limit=limit,
    )


def _card(entry: CardEntry) -> Card:
    return with_metrics(load_card(entry.card), entry.metrics)


def _builder(recipe: Recipe, card: Card, entry: CardEntry) -> PromptBuilder:
    """The prompts of a card in a study.

    Raises:
        DataError: the pool of demonstrations cannot be read.
        RecipeError: it has no split, or answers may be longer than the context.
    """
    shots = recipe.demonstrations.shots if entry.shots is None else entry.shots
    table_tokens = recipe.examples.table_tokens
    return PromptBuilder(
        card,
        read_split(recipe, card, demonstration_split(recipe, card)) if shots else [],
        seed=recipe.seed,
        shots=shots,
        draw=recipe.demonstrations.draw,
        most=_most_characters(recipe),
        tables=dict.fromkeys(recipe.expanded(), table_tokens * CHARACTERS_A_TOKEN) if table_tokens else None,
        fits=recipe.demonstrations.fit,
    )


def read_split(recipe: Recipe, card: Card, split: str) -> Sequence[Example]:
    """Read the examples of a split, from unitxt's own card if the recipe draws as unitxt does.

    Raises:
        CardError: the recipe draws as unitxt does, and the card names no card of unitxt.
        DataError: the data cannot be read.
    """
    return read_unitxt_examples(card, split) if recipe.of_unitxt else read_examples(card, split)


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


def _most_characters(recipe: Recipe) -> dict[Configuration, int] | None:
    """The most characters of a prompt in each configuration, at four a token, beside its longest answers.

    Raises:
        RecipeError: the answers alone take as many tokens.
    """
    tokens, generation = recipe.examples.context, recipe.generation.model_dump(mode="json")
    if tokens is None:
        return None
    answers = {each.design: StepTokens.of(each.design, generation).most for each in recipe.expanded()}
    for design, answer in answers.items():
        if answer >= tokens:
            raise RecipeError(
                f"examples.context: found {tokens:,} tokens, but answers to the design {design!r} may take "
                f"{answer:,}; expected more, or a lower generation.max_tokens"
            )
    return {each: (tokens - answers[each.design]) * CHARACTERS_A_TOKEN for each in recipe.expanded()}


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
    asked = min(each for each in (count, limit, len(available)) if isinstance(each, int))
    drawn = in_order_of_draw(available, recipe.examples.draw, recipe.seed, card.dataset)
    notes: list[str] = []
    if recipe.examples.refused == "leave_out":
        chosen, notes = _without_refused(recipe, builder, drawn, asked)
    else:
        chosen = [builder.cut(example) for example in first_examples(drawn, asked)]
    if count != "all" and len(chosen) < (count if limit is None else min(count, limit)):
        has = f"split {split!r} has {len(chosen)}"
        notes.append(f"{card.name}: {count} examples are asked, {has}: all are used")
    builder.forget()
    return chosen, notes


def _without_refused(
    recipe: Recipe, builder: PromptBuilder, drawn: Sequence[Example], most: int
) -> tuple[list[Example], list[str]]:
    """The first examples of the draw that all configurations can show, cut, and a note on those left out.

    Raises:
        RecipeError: some configuration refuses every example; as it refuses the first.
    """
    card, configurations = builder.card, recipe.expanded()
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


def in_order_of_draw(
    examples: Sequence[Example], draw: ExampleDraw, study_seed: int, dataset: str
) -> list[Example]:
    """The examples in the order in which a recipe chooses them.

    ``first`` is the file's order, ``unitxt`` that of unitxt's own card. ``seeded`` is by a hash of (seed,
    data set, example id): a uniform draw without replacement, in which smaller counts are prefixes of larger
    ones and the order of the file does not matter.
    """
    if draw != "seeded":
        return list(examples)
    return sorted(examples, key=lambda each: seed(study_seed, dataset, _pair(each), "examples"))


def first_examples(drawn: Sequence[Example], most: int) -> Sequence[Example]:
    """The first ones; both sides of a pair (the group ``pair``) together, so that it may be one more."""
    while 0 < most < len(drawn) and _pair(drawn[most]) == _pair(drawn[most - 1]):
        most += 1
    return drawn[:most]


def _pair(example: Example) -> str:
    return example.groups.get("pair", example.id)


def _notes(recipe: Recipe) -> Iterator[str]:
    """What a person should know about the recipe's draws."""
    if recipe.demonstrations.draw == "unitxt":
        yield (
            "demonstrations are drawn as unitxt does: a perturbation also shows other demonstrations, so "
            "perturbations differ by the luck of that draw too ('paired' avoids it)"
        )
    if recipe.of_unitxt and any(not seeded_by_unitxt(each.perturbation) for each in recipe.expanded()):
        yield (
            "of the perturbations, unitxt seeds shuffle_rows, shuffle_cols and transpose; others are drawn "
            "from the recipe's seed"
        )
    shots = [recipe.demonstrations.shots, *(entry.shots for entry in recipe.cards if entry.shots is not None)]
    if any(shots) and any(designs.get(each.design).carries for each in recipe.expanded()):
        yield "prompts that a data set carries are sent as they are: no demonstrations of the recipe in them"


def _fitting_notes(card: Card, examples: Sequence[Example], recipe: Recipe) -> Iterator[str]:
    """How many examples are shown in part, what that loses, and how many demonstrations they show."""
    of_all, context = counted(len(examples), "example"), recipe.examples.context
    cuts = [each.cut for each in examples if isinstance(each.cut, DocumentCut)]
    if cuts and context is not None:
        unknown = sum(cut.lost_table is None for cut in cuts)
        which = f"; of {unknown:,} the data do not say which table that is" if unknown else ""
        yield (
            f"{card.name}: {len(cuts):,} of {of_all} show their document cut to {context:,} tokens (half of "
            f"them at most {_median(cut.characters / cut.of_characters for cut in cuts):.0%} of it); "
            f"{sum(cut.lost_table is True for cut in cuts):,} lose the table that the question is about"
            f"{which}"
        )
    samples = [each.cut for each in examples if isinstance(each.cut, RowSample)]
    if samples:
        limits = {"table": recipe.examples.table_tokens, "prompt": context}
        kept = [f"no {what} takes more than {most:,} tokens" for what, most in limits.items() if most]
        unknown = sum(sample.lost_answer is None for sample in samples)
        of_rest = f"; whether {unknown:,} do is not known" if unknown else ""
        yield (
            f"{card.name}: {len(samples):,} of {of_all} show some rows of their table, drawn at random, so "
            f"that {' and '.join(kept)} (half of them at most "
            f"{_median(sample.rows / sample.of_rows for sample in samples):.0%} of the rows); "
            f"{sum(sample.lost_answer is True for sample in samples):,} lose the answer{of_rest}"
        )
    numbers = Counter(each.demonstrations for each in examples if each.demonstrations is not None)
    if numbers and context is not None:
        shown = [
            f"{number or 'none'} in {count:,}" for number, count in sorted(numbers.items(), reverse=True)
        ]
        yield (
            f"{card.name}: demonstrations are shown as far as they fit into {context:,} tokens: "
            f"{', '.join(shown)} of {of_all}"
        )


def _median(shares: Iterable[float]) -> float:
    ordered = sorted(shares)
    return ordered[len(ordered) // 2]


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


def for_each_card(cards: Mapping[str, T], do: Callable[[T], object]) -> None:
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
    if not rest:
        raise first
    others = f", as for {', '.join(list(faults)[1:])}" if len(faults) > 1 else ""
    raise DataError(
        f"{first} ({len(faults)} of {len(cards)} data sets cannot be read{others}; "
        f"--cards {','.join(rest)} asks about the others only)"
    ) from first
