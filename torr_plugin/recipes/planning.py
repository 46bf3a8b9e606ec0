"""The plan of a study: cards loaded, examples chosen and cut to fit, requests made on demand."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from ..catalog import (
    data_fingerprint,
    load_card,
    read_examples,
    read_unitxt_examples,
    unitxt_fingerprint,
    unitxt_template,
    with_metrics,
)
from ..catalog.examples import DocumentCut, RowSample
from ..core.errors import DataError, InputError, RecipeError, counted
from ..core.seeds import seed
from ..core.texts import CHARACTERS_A_TOKEN
from ..prompts import Configuration, Message, PromptBuilder, designs, first_steps, seeded_by_unitxt
from .model_entries import without_room
from .request import Request, ScoreCell, replicate_key, replicate_seed, request_key
from .schema import CardEntry, ExampleDraw, Recipe

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Prompt, Step
    from ..prompts.design import Steps
    from .model_entries import ModelEntry

EXAMPLES_AT_ONCE = 500

FEWEST_REPLICATES = 100
"""Cells that are asked again in all, where a study has as many; fewer hardly tell the noise."""


@dataclass(frozen=True)
class Plan:
    """All requests of a study that can be made before a model answers.

    Attributes:
        recipe: the recipe.
        cards: by data set, in the recipe's order.
        configurations: in the recipe's order, each once.
        examples: by data set, the examples to ask.
        builders: by data set, what builds its prompts.
        notes: remarks for the user, e.g. that a card has fewer examples than the recipe asks for.
        limit: the limit it was planned with.
    """

    recipe: Recipe
    cards: Mapping[str, Card]
    configurations: tuple[Configuration, ...]
    examples: Mapping[str, list[Example]]
    builders: Mapping[str, PromptBuilder] = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def shots(self) -> dict[str, int]:
        """By data set, the demonstrations per prompt."""
        return {dataset: builder.shots for dataset, builder in self.builders.items()}

    @cached_property
    def generation(self) -> dict[str, Any]:
        """The generation parameters of every request."""
        return self.recipe.generation.in_keys()

    @property
    def asked_generation(self) -> dict[str, Any]:
        """The generation parameters of every request, with the room for thoughts, which is in no key."""
        return {**self.generation, "thinking_tokens": self.recipe.generation.thinking_tokens}

    @property
    def asked_examples(self) -> int:
        """The number of examples, of all data sets."""
        return sum(map(len, self.examples.values()))

    @property
    def cells(self) -> int:
        """The number of scored answers per model: examples times configurations."""
        return len(self.configurations) * self.asked_examples

    @cached_property
    def replicated(self) -> frozenset[ScoreCell]:
        """The cells that are asked again, once for each further answer, with its number as ``replicate``.

        A random share of the cells of each data set, at least ``FEWEST_REPLICATES`` in all or all of them.
        Cells are ordered by a hash of (seed, data set, configuration, example), so that a smaller share is a
        part of a larger one, and neither models nor other data sets change the choice (other data sets only
        where the share gives fewer than ``FEWEST_REPLICATES``).
        """
        again = self.recipe.replicates
        if not again.share or not self.cells:
            return frozenset()
        share = max(again.share, min(1.0, FEWEST_REPLICATES / self.cells))

        def order(cell: ScoreCell) -> int:
            return seed(self.recipe.seed, cell.dataset, cell.config.id, cell.example, "replicates")

        chosen: list[ScoreCell] = []
        for name, own in self.examples.items():
            cells = [ScoreCell(name, each.id, config) for config in self.configurations for each in own]
            drawn = math.ceil(round(share * len(cells), 9))  # rounded, as 0.1 * 70 is a little more than 7
            chosen += nsmallest(drawn, cells, key=order)
        return frozenset(replace(cell, replicate=n) for cell in chosen for n in range(1, again.count + 1))

    @cached_property
    def size(self) -> int:
        """The number of requests that need no earlier answer; equal prompts count separately."""
        return self._calls({name: len(first_steps(steps)) for name, steps in self._designs.items()})

    @property
    def later(self) -> int:
        """The number of later requests per model, if none fails."""
        return self._calls({name: len(steps) for name, steps in self._designs.items()}) - self.size

    @property
    def replicate_requests(self) -> int:
        """How many of :attr:`size` ask a prompt again."""
        return sum(len(first_steps(self._designs[cell.config.design])) for cell in self.replicated)

    @property
    def replicate_record(self) -> dict[str, int]:
        """What tells the requests of one choice of replicates from those of another; empty without any."""
        if not self.replicated:
            return {}
        count = self.recipe.replicates.count
        return {"replicates": self.replicate_requests, **({"replicate_count": count} if count > 1 else {})}

    def _calls(self, of_design: Mapping[str, int]) -> int:
        """Requests in all, from those of one cell of each design."""
        firsts = sum(of_design[each.design] for each in self.configurations)
        again = sum(of_design[cell.config.design] for cell in self.replicated)
        return firsts * self.asked_examples + again

    @cached_property
    def _designs(self) -> dict[str, Steps]:
        return {each.design: designs.get(each.design).steps for each in self.configurations}

    @cached_property
    def steps(self) -> dict[str, Steps]:
        """The designs that take several calls, with their steps."""
        return {name: steps for name, steps in self._designs.items() if len(steps) > 1}

    def changes_of(self, design: str, stage: int, replicate: int) -> dict[str, Any] | None:
        """The generation parameters in which a request differs from the study's; None where it does in none.

        Those of its step, and a seed of its own where it asks again.
        """
        of_step = designs.get(design).steps[stage].changes(self.generation)
        if not replicate:
            return of_step
        return {**(of_step or {}), "seed": replicate_seed(self.recipe.seed, replicate)}

    def requests(self) -> Iterator[Request]:
        """Build the requests that need no earlier answer: by data set, then configuration, then example.

        Large data sets are split into portions of ``EXAMPLES_AT_ONCE`` examples, each in all configurations,
        so that cached tables serve all formats and memory does not grow with the study.

        An example has one request per first step of the design; :meth:`follow_up` makes the later ones.

        Prompts that are asked again come last, so that other prompts stand beside them when they are asked.

        The order is fixed, and neighbours share prefixes as long as the draw of demonstrations allows.

        Raises:
            RecipeError: a prompt cannot be built (card, example, configuration, reason).
        """
        for replicate in range(1 + self.recipe.replicates.count if self.replicated else 1):
            for dataset in self.cards:
                examples = self.examples[dataset]
                for start in range(0, len(examples), EXAMPLES_AT_ONCE):
                    some = examples[start : start + EXAMPLES_AT_ONCE]
                    for configuration in self.configurations:
                        yield from self.requests_of(dataset, configuration, some, replicate)
                self.builders[dataset].forget()

    def requests_of(
        self,
        dataset: str,
        configuration: Configuration,
        examples: Sequence[Example] | None = None,
        replicate: int = 0,
    ) -> Iterator[Request]:
        """The requests of one data set in one configuration, for the given examples or all.

        Of a ``replicate`` from 1 on those that are asked again.
        """
        steps = designs.get(configuration.design).steps
        for example in self.examples[dataset] if examples is None else examples:
            cell = ScoreCell(dataset, example.id, configuration, replicate)
            if not replicate or cell in self.replicated:
                for stage in first_steps(steps):
                    yield self._request(cell, example, stage)

    def follow_up(self, cell: ScoreCell, step: Step, answers: Mapping[str, str], model: str) -> Request:
        """Make the request of a later step.

        Args:
            cell: a cell of this plan.
            step: a step of its configuration's design.
            answers: the model's answers to earlier steps, by step name.
            model: the model's label.

        Raises:
            RecipeError: the plan does not have the example, or the prompt cannot be built.
        """
        example = self.example(cell.dataset, cell.example)
        stage = designs.get(cell.config.design).steps.index(step)
        return self._request(cell, example, stage, answers=answers, model=model)

    def unasked(self, cell: ScoreCell, stage: int, model: str, key: str) -> Request:
        """A placeholder with an empty prompt for a request that could not be made."""
        example = self.example(cell.dataset, cell.example)
        return self._row(cell, example, stage, prompt=(Message("user", ""),), key=key, model=model)

    def generation_of(self, request: Request) -> dict[str, Any]:
        """The generation parameters in a request's key: the study's, or those of the design's step."""
        return self._generation(designs.get(request.config.design).steps[request.stage])

    def _generation(self, step: Step) -> dict[str, Any]:
        return {**self.generation, **(step.changes(self.generation) or {})}

    @cached_property
    def _by_id(self) -> dict[str, dict[str, Example]]:
        return {
            dataset: {example.id: example for example in examples}
            for dataset, examples in self.examples.items()
        }

    def example(self, dataset: str, example_id: str) -> Example:
        """An example of a data set by its id.

        Raises:
            RecipeError: the plan does not have it.
        """
        own = self._by_id.get(dataset, {})
        if example_id not in own:
            raise RecipeError(
                f"the study asks no example {example_id!r} of data set {dataset!r}; expected one of its "
                f"{len(own)}"
            )
        return own[example_id]

    def _request(
        self,
        cell: ScoreCell,
        example: Example,
        stage: int,
        *,
        answers: Mapping[str, str] | None = None,
        model: str | None = None,
    ) -> Request:
        step = designs.get(cell.config.design).steps[stage]
        prompt = self.builders[cell.dataset].build(example, cell.config, step, answers)
        key = replicate_key(request_key(prompt, self._generation(step)), cell.replicate)
        return self._row(cell, example, stage, prompt=prompt, key=key, model=model)

    def _row(
        self, cell: ScoreCell, example: Example, stage: int, *, prompt: Prompt, key: str, model: str | None
    ) -> Request:
        builder, carries = self.builders[cell.dataset], designs.get(cell.config.design).carries
        return Request(
            key=key,
            model=model,
            dataset=cell.dataset,
            example=cell.example,
            config=cell.config,
            stage=stage,
            prompt=prompt,
            references=builder.references(example, cell.config),
            facts=builder.facts(example, cell.config),
            replicate=cell.replicate,
            cut=None if carries else example.cut,
            demonstrations=None if carries else example.demonstrations,
        )

    def record(self) -> dict[str, Any]:
        """The study as plain data, for ``study.yaml``: recipe, cards, fingerprints of data."""
        return deepcopy(self._record)

    @cached_property
    def _record(self) -> dict[str, Any]:
        return study_record(self)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that affects prompts and scores; see :func:`fingerprint`."""
        return fingerprint(self._record)


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
    cards = {card.dataset: card for card in map(_card, recipe.cards)}
    configurations = recipe.expanded()
    for card in cards.values():
        for configuration in configurations:
            designs.get(configuration.design).check(card, configuration)
    builders: dict[str, PromptBuilder] = {}
    examples: dict[str, list[Example]] = {}
    notes = [*_notes(recipe)]
    faults: dict[str, DataError] = {}
    for (dataset, card), entry in zip(cards.items(), recipe.cards, strict=True):
        try:
            builder = builders[dataset] = _builder(recipe, card, entry)
            examples[dataset], left_out = _examples(recipe, entry, builder, limit)
            for example in examples[dataset]:
                builder.demonstrations(example)  # a pool that is too small is reported before anything runs
            notes.extend([*left_out, *_fitting_notes(card, examples[dataset], recipe)])
        except DataError as fault:
            faults[dataset] = fault
    if faults:
        raise _of_all(faults, list(cards))
    return Plan(recipe, cards, configurations, examples, builders, tuple(notes), limit)


def _of_all(faults: Mapping[str, DataError], asked: Sequence[str]) -> DataError:
    """One error for all data sets that cannot be read: the first, the others' names, how to do without."""
    first, *others = faults
    rest = [dataset for dataset in asked if dataset not in faults]
    if not rest:
        return faults[first]
    also = f", as for {', '.join(others)}" if others else ""
    return DataError(
        f"{faults[first]} ({len(faults)} of {len(asked)} data sets cannot be read{also}; "
        f"--cards {','.join(rest)} asks about the others only)"
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
        _read_split(recipe, card, _demonstration_split(recipe, card)) if shots else [],
        seed=recipe.seed,
        shots=shots,
        draw=recipe.demonstrations.draw,
        most=_most_characters(recipe),
        tables=dict.fromkeys(recipe.expanded(), table_tokens * CHARACTERS_A_TOKEN) if table_tokens else None,
        fits=recipe.demonstrations.fit,
        shown_in=recipe.expanded() if recipe.examples.refused == "leave_out" else (),
    )


def _read_split(recipe: Recipe, card: Card, split: str) -> Sequence[Example]:
    """Read the examples of a split, from unitxt's own card if the recipe draws as unitxt does.

    Raises:
        CardError: the recipe draws as unitxt does, and the card names no card of unitxt.
        DataError: the data cannot be read.
    """
    return read_unitxt_examples(card, split) if recipe.of_unitxt else read_examples(card, split)


def _demonstration_split(recipe: Recipe, card: Card) -> str:
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
    available = _read_split(recipe, card, split)
    if not available:
        raise RecipeError(f"{card.name}: split {split!r} has no examples; expected at least one")
    count = recipe.examples.count if entry.examples is None else entry.examples
    asked = min(each for each in (count, limit, len(available)) if isinstance(each, int))
    drawn = in_order_of_draw(available, recipe.examples.draw, recipe.seed, card.dataset)
    chosen, notes = _chosen(recipe, builder, drawn, asked)
    if count != "all" and len(chosen) < (count if limit is None else min(count, limit)):
        has = f"split {split!r} has {len(chosen)}"
        notes.append(f"{card.name}: {count} examples are asked, {has}: all are used")
    builder.forget()
    return chosen, notes


def _chosen(
    recipe: Recipe, builder: PromptBuilder, drawn: Sequence[Example], most: int
) -> tuple[list[Example], list[str]]:
    """The first examples of the draw, cut to fit, and a note on those left out.

    Both sides of a pair (the group ``pair``) are taken together, so that it may be one more. Where refused
    examples are left out, they are the first that all configurations can show.

    Raises:
        RecipeError: one is refused, or all are where they are left out; as the first is.
    """
    leave_out = recipe.examples.refused == "leave_out"
    checked = recipe.expanded() if leave_out else ()
    kept: list[Example] = []
    refusals: list[RecipeError] = []
    for _, pair in groupby(drawn, _pair):
        if len(kept) >= most:
            break
        sides = list(pair)
        try:
            shown = [builder.cut(each) for each in sides]
            for each in shown:
                builder.check(each, checked)
        except RecipeError as refused:
            if not leave_out:
                raise
            refusals += [refused] * len(sides)
        else:
            kept += shown
    if not kept:
        raise refusals[0]
    return kept, [
        f"{builder.card.name}: {counted(len(refusals), 'example')} left out in all configurations; the "
        f"first: {refusals[0]}"
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
        lost = [cut.lost_table for cut in cuts]
        yield (
            f"{card.name}: {len(cuts):,} of {of_all} show their document cut to {context:,} tokens; "
            f"{lost.count(True):,} lose the table that the question is about{_unknown(lost)}"
        )
    samples = [each.cut for each in examples if isinstance(each.cut, RowSample)]
    if samples:
        limits = {"table": recipe.examples.table_tokens, "prompt": context}
        kept = [f"no {what} takes more than {most:,} tokens" for what, most in limits.items() if most]
        lost = [sample.lost_answer for sample in samples]
        yield (
            f"{card.name}: {len(samples):,} of {of_all} show some rows of their table, drawn at random, so "
            f"that {' and '.join(kept)}; {lost.count(True):,} lose the answer{_unknown(lost)}"
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


def _unknown(lost: Sequence[bool | None]) -> str:
    return f"; of {lost.count(None):,} that is not known" if None in lost else ""


_OF_THE_RECIPE = ("seed", "demonstrations")
_OF_A_DATASET = (
    "card",
    "fingerprint",
    "split",
    "shots",
    "demo_split",
    "data",
    "examples_fingerprint",
    "unitxt",
)


def study_record(plan: Plan) -> dict[str, Any]:
    """Everything a study depends on, as plain data: recipe, cards, data, configurations.

    ``datasets`` has for each data set its card with fingerprint, licence and metrics, the splits with
    fingerprints of their data, the shots, and the number of examples with a fingerprint of their ids.
    ``stages`` is present if a design takes several calls, ``design_bases`` if one has a base.
    """
    recipe = plan.recipe.model_dump(mode="json", exclude=_unused(plan.recipe))
    return {
        "recipe": recipe,
        "name": plan.recipe.name,
        "seed": plan.recipe.seed,
        "limit": plan.limit,
        "datasets": {
            card.dataset: _dataset(plan, card, entry)
            for card, entry in zip(plan.cards.values(), plan.recipe.cards, strict=True)
        },
        "configurations": [configuration.id for configuration in plan.configurations],
        **({"design_bases": bases} if (bases := design_bases(plan.configurations)) else {}),
        "generation": dict(plan.generation),
        **{
            name: most
            for name in ("context", "table_tokens")
            if (most := getattr(plan.recipe.examples, name))
        },
        "requests": plan.size,
        **({"stages": _stages(plan)} if plan.steps else {}),
        "notes": list(plan.notes),
    }


def _unused(recipe: Recipe) -> dict[str, Any]:
    """The fields that only some studies have, where a recipe leaves them out."""
    return {
        **({} if recipe.judges else {"judges": True}),
        **({} if recipe.scoring == "lenient" else {"scoring": True}),
        **({} if recipe.demonstrations.fit else {"demonstrations": {"fit"}}),
        **({} if recipe.examples.table_tokens is not None else {"examples": {"table_tokens"}}),
        **({} if recipe.replicates.count > 1 else {"replicates": {"count"}}),
    }


def _stages(plan: Plan) -> dict[str, int]:
    """The number of steps of each design with several; the last one's answer is scored."""
    return {design: len(steps) for design, steps in sorted(plan.steps.items())}


def design_bases(configurations: Iterable[Configuration]) -> dict[str, str]:
    """The design that each is compared with, where there is one; nothing of designs that are not here."""
    names = {each.design for each in configurations if each.design in designs}
    bases = {name: designs.get(name).compared_with(names) for name in names}
    return {design: base for design, base in sorted(bases.items()) if base is not None}


def _dataset(plan: Plan, card: Card, entry: CardEntry) -> dict[str, Any]:
    examples, shots = plan.examples[card.dataset], plan.shots[card.dataset]
    split = entry.split or card.test_split
    demo_split = _demonstration_split(plan.recipe, card) if shots else None
    of_data = unitxt_fingerprint if plan.recipe.of_unitxt else data_fingerprint
    return {
        "card": card.name,
        "fingerprint": card.fingerprint,
        "description": card.description,
        "licence": card.licence,
        "metrics": list(card.metrics),
        "main_metric": card.main_metric,
        "keeps_labels": list(card.keeps_labels),
        "skills": dict(card.skills),
        "split": split,
        "shots": shots,
        "demo_split": demo_split,
        "data": {name: of_data(card, name) for name in dict.fromkeys([split, demo_split]) if name},
        "examples": len(examples),
        "examples_fingerprint": _digest([example.id for example in examples]),
        "unitxt": _unitxt_words(plan, card),
    }


def _unitxt_words(plan: Plan, card: Card) -> dict[str, str] | None:
    """The unitxt card whose template the design ``torr`` uses, with a digest; None without that design."""
    if card.unitxt is None or not any(
        each.design.rpartition("+")[2] == "torr" for each in plan.configurations
    ):
        return None
    return {"card": card.unitxt.card, "words": _digest(asdict(unitxt_template(card)))}


def fingerprint(record: dict[str, Any]) -> str:
    """32 hex digits over everything in a record that affects prompts and scores.

    Two studies with the same fingerprint ask the same prompts and score answers alike. Models, description,
    name, analysis options and versions do not count; the choice of examples does.
    """
    decisive = {
        "recipe": {
            **{name: record["recipe"][name] for name in _OF_THE_RECIPE},
            "generation": without_room(record["recipe"]["generation"]),
        },
        "datasets": {
            dataset: {name: entry.get(name) for name in _OF_A_DATASET}
            for dataset, entry in sorted(record["datasets"].items())
        },
        "configurations": sorted(record["configurations"]),
        **{name: record[name] for name in ("stages", "context", "table_tokens") if record.get(name)},
    }
    return _digest(decisive)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


class StepTokens(NamedTuple):
    """The longest answer of each step of a design, and for each later step its own and its prompt's surplus.

    A later step's prompt is that of the first and the answers that it follows, at their longest. Answers
    without a limit count 0.
    """

    longest: tuple[int, ...]
    later: tuple[tuple[int, int], ...]

    @property
    def most(self) -> int:
        """The most tokens that answers add to a prompt of the design: its own, and those that it holds."""
        return max((*self.longest, *[answer + before for answer, before in self.later]))

    @classmethod
    def of(cls, design: str, generation: Mapping[str, Any], entry: ModelEntry | None = None) -> StepTokens:
        """Compute them for a design under a study's generation parameters, and a model's own."""
        steps = designs.get(design).steps

        def asked(step: Step) -> Mapping[str, Any]:
            changes = step.changes(generation) or {}
            return {**generation, **changes} if entry is None else entry.generation_under(generation, changes)

        longest = {step.name: int(asked(step).get("max_tokens") or 0) for step in steps}
        later = [
            (longest[step.name], sum(longest[name] for name in step.after)) for step in steps if step.after
        ]
        return cls(tuple(longest.values()), tuple(later))
