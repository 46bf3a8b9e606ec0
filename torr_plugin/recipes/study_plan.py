"""The plan of a study: its requests, made on demand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from ..core.errors import RecipeError
from ..core.seeds import seed
from ..prompts import Configuration, Message, PromptBuilder, designs, first_steps
from .request import Request, ScoreCell, replicate_key, replicate_seed, request_key
from .schema import Recipe
from .study_record import fingerprint, study_record

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Prompt, Step
    from ..prompts.design import Steps

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
        shots: by data set, the demonstrations per prompt.
        splits: by data set, the split of the examples.
        demo_splits: by data set, the split of the demonstrations; of those that have any.
        generation: the generation parameters of every request.
        builders: by data set, what builds its prompts.
        notes: remarks for the user, e.g. that a card has fewer examples than the recipe asks for.
        limit: the limit it was planned with.
    """

    recipe: Recipe
    cards: Mapping[str, Card]
    configurations: tuple[Configuration, ...]
    examples: Mapping[str, list[Example]]
    shots: Mapping[str, int]
    splits: Mapping[str, str]
    demo_splits: Mapping[str, str]
    generation: dict[str, Any]
    builders: Mapping[str, PromptBuilder] = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def asked_generation(self) -> dict[str, Any]:
        """The generation parameters of every request, with the room for thoughts, which is in no key."""
        return {**self.generation, "thinking_tokens": self.recipe.generation.thinking_tokens}

    @property
    def cells(self) -> int:
        """The number of scored answers per model: examples times configurations."""
        return len(self.configurations) * sum(map(len, self.examples.values()))

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

    @property
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
        return firsts * sum(map(len, self.examples.values())) + again

    @cached_property
    def _designs(self) -> dict[str, Steps]:
        return {each.design: designs.get(each.design).steps for each in self.configurations}

    @property
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

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Request]:
        return self.requests()

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
                self.builder(dataset).forget()

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
        prompt = self.builder(cell.dataset).build(example, cell.config, step, answers)
        key = replicate_key(request_key(prompt, self._generation(step)), cell.replicate)
        return self._row(cell, example, stage, prompt=prompt, key=key, model=model)

    def _row(
        self, cell: ScoreCell, example: Example, stage: int, *, prompt: Prompt, key: str, model: str | None
    ) -> Request:
        builder, carries = self.builder(cell.dataset), designs.get(cell.config.design).carries
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

    def builder(self, dataset: str) -> PromptBuilder:
        """The prompt builder of a data set."""
        return self.builders[dataset]

    def record(self) -> dict[str, Any]:
        """The study as plain data, for ``study.yaml``: recipe, cards, fingerprints of data, versions."""
        return deepcopy(self._record)

    @cached_property
    def _record(self) -> dict[str, Any]:
        return study_record(self)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that affects prompts and scores; see :func:`fingerprint`."""
        return fingerprint(self._record)
