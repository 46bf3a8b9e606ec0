"""The plan of a study: what is asked, request by request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core.errors import RecipeError
from ..prompts import Message, PromptBuilder, designs, first_steps
from .pools import read_pool
from .record import fingerprint, study_record
from .request import Cell, Configuration, Request, keys_under
from .schema import Recipe

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Prompt, Step
    from ..prompts.steps import Steps

EXAMPLES_AT_ONCE = 500


@dataclass(frozen=True)
class Plan:
    """What a study asks: everything but the models' answers.

    Attributes:
        recipe: the recipe it was made of.
        cards: by data set, in the recipe's order.
        configurations: in the recipe's order, each once.
        examples: by data set, the examples asked.
        shots: by data set, the demonstrations a prompt.
        splits: by data set, the split asked.
        generation: the generation parameters of every request.
        notes: what a person should know, e.g. that a card has fewer examples than the recipe asks.
        limit: the limit it was planned with.
    """

    recipe: Recipe
    cards: Mapping[str, Card]
    configurations: tuple[Configuration, ...]
    examples: Mapping[str, list[Example]]
    shots: Mapping[str, int]
    splits: Mapping[str, str]
    generation: dict[str, Any]
    notes: tuple[str, ...] = ()
    limit: int | None = None
    _builders: dict[str, PromptBuilder] = field(default_factory=dict, repr=False, compare=False)
    _by_id: dict[str, dict[str, Example]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def cells(self) -> int:
        """How many answers a model is scored on: examples, each in every configuration."""
        return len(self.configurations) * sum(map(len, self.examples.values()))

    @property
    def size(self) -> int:
        """How many requests there are before any answer; equal prompts count each."""
        firsts = (len(first_steps(designs.get(each.design).steps)) for each in self.configurations)
        return sum(firsts) * sum(map(len, self.examples.values()))

    @property
    def later(self) -> int:
        """How many requests follow from the answers of one model, if none of them fails."""
        steps = sum(len(designs.get(each.design).steps) for each in self.configurations)
        return steps * sum(map(len, self.examples.values())) - self.size

    @property
    def steps(self) -> dict[str, Steps]:
        """The designs that take several calls, with their steps."""
        asked = {each.design: designs.get(each.design).steps for each in self.configurations}
        return {name: steps for name, steps in asked.items() if len(steps) > 1}

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Request]:
        return self.requests()

    def requests(self) -> Iterator[Request]:
        """All requests before any answer, built one by one: by data set, then configuration, then example.

        Of data sets with more than ``EXAMPLES_AT_ONCE`` examples so many come first, in all configurations:
        what is remembered of their tables then serves all formats, and memory does not grow with the study.

        An example has one, or one for each step that a design of several begins with; :meth:`follow_up` makes
        those that come after.

        The order is fixed, and neighbours share as much of their beginning as the draw of demonstrations
        allows.

        Raises:
            RecipeError: a prompt that cannot be built (card, example, configuration and the reason are said).
        """
        for dataset in self.cards:
            examples = self.examples[dataset]
            for start in range(0, len(examples), EXAMPLES_AT_ONCE):
                some = examples[start : start + EXAMPLES_AT_ONCE]
                for configuration in self.configurations:
                    yield from self.requests_of(dataset, configuration, some)
            self.builder(dataset).forget()

    def requests_of(
        self, dataset: str, configuration: Configuration, examples: Sequence[Example] | None = None
    ) -> Iterator[Request]:
        """The requests of one data set in one configuration, in the order of the examples: all, or some."""
        steps, builder = designs.get(configuration.design).steps, self.builder(dataset)
        begin = [(stage, steps[stage]) for stage in first_steps(steps)]
        keys = {stage: keys_under(self._generation(step)) for stage, step in begin}
        for example in self.examples[dataset] if examples is None else examples:
            cell = Cell(dataset, example.id, configuration)
            for stage, step in begin:
                prompt = builder.build(example, configuration, step)
                key = keys[stage](prompt)
                yield self._request(cell, example, stage=stage, prompt=prompt, key=key)

    def follow_up(self, cell: Cell, step: Step, answers: Mapping[str, str], model: str) -> Request:
        """The request of a step that comes after others.

        Args:
            cell: of this plan.
            step: of the design of its configuration.
            answers: what the model said to the steps before it, by their names.
            model: the model's label.

        Raises:
            RecipeError: the plan has no such example, or the prompt cannot be built.
        """
        example = self._example(cell.dataset, cell.example)
        prompt = self.builder(cell.dataset).build(example, cell.config, step, answers)
        key = keys_under(self._generation(step))(prompt)
        stage = designs.get(cell.config.design).steps.index(step)
        return self._request(cell, example, stage=stage, prompt=prompt, key=key, model=model)

    def unasked(self, cell: Cell, stage: int, model: str, key: str) -> Request:
        """The row of a request that could not be made: without a prompt."""
        example = self._example(cell.dataset, cell.example)
        return self._request(cell, example, stage=stage, prompt=(Message("user", ""),), key=key, model=model)

    def generation_of(self, request: Request) -> dict[str, Any]:
        """The parameters under which a request has its key: the study's, or those of its design's step."""
        return self._generation(designs.get(request.config.design).steps[request.stage])

    def _generation(self, step: Step) -> dict[str, Any]:
        return {**self.generation, **(step.changes(self.generation) or {})}

    def _example(self, dataset: str, example_id: str) -> Example:
        if dataset not in self._by_id:
            self._by_id[dataset] = {example.id: example for example in self.examples.get(dataset, ())}
        try:
            return self._by_id[dataset][example_id]
        except KeyError:
            raise RecipeError(
                f"the study asks no example {example_id!r} of data set {dataset!r}; expected one of its "
                f"{len(self._by_id[dataset])}"
            ) from None

    def _request(
        self, cell: Cell, example: Example, *, stage: int, prompt: Prompt, key: str, model: str | None = None
    ) -> Request:
        builder = self.builder(cell.dataset)
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
        )

    def builder(self, dataset: str) -> PromptBuilder:
        """The builder of a data set's prompts; made once."""
        if dataset not in self._builders:
            card, shots = self.cards[dataset], self.shots[dataset]
            pool = read_pool(self.recipe, card) if shots else []
            draw = self.recipe.demonstrations.draw
            self._builders[dataset] = PromptBuilder(card, pool, seed=self.recipe.seed, shots=shots, draw=draw)
        return self._builders[dataset]

    def record(self) -> dict[str, Any]:
        """The study as plain data, for ``study.yaml``: recipe, cards, fingerprints of data, versions."""
        return deepcopy(self._record)

    @cached_property
    def _record(self) -> dict[str, Any]:
        return study_record(self)

    @property
    def fingerprint(self) -> str:
        """A hash of what decides prompts and scores: not the models, the description or the analysis."""
        return fingerprint(self._record)
