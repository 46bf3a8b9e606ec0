"""The plan of a study: its requests, made on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core.errors import RecipeError
from ..prompts import Configuration, Message, PromptBuilder, designs, first_steps
from .reading import prompt_builder
from .replicates import replicate_key, replicate_seed, replicated_cells
from .request import Request, ScoreCell, keys_under
from .schema import Recipe
from .study_record import fingerprint, study_record

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Prompt, Step
    from ..prompts.design import Steps

EXAMPLES_AT_ONCE = 500


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
        generation: the generation parameters of every request.
        notes: remarks for the user, e.g. that a card has fewer examples than the recipe asks for.
        limit: the limit it was planned with.
        context: the most tokens of a prompt with its longest answer, to which documents are cut; None: any.
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
    context: int | None = None
    _builders: dict[str, PromptBuilder] = field(default_factory=dict, repr=False, compare=False)
    _by_id: dict[str, dict[str, Example]] = field(default_factory=dict, repr=False, compare=False)

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
        """The cells that are asked again, once for each further answer, with its number as ``replicate``."""
        again, seed = self.recipe.replicates, self.recipe.seed
        return replicated_cells(self.examples, self.configurations, again.share, seed, again.count)

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

    @property
    def _designs(self) -> dict[str, Steps]:
        return {each.design: designs.get(each.design).steps for each in self.configurations}

    @property
    def steps(self) -> dict[str, Steps]:
        """The designs that take several calls, with their steps."""
        return {name: steps for name, steps in self._designs.items() if len(steps) > 1}

    @cached_property
    def changes(self) -> dict[tuple[str, int], dict[str, Any]]:
        """The generation parameters that differ from the study's, by design and stage, where any do."""
        return {
            (name, stage): changed
            for name, steps in self._designs.items()
            for stage, step in enumerate(steps)
            if (changed := step.changes(self.generation))
        }

    def changes_of(self, design: str, stage: int, replicate: int) -> dict[str, Any] | None:
        """The generation parameters in which a request differs from the study's; None where it does in none.

        Those of its step, and a seed of its own where it asks again.
        """
        of_step = self.changes.get((design, stage))
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
        steps, builder = designs.get(configuration.design).steps, self.builder(dataset)
        first = [(stage, steps[stage]) for stage in first_steps(steps)]
        keys = {stage: keys_under(self._generation(step)) for stage, step in first}
        for example in self.examples[dataset] if examples is None else examples:
            cell = ScoreCell(dataset, example.id, configuration, replicate)
            if replicate and cell not in self.replicated:
                continue
            for stage, step in first:
                prompt = builder.build(example, configuration, step)
                key = replicate_key(keys[stage](prompt), replicate)
                yield self._request(cell, example, stage=stage, prompt=prompt, key=key)

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
        prompt = self.builder(cell.dataset).build(example, cell.config, step, answers)
        key = replicate_key(keys_under(self._generation(step))(prompt), cell.replicate)
        stage = designs.get(cell.config.design).steps.index(step)
        return self._request(cell, example, stage=stage, prompt=prompt, key=key, model=model)

    def unasked(self, cell: ScoreCell, stage: int, model: str, key: str) -> Request:
        """A placeholder with an empty prompt for a request that could not be made."""
        example = self.example(cell.dataset, cell.example)
        return self._request(cell, example, stage=stage, prompt=(Message("user", ""),), key=key, model=model)

    def generation_of(self, request: Request) -> dict[str, Any]:
        """The generation parameters in a request's key: the study's, or those of the design's step."""
        return self._generation(designs.get(request.config.design).steps[request.stage])

    def _generation(self, step: Step) -> dict[str, Any]:
        return {**self.generation, **(step.changes(self.generation) or {})}

    def example(self, dataset: str, example_id: str) -> Example:
        """An example of a data set by its id.

        Raises:
            RecipeError: the plan does not have it.
        """
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
        self,
        cell: ScoreCell,
        example: Example,
        *,
        stage: int,
        prompt: Prompt,
        key: str,
        model: str | None = None,
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
        """The prompt builder of a data set, made once."""
        if dataset not in self._builders:
            card, shots = self.cards[dataset], self.shots[dataset]
            self._builders[dataset] = prompt_builder(self.recipe, card, shots, self.context)
        return self._builders[dataset]

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
