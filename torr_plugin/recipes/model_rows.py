"""What a plan asks of each model: requests, tokens, what a prefix cache saves, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..prompts import designs
from ..prompts.message import images_of
from .measuring import Counting, Estimating, Meter
from .sharing import in_blocks
from .summarising import Place, Progress, summary
from .tokenizing import Tokenizers

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .models import ModelEntry
    from .planning import Plan


class Later(NamedTuple):
    """A step that follows answers: what its prompt has beside the first one's, and its answer, at most."""

    more: int
    answer: int


@dataclass(frozen=True)
class StepTokens:
    """The longest answers of a design's steps, by stage, and those of its steps that follow answers."""

    most: tuple[int, ...]
    later: tuple[Later, ...]

    @classmethod
    def of(cls, design: str, generation: Mapping[str, Any]) -> StepTokens:
        """Of a design by name, under a study's generation parameters."""
        steps = designs.get(design).steps
        most = tuple(int({**generation, **(step.changes(generation) or {})}["max_tokens"]) for step in steps)
        by_name = {step.name: tokens for step, tokens in zip(steps, most, strict=True)}
        later = [
            Later(sum(by_name[name] for name in step.after), by_name[step.name])
            for step in steps
            if step.after
        ]
        return cls(most, tuple(later))


@dataclass
class ModelTally:
    """Counts the different prompts of a plan for one way of counting tokens."""

    meter: Meter
    generation: Mapping[str, Any]
    requests: int = 0
    later: int = 0
    prompt_tokens: int = 0
    saved: int = 0
    saved_in_blocks: int = 0
    longest: int = 0
    answer_tokens: int = 0
    pictures: int = 0
    _steps: dict[str, StepTokens] = field(default_factory=dict)

    def include(self, prompts: Sequence[Prompt], places: Iterable[Place]) -> None:
        """Count prompts, each with where it was met."""
        measured = self.meter.measure(prompts)
        for prompt, (tokens, common), place in zip(prompts, measured, places, strict=True):
            steps = self._of(place.design)
            if place.new:
                self._ask(prompt, tokens, common, steps.most[place.stage])
            if place.begins:
                self._follow(tokens, steps)

    def _ask(self, prompt: Prompt, tokens: int, common: int, answer: int) -> None:
        self.requests += 1
        self.prompt_tokens += tokens
        self.saved += min(common, tokens)
        self.saved_in_blocks += in_blocks(common, tokens)
        self.longest = max(self.longest, tokens)
        self.pictures += len(images_of(prompt))
        self.answer_tokens += answer

    def _of(self, design: str) -> StepTokens:
        if design not in self._steps:
            self._steps[design] = StepTokens.of(design, self.generation)
        return self._steps[design]

    def _follow(self, tokens: int, steps: StepTokens) -> None:
        """Count the later steps: their prompts, not known before the answers, as the first one and these."""
        for more, answer in steps.later:
            self.later += 1
            self.prompt_tokens += tokens + more
            self.longest = max(self.longest, tokens + more)
            self.answer_tokens += answer


@dataclass(frozen=True)
class Outline:
    """What a plan amounts to.

    Attributes:
        datasets: see :func:`.summarising.summary`.
        models: a row a model.
        notes: what a person should know of the figures.
    """

    datasets: list[dict[str, Any]]
    models: list[dict[str, Any]]
    notes: tuple[str, ...]


def outline(
    plan: Plan,
    models: Sequence[ModelEntry],
    *,
    tokenizer: str | None = None,
    progress: Progress | None = None,
) -> Outline:
    """Count what a plan asks, of each data set and of each model.

    A row of a model has ``model``; ``requests``; ``unique requests``; ``prompt tokens`` of the unique ones;
    ``counted``, ``exact`` with the model's own tokenizer where that is on this machine, else ``estimated``
    at four characters each; ``saved tokens`` that the prompt before begins with too, which a prefix cache
    saves in the order of the run; ``saved in blocks``, the same for a cache of whole blocks of 16; ``longest
    prompt``; ``answer tokens``, at most; ``gpus`` as the pool says; and where the model has a price, in US
    dollars, ``cost of prompts``, ``cost of prompts cached`` with what the blocks save at the price of cached
    tokens, ``cost of answers`` at most, and ``cost``, all at most (null without a price).

    Args:
        plan: of what.
        models: of whom; models of one tokenizer are counted once.
        tokenizer: a folder or cached name of a tokenizer for models whose own is not here.
        progress: told how many of the plan's prompts are counted.

    Raises:
        InputError: the tokenizer cannot be read.
    """
    loaded = Tokenizers(tokenizer)
    tallies: dict[object, ModelTally] = {}
    of_model = []
    for entry in models:
        found, chat = loaded.of(entry), asked_in_chat(entry)
        way = None if found is None else (found.folder, chat)
        if way not in tallies:
            meter = Estimating() if found is None else Counting(found, chat=chat)
            tallies[way] = ModelTally(meter, plan.generation)
        of_model.append((entry, tallies[way]))
    datasets = summary(plan, tallies.values(), progress)
    requests = plan.size + plan.later
    rows = [{"model": entry.label, "requests": requests, **_row(entry, tally)} for entry, tally in of_model]
    return Outline(datasets, rows, _notes([tally for _, tally in of_model]))


def asked_in_chat(entry: ModelEntry) -> bool:
    """Whether a model is asked through its chat template, if it has one; servers of completions are not."""
    completes = "completions" in entry.model and "chat" not in entry.model
    return not completes if entry.chat is None else entry.chat


def _row(entry: ModelEntry, tally: ModelTally) -> dict[str, Any]:
    row: dict[str, Any] = {
        "unique requests": tally.requests + tally.later,
        "prompt tokens": tally.prompt_tokens,
        "counted": "exact" if tally.meter.exact else "estimated",
        "saved tokens": tally.saved,
        "saved in blocks": tally.saved_in_blocks,
        "longest prompt": tally.longest,
        "answer tokens": tally.answer_tokens,
        "gpus": entry.gpus,
    }
    costs = dict.fromkeys(("cost of prompts", "cost of prompts cached", "cost of answers", "cost"))
    return row | (costs if entry.price is None else _costs(entry, tally))


def _costs(entry: ModelEntry, tally: ModelTally) -> dict[str, Any]:
    price = entry.price
    if price is None:
        return {}
    prompts, answers = price.of_prompts(tally.prompt_tokens), price.of_answers(tally.answer_tokens)
    return {
        "cost of prompts": prompts,
        "cost of prompts cached": price.of_prompts(tally.prompt_tokens, tally.saved_in_blocks),
        "cost of answers": answers,
        "cost": prompts + answers,
    }


def _notes(tallies: Sequence[ModelTally]) -> tuple[str, ...]:
    """Said once each, where they hold for any model."""
    notes = []
    if any(tally.pictures for tally in tallies):
        notes.append("prompts show pictures: their tokens are not counted")
    if any(tally.later for tally in tallies):
        notes.append(
            "steps that follow an answer are counted with a prompt as long as the first one's and the "
            "longest answers it may hold"
        )
    return tuple(notes)
