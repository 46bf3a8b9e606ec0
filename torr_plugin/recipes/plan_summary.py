"""Summarize a plan by data set and model: prompts, tokens, shared prefixes, costs. Calls no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.texts import estimate_tokens
from ..prompts import designs
from ..prompts.message import images_of
from .context_length import context_length, length_notes, long_datasets
from .step_tokens import StepTokens
from .tokens import (
    EstimatingCounter,
    TokenCounter,
    Tokenizer,
    TokenizerCounter,
    Tokenizers,
    common_beginning,
    in_blocks,
    in_prefix_order,
    text_of,
)

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .models import ModelEntry, Price
    from .study_plan import Plan


class PlannedPrompt(NamedTuple):
    """A prompt of a plan and what it occurs as.

    ``new`` if it occurs for the first time in the plan, ``new_in_dataset`` in its data set; ``begins`` if it
    is the first in its design and further steps follow; ``replicate`` is 1, 2, ... if it is asked again.
    """

    dataset: str
    prompt: Prompt
    text: str
    design: str
    stage: int
    new: bool
    new_in_dataset: bool
    begins: bool
    replicate: int


@dataclass
class ModelTally:
    """Counts the distinct prompts of a plan, with one token counter; ``again`` counts those asked again.

    ``entry`` is the model, or one that may answer as long; ``lengths`` is how many prompts have so many
    tokens, their longest answers included. Answers without a limit (``unlimited``) count 0.
    """

    meter: TokenCounter
    generation: Mapping[str, Any]
    entry: ModelEntry | None = None
    requests: int = 0
    later: int = 0
    prompt_tokens: int = 0
    saved: int = 0
    saved_in_blocks: int = 0
    longest: int = 0
    answer_tokens: int = 0
    most_pictures: int = 0
    again: ModelTally | None = None
    lengths: Counter[int] = field(default_factory=Counter)
    _steps: dict[str, StepTokens] = field(default_factory=dict)

    @property
    def unlimited(self) -> bool:
        """Whether the model's own ``max_tokens`` is null, which holds for every step."""
        return self.entry is not None and "max_tokens" in self.entry.generation.left_out

    def include(self, prompts: Sequence[PlannedPrompt]) -> None:
        """Count prompts."""
        if self.again is not None:
            self.again.include([each for each in prompts if each.replicate])
        measured = self.meter.measure([each.prompt for each in prompts])
        for each, (tokens, common) in zip(prompts, measured, strict=True):
            if each.design not in self._steps:
                self._steps[each.design] = StepTokens.of(each.design, self.generation, self.entry)
            steps = self._steps[each.design]
            if each.new:
                self._count(each.prompt, tokens, common, steps.longest[each.stage])
            if each.begins:
                self._count_later_steps(tokens, steps)

    def _count(self, prompt: Prompt, tokens: int, common: int, answer: int) -> None:
        self.requests += 1
        self.prompt_tokens += tokens
        self.saved += min(common, tokens)
        self.saved_in_blocks += in_blocks(common, tokens)
        self.longest = max(self.longest, tokens)
        self.most_pictures = max(self.most_pictures, len(images_of(prompt)))
        self.answer_tokens += answer
        self.lengths[tokens + answer] += 1

    def too_long(self, most: int) -> int:
        """How many prompts take more than so many tokens, each with the longest answer that it may get."""
        return sum(count for length, count in self.lengths.items() if length > most)

    def _count_later_steps(self, tokens: int, steps: StepTokens) -> None:
        """Count later steps, estimating their unknown prompts as the first one plus the longest answers."""
        for answer, more in steps.later:
            self.later += 1
            self.prompt_tokens += tokens + more
            self.longest = max(self.longest, tokens + more)
            self.answer_tokens += answer
            self.lengths[tokens + more + answer] += 1


@dataclass(frozen=True)
class Outline:
    """The size of a plan.

    Attributes:
        datasets: see :func:`summary`.
        models: a row per model.
        notes: caveats about the figures.
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
    """Count a plan's requests and tokens by data set and by model.

    A model's row has ``model``; ``requests``; ``unique requests``; ``prompt tokens`` of the unique ones;
    ``counted``: ``exact`` with the model's own tokenizer if it is on this machine, else ``estimated`` at four
    characters per token; ``saved tokens``: the prefixes shared with the previous prompt, which a prefix cache
    saves in the order of the run; ``saved in blocks``: the same for a cache of whole blocks of 16; ``longest
    prompt``; ``answer tokens``, at most; ``longest with answer``; ``context``, the most tokens of prompt and
    answer, and ``too long``, how many prompts take more (both null if that is unknown); ``gpus`` from the
    pool; and in US dollars (null without a price) ``cost of prompts``, ``cost of prompts cached`` (with saved
    blocks at the price of cached tokens), ``cost of answers`` at most, and ``cost``, their sum without a
    cache. Where nothing limits answers, their tokens and cost and that sum are null. Prompts that are asked
    again are included, and ``replicates`` (only if there are any) has the same of them alone, without
    ``model``.

    Args:
        plan: the plan.
        models: the models; those with the same tokenizer are counted once.
        tokenizer: a folder or cached name of a tokenizer for models whose own is not on this machine.
        progress: called with the number of prompts counted and their total.

    Raises:
        InputError: the tokenizer cannot be read.
    """
    loaded = Tokenizers(tokenizer)
    tallies: dict[object, ModelTally] = {}
    of_model = []
    for entry in models:
        own, chat = loaded.of(entry), uses_chat_template(entry)
        # models of one tokenizer and one length of answers are counted once
        most = entry.generation_under(plan.asked_generation).get("max_tokens")
        key = (None if own is None else (own.folder, chat), most)
        if key not in tallies:
            tallies[key] = _tally(plan, own, chat, entry)
        of_model.append((entry, tallies[key]))
    if not models:  # the prompts are counted for the notes alone
        tallies[None, None] = _tally(plan, None, False)
    datasets = summary(plan, tallies.values(), progress)
    requests = plan.size + plan.later
    rows = [
        {"model": entry.label, "requests": requests, **_row(entry, tally, plan)} for entry, tally in of_model
    ]
    limited = [row for entry, row in zip(models, rows, strict=True) if not entry.model.startswith("torr-")]
    lengths = length_notes(limited) if models else long_datasets(datasets)
    return Outline(datasets, rows, (*_notes(tallies.values(), of_models=bool(models)), *lengths))


def _tally(plan: Plan, own: Tokenizer | None, chat: bool, entry: ModelEntry | None = None) -> ModelTally:
    def meter() -> TokenCounter:
        return EstimatingCounter() if own is None else TokenizerCounter(own, chat=chat)

    generation = plan.asked_generation
    again = ModelTally(meter(), generation, entry) if plan.replicated else None
    return ModelTally(meter(), generation, entry, again=again)


def uses_chat_template(entry: ModelEntry) -> bool:
    """Whether the chat template, if any, applies to a model; not by default for completion servers."""
    completes = "completions" in entry.model and "chat" not in entry.model
    return not completes if entry.chat is None else entry.chat


def _row(entry: ModelEntry, tally: ModelTally, plan: Plan) -> dict[str, Any]:
    """The row of a model, with one of what it is asked again."""
    row = _model_row(entry, tally)
    if tally.again is None:
        return row
    requests = sum(len(designs.get(cell.config.design).steps) for cell in plan.replicated)
    return {**row, "replicates": {"requests": requests, **_model_row(entry, tally.again)}}


def _model_row(entry: ModelEntry, tally: ModelTally) -> dict[str, Any]:
    context = context_length(entry)
    row: dict[str, Any] = {
        "unique requests": tally.requests + tally.later,
        "prompt tokens": tally.prompt_tokens,
        "counted": "exact" if tally.meter.exact else "estimated",
        "saved tokens": tally.saved,
        "saved in blocks": tally.saved_in_blocks,
        "longest prompt": tally.longest,
        "answer tokens": None if tally.unlimited else tally.answer_tokens,
        "context": context,
        "longest with answer": max(tally.lengths, default=0),
        "too long": None if context is None else tally.too_long(context),
        "gpus": entry.gpus,
    }
    return row | _costs(entry.price, tally)


def _costs(price: Price | None, tally: ModelTally) -> dict[str, Any]:
    if price is None:
        return dict.fromkeys(("cost of prompts", "cost of prompts cached", "cost of answers", "cost"))
    prompts = price.of_prompts(tally.prompt_tokens)
    answers = None if tally.unlimited else price.of_answers(tally.answer_tokens)
    return {
        "cost of prompts": prompts,
        "cost of prompts cached": price.of_prompts(tally.prompt_tokens, tally.saved_in_blocks),
        "cost of answers": answers,
        "cost": None if answers is None else prompts + answers,
    }


def _notes(tallies: Collection[ModelTally], *, of_models: bool) -> tuple[str, ...]:
    """The caveats that apply to any model, or to any data set, each once."""
    notes = []
    most = max((tally.most_pictures for tally in tallies), default=0)
    if most:
        several = f", up to {most} in one prompt (max_images of a server)" if most > 1 else ""
        notes.append(f"prompts show pictures{several}: their tokens are not counted")
    if any(tally.later for tally in tallies):
        counted = (
            "counted with a prompt as long as the first one's and the longest answers it may hold"
            if of_models
            else "not counted"
        )
        notes.append(f"steps that follow an answer are {counted}")
    return tuple(notes)


PROMPTS_AT_ONCE = 256
"""Prompts measured at once, so that a tokenizer can use several cores."""

Progress = Callable[[int, int], object]
"""Called with the number of prompts counted and their total."""


def summary(
    plan: Plan, models: Iterable[ModelTally] = (), progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Count a plan's prompts: a row per data set, a total if there are several, and those asked again.

    Columns: ``dataset``, ``configurations``, ``examples``, ``shots``, ``prompts``, ``unique prompts``,
    ``estimated tokens`` (of the unique prompts, :func:`estimate_tokens`), ``longest prompt`` (estimated
    tokens), and ``shared beginning``: the percentage of the unique prompts' text that is a prefix shared with
    the previous prompt, in the order of the run (:func:`in_prefix_order`), which a prefix cache saves. The
    last row, ``replicates``, has no ``configurations`` and ``examples``; the others do not count its prompts.

    Args:
        plan: the plan.
        models: tallies that also count each distinct prompt of the study, in that order.
        progress: called with the number of prompts counted and their total.
    """
    tallies = {dataset: _DatasetTally() for dataset in plan.cards}
    total, again = _DatasetTally(), _DatasetTally()
    model_tallies = list(models)
    distinct = groupby(_distinct(plan, tallies, (total, again), progress), attrgetter("replicate"))
    prompts = chain.from_iterable(in_prefix_order(own, attrgetter("text")) for _, own in distinct)
    while portion := list(islice(prompts, PROMPTS_AT_ONCE)):
        for each in portion:
            if each.new_in_dataset and not each.replicate:
                tallies[each.dataset].include(each.text)
            if each.new:
                (total, again)[bool(each.replicate)].include(each.text)
        counted = [each for each in portion if each.new or each.begins]
        for tally in model_tallies:
            tally.include(counted)
    if progress is not None:
        progress(plan.size, plan.size)
    rows = [
        _dataset_row(
            dataset, len(plan.configurations), len(plan.examples[dataset]), plan.shots[dataset], tally
        )
        for dataset, tally in tallies.items()
    ]
    if len(rows) > 1:
        examples = sum(map(len, plan.examples.values()))
        rows.append(_dataset_row("total", len(plan.configurations), examples, None, total))
    return [*rows, _dataset_row("replicates", None, None, None, again)] if plan.replicated else rows


@dataclass(slots=True)
class _DatasetTally:
    keys: set[bytes] = field(default_factory=set)
    prompts: int = 0
    tokens: int = 0
    longest: int = 0
    characters: int = 0
    shared: int = 0
    before: str = ""

    def is_new(self, key: bytes) -> bool:
        """Count a request; return whether it is the first with this key."""
        self.prompts += 1
        known = len(self.keys)
        self.keys.add(key)
        return len(self.keys) > known

    def include(self, text: str) -> None:
        tokens = estimate_tokens(text)
        self.tokens += tokens
        self.longest = max(self.longest, tokens)
        self.characters += len(text)
        self.shared += common_beginning(self.before, text)
        self.before = text


def _distinct(
    plan: Plan,
    tallies: dict[str, _DatasetTally],
    totals: tuple[_DatasetTally, _DatasetTally],
    progress: Progress | None,
) -> Iterator[PlannedPrompt]:
    """The plan's prompts without repeats within a data set; ``totals`` are of first answers and replicates.

    First prompts of a strategy of several calls are kept even if another design has the same prompt, and one
    that several examples share, as it does not hold their questions, for each of these.
    """
    size, begun = plan.size, {design: set[tuple[bytes, str]]() for design in plan.steps}
    for count, request in enumerate(plan.requests(), 1):
        key = bytes.fromhex(request.key)
        new = totals[bool(request.replicate)].is_new(key)
        if progress is not None and count % PROMPTS_AT_ONCE == 0:
            progress(count, size)
        design, stage = request.config.design, request.stage
        beginning = (key, request.example)
        begins = stage == 0 and beginning not in begun.get(design, (beginning,))
        if begins:
            begun[design].add(beginning)
        here = new if request.replicate else tallies[request.dataset].is_new(key)
        if here or begins:
            text, replicate = text_of(request.prompt), request.replicate
            yield PlannedPrompt(
                request.dataset, request.prompt, text, design, stage, new, here, begins, replicate
            )


def _dataset_row(
    dataset: str, configurations: int | None, examples: int | None, shots: int | None, tally: _DatasetTally
) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "configurations": configurations,
        "examples": examples,
        "shots": "" if shots is None else shots,
        "prompts": tally.prompts,
        "unique prompts": len(tally.keys),
        "estimated tokens": tally.tokens,
        "longest prompt": tally.longest,
        "shared beginning": f"{round(100 * tally.shared / tally.characters) if tally.characters else 0} %",
    }
