"""The plan of a study: its requests, and its record for ``study.yaml``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..catalog import (
    data_fingerprint,
    read_examples,
    read_unitxt_examples,
    unitxt_fingerprint,
    unitxt_template,
)
from ..core.errors import RecipeError
from ..core.versions import versions
from ..prompts import Configuration, Message, PromptBuilder, designs, first_steps
from .replicates import replicate_key, replicated_cells
from .request import Request, ScoreCell, keys_under
from .schema import Recipe

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..prompts import Prompt, Step
    from ..prompts.design import Steps


def read_split(recipe: Recipe, card: Card, split: str) -> Sequence[Example]:
    """Read the examples of a split, from unitxt's own card if the recipe draws as unitxt does.

    Raises:
        CardError: the recipe draws as unitxt does, and the card names no card of unitxt.
        DataError: the data cannot be read.
    """
    return read_unitxt_examples(card, split) if recipe.of_unitxt else read_examples(card, split)


def read_demonstration_pool(recipe: Recipe, card: Card) -> Sequence[Example]:
    """Read the examples that demonstrations are drawn from; raises as :func:`read_split`."""
    return read_split(recipe, card, demonstration_split(recipe, card))


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
        """The number of scored answers per model: examples times configurations."""
        return len(self.configurations) * sum(map(len, self.examples.values()))

    @cached_property
    def replicated(self) -> frozenset[ScoreCell]:
        """The cells that are asked again, with their ``replicate``, 1."""
        share, seed = self.recipe.replicates.share, self.recipe.seed
        return replicated_cells(self.examples, self.configurations, share, seed)

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
        for replicate in (0, 1) if self.replicated else (0,):
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

        Of ``replicate`` 1 those that are asked again.
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
        example = self._example(cell.dataset, cell.example)
        prompt = self.builder(cell.dataset).build(example, cell.config, step, answers)
        key = replicate_key(keys_under(self._generation(step))(prompt), cell.replicate)
        stage = designs.get(cell.config.design).steps.index(step)
        return self._request(cell, example, stage=stage, prompt=prompt, key=key, model=model)

    def unasked(self, cell: ScoreCell, stage: int, model: str, key: str) -> Request:
        """A placeholder with an empty prompt for a request that could not be made."""
        example = self._example(cell.dataset, cell.example)
        return self._request(cell, example, stage=stage, prompt=(Message("user", ""),), key=key, model=model)

    def generation_of(self, request: Request) -> dict[str, Any]:
        """The generation parameters in a request's key: the study's, or those of the design's step."""
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
        self,
        cell: ScoreCell,
        example: Example,
        *,
        stage: int,
        prompt: Prompt,
        key: str,
        model: str | None = None,
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
            replicate=cell.replicate,
        )

    def builder(self, dataset: str) -> PromptBuilder:
        """The prompt builder of a data set, made once."""
        if dataset not in self._builders:
            card, shots = self.cards[dataset], self.shots[dataset]
            pool = read_demonstration_pool(self.recipe, card) if shots else []
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
        """A hash of everything that affects prompts and scores; see :func:`fingerprint`."""
        return fingerprint(self._record)


RECORDED = ("torr-plugin", "unitxt", "lm-eval", "numpy")
_OF_THE_RECIPE = ("seed", "demonstrations", "generation")
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
    """Everything a study depends on, as plain data: recipe, cards, data, configurations, versions.

    ``datasets`` has for each data set its card with fingerprint, licence and metrics, the splits with
    fingerprints of their data, the shots, and the number of examples with a fingerprint of their ids.
    ``stages`` is present if a design takes several calls.
    """
    installed = versions()
    recipe = plan.recipe.model_dump(mode="json", exclude=None if plan.recipe.judges else {"judges"})
    return {
        "recipe": recipe,
        "name": plan.recipe.name,
        "seed": plan.recipe.seed,
        "limit": plan.limit,
        "datasets": {dataset: _dataset(plan, dataset) for dataset in plan.cards},
        "configurations": [configuration.id for configuration in plan.configurations],
        "generation": dict(plan.generation),
        "requests": plan.size,
        **({"stages": _stages(plan)} if plan.steps else {}),
        "notes": list(plan.notes),
        "versions": {name: installed.get(name, "not installed") for name in ("python", *RECORDED)},
    }


def _stages(plan: Plan) -> dict[str, int]:
    """The number of steps of each design with several; the last one's answer is scored."""
    return {design: len(steps) for design, steps in sorted(plan.steps.items())}


def _dataset(plan: Plan, dataset: str) -> dict[str, Any]:
    card, split, shots = plan.cards[dataset], plan.splits[dataset], plan.shots[dataset]
    demo_split = demonstration_split(plan.recipe, card) if shots else None
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
        "examples": len(plan.examples[dataset]),
        "examples_fingerprint": _digest([example.id for example in plan.examples[dataset]]),
        "unitxt": _unitxt_words(plan, card),
    }


def _unitxt_words(plan: Plan, card: Card) -> dict[str, str] | None:
    """The unitxt card whose template the design ``torr`` uses, with a digest; None without that design."""
    if card.unitxt is None or not any(each.design == "torr" for each in plan.configurations):
        return None
    return {"card": card.unitxt.card, "words": _digest(asdict(unitxt_template(card)))}


def fingerprint(record: dict[str, Any]) -> str:
    """32 hex digits over everything in a record that affects prompts and scores.

    Two studies with the same fingerprint ask the same prompts and score answers alike. Models, description,
    name, analysis options and versions do not count; the choice of examples does.
    """
    decisive = {
        "recipe": {name: record["recipe"][name] for name in _OF_THE_RECIPE},
        "datasets": {
            dataset: {name: entry.get(name) for name in _OF_A_DATASET}
            for dataset, entry in sorted(record["datasets"].items())
        },
        "configurations": sorted(record["configurations"]),
        **({"stages": record["stages"]} if record.get("stages") else {}),
    }
    return _digest(decisive)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
