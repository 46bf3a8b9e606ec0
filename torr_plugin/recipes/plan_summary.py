"""What a plan would ask, by data set and model: prompts, tokens, shared prefixes, costs; calls no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..prompts import designs
from ..prompts.message import images_of
from .tokens import StepTokens, TokenCounter, Tokenizers, context_length, in_blocks, in_prefix_order, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from ..prompts import Prompt
    from .models import ModelEntry
    from .study_plan import Plan

PROMPTS_AT_ONCE = 256
"""Prompts measured at once, so that a tokenizer can use several cores."""

LONG = 32_768
"""Tokens of prompt and answer from which a plan warns, where nothing is known of the model."""

Progress = Callable[[int, int], object]
"""Called with the number of prompts counted and their total."""


class PlannedPrompt(NamedTuple):
    """A prompt of a plan and what it occurs as.

    ``new`` if it occurs for the first time in the plan; ``begins`` if it is the first in its design for an
    example and further steps follow; ``replicate`` is 1, 2, ... if it is asked again.
    """

    dataset: str
    prompt: Prompt
    text: str
    design: str
    stage: int
    new: bool
    begins: bool
    replicate: int


class _Tally:
    """Distinct prompts, in the order of the run, counted with one token counter.

    ``asked`` is how many there are of a design's step with so many tokens; ``begun`` how many begin a design
    whose later steps follow.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self.asked: Counter[tuple[str, int, int]] = Counter()
        self.begun: Counter[tuple[str, int]] = Counter()
        self.saved = self.saved_in_blocks = self.most_pictures = 0

    def include(self, prompts: Sequence[PlannedPrompt]) -> None:
        """Count prompts."""
        measured = self.counter.measure([each.prompt for each in prompts])
        for each, (tokens, common) in zip(prompts, measured, strict=True):
            if each.new:
                self.asked[each.design, each.stage, tokens] += 1
                self.saved += min(common, tokens)
                self.saved_in_blocks += in_blocks(common, tokens)
                self.most_pictures = max(self.most_pictures, len(images_of(each.prompt)))
            if each.begins:
                self.begun[each.design, tokens] += 1

    def requests(self, steps: Mapping[str, StepTokens]) -> Iterator[tuple[int, int, int]]:
        """Tokens of a prompt, of its longest answer, and how many requests have them.

        Later steps, whose prompts are not known, count as the first one's and the longest answers.
        """
        for (design, stage, tokens), number in self.asked.items():
            yield tokens, steps[design].longest[stage], number
        for (design, tokens), number in self.begun.items():
            for answer, more in steps[design].later:
                yield tokens + more, answer, number


@dataclass(frozen=True)
class Outline:
    """The size of a plan.

    Attributes:
        datasets: a row a data set, see :func:`outline`.
        models: a row a model.
        notes: caveats about the figures.
    """

    datasets: list[dict[str, Any]]
    models: list[dict[str, Any]]
    notes: tuple[str, ...]


def outline(
    plan: Plan,
    models: Sequence[ModelEntry] = (),
    *,
    tokenizer: str | None = None,
    progress: Progress | None = None,
) -> Outline:
    """Count a plan's requests and tokens by data set and by model.

    A data set's row has ``dataset``; ``configurations``; ``examples``; ``shots``; ``prompts``; ``unique
    prompts``, those that occur for the first time in the study; of these ``estimated tokens``, ``longest
    prompt`` (estimated) and ``shared beginning``: the part of their tokens that is a prefix shared with the
    previous prompt of the data set, in the order of the run, from 0 to 1. Of several data sets a row
    ``total`` follows, and of prompts that are asked again a row ``replicates``; the others do not count
    these. What does not apply is null.

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
    tokenizers = Tokenizers(tokenizer)
    estimated = _Tally(TokenCounter()), _Tally(TokenCounter())  # the prompts, and those asked again
    counted: dict[tuple[Path, bool], tuple[_Tally, _Tally]] = {}
    of_models = []
    for entry in models:
        own, chat, tallies = tokenizers.of(entry), uses_chat_template(entry), estimated
        if own is not None:
            both = _Tally(TokenCounter(own, chat=chat)), _Tally(TokenCounter(own, chat=chat))
            tallies = counted.setdefault((own.folder, chat), both)
        of_models.append((entry, tallies))
    of_datasets = {dataset: _Tally(TokenCounter()) for dataset in plan.cards}
    prompts: Counter[str] = Counter()  # with repeats
    distinct = groupby(_distinct(plan, prompts, progress), attrgetter("replicate"))
    ordered = chain.from_iterable(in_prefix_order(own, attrgetter("text")) for _, own in distinct)
    while portion := list(islice(ordered, PROMPTS_AT_ONCE)):
        firsts = [each for each in portion if not each.replicate]
        for first, again in (estimated, *counted.values()):
            first.include(firsts)
            again.include([each for each in portion if each.replicate])
        for dataset, tally in of_datasets.items():
            tally.include([each for each in firsts if each.dataset == dataset])
    if progress is not None:
        progress(plan.size, plan.size)
    datasets = [_dataset_row(plan, dataset, prompts, tally) for dataset, tally in of_datasets.items()]
    if len(datasets) > 1:
        datasets.append(_dataset_row(plan, "total", prompts, estimated[0]))
    if plan.replicated:
        datasets.append(_dataset_row(plan, "replicates", prompts, estimated[1]))
    rows = [_row(entry, tallies, plan) for entry, tallies in of_models]
    notes = [*_notes(plan, estimated[0], rows), *_length_notes(models, rows, datasets)]
    return Outline(datasets, rows, tuple(notes))


def _distinct(plan: Plan, prompts: Counter[str], progress: Progress | None) -> Iterator[PlannedPrompt]:
    """The plan's prompts without repeats; ``prompts`` counts all of them by data set.

    First prompts of a strategy of several calls are kept even if another design has the same prompt, and one
    that several examples share, as it does not hold their questions, for each of these.
    """
    known: set[bytes] = set()
    begun: set[tuple[str, bytes, str]] = set()
    several = plan.steps
    for count, request in enumerate(plan.requests(), 1):
        if progress is not None and count % PROMPTS_AT_ONCE == 0:
            progress(count, plan.size)
        prompts.update(["replicates"] if request.replicate else [request.dataset, "total"])
        key, design = bytes.fromhex(request.key), request.config.design
        beginning = (design, key, request.example)
        begins = design in several and request.stage == 0 and beginning not in begun
        if begins:
            begun.add(beginning)
        new = key not in known
        known.add(key)
        if new or begins:
            prompt, text = request.prompt, text_of(request.prompt)
            stage, replicate = request.stage, request.replicate
            yield PlannedPrompt(request.dataset, prompt, text, design, stage, new, begins, replicate)


def _dataset_row(plan: Plan, name: str, prompts: Mapping[str, int], tally: _Tally) -> dict[str, Any]:
    replicates = name == "replicates"
    own = plan.examples.get(name)
    tokens = sum(length * number for (*_, length), number in tally.asked.items())
    return {
        "dataset": name,
        "configurations": None if replicates else len(plan.configurations),
        "examples": None
        if replicates
        else sum(map(len, plan.examples.values()))
        if own is None
        else len(own),
        "shots": plan.shots.get(name),
        "prompts": prompts[name],
        "unique prompts": tally.asked.total(),
        "estimated tokens": tokens,
        "longest prompt": max((length for *_, length in tally.asked), default=0),
        "shared beginning": tally.saved / tokens if tokens else 0.0,
    }


def uses_chat_template(entry: ModelEntry) -> bool:
    """Whether the chat template, if any, applies to a model; not by default for completion servers."""
    completes = "completions" in entry.model and "chat" not in entry.model
    return not completes if entry.chat is None else entry.chat


def _row(entry: ModelEntry, tallies: tuple[_Tally, _Tally], plan: Plan) -> dict[str, Any]:
    """The row of a model, with one of what it is asked again."""
    row = {"model": entry.label, "requests": plan.size + plan.later, **_model_row(entry, tallies, plan)}
    if plan.replicated:
        requests = sum(len(designs.get(cell.config.design).steps) for cell in plan.replicated)
        row["replicates"] = {"requests": requests, **_model_row(entry, tallies[1:], plan)}
    return row


def _model_row(entry: ModelEntry, tallies: Sequence[_Tally], plan: Plan) -> dict[str, Any]:
    steps = {
        each.design: StepTokens.of(each.design, plan.asked_generation, entry) for each in plan.configurations
    }
    requests = [each for tally in tallies for each in tally.requests(steps)]
    context, unlimited = context_length(entry), "max_tokens" in entry.generation.left_out
    prompts = sum(tokens * number for tokens, _, number in requests)
    answers = sum(answer * number for _, answer, number in requests)
    saved_in_blocks = sum(tally.saved_in_blocks for tally in tallies)
    too_long = sum(number for tokens, answer, number in requests if tokens + answer > (context or 0))
    row: dict[str, Any] = {
        "unique requests": sum(number for *_, number in requests),
        "prompt tokens": prompts,
        "counted": "exact" if tallies[0].counter.exact else "estimated",
        "saved tokens": sum(tally.saved for tally in tallies),
        "saved in blocks": saved_in_blocks,
        "longest prompt": max((tokens for tokens, *_ in requests), default=0),
        "answer tokens": None if unlimited else answers,
        "context": context,
        "longest with answer": max((tokens + answer for tokens, answer, _ in requests), default=0),
        "too long": None if context is None else too_long,
        "gpus": entry.gpus,
        **dict.fromkeys(("cost of prompts", "cost of prompts cached", "cost of answers", "cost")),
    }
    if (price := entry.price) is not None:
        of_prompts, of_answers = price.of_prompts(prompts), price.of_answers(answers)
        row["cost of prompts"] = of_prompts
        row["cost of prompts cached"] = price.of_prompts(prompts, saved_in_blocks)
        if not unlimited:
            row |= {"cost of answers": of_answers, "cost": of_prompts + of_answers}
    return row


def _notes(plan: Plan, tally: _Tally, models: Sequence[object]) -> Iterator[str]:
    """The caveats that apply to any model, or to any data set."""
    if most := tally.most_pictures:
        several = f", up to {most} in one prompt (max_images of a server)" if most > 1 else ""
        yield f"prompts show pictures{several}: their tokens are not counted"
    if plan.later:
        as_first = "counted with a prompt as long as the first one's and the longest answers it may hold"
        yield f"steps that follow an answer are {as_first if models else 'not counted'}"


def _length_notes(
    models: Sequence[ModelEntry], rows: Sequence[Mapping[str, Any]], datasets: Iterable[Mapping[str, Any]]
) -> Iterator[str]:
    """Warnings of prompts that a model does not take, or may not take where nothing is known of it."""
    unknown: dict[str, list[str]] = {}
    for entry, row in zip(models, rows, strict=True):
        about = "" if row["counted"] == "exact" else "about "
        longest = f"{about}{row['longest with answer']:,}"
        if entry.model.startswith("torr-"):  # baselines take any
            continue
        if row["too long"]:
            yield (
                f"{entry.label}: {about}{row['too long']:,} of {row['unique requests']:,} prompts do not fit:"
                f" with their longest answers they take more than its {row['context']:,} tokens, the longest "
                f"{longest}"
            )
        elif row["context"] is None and row["longest with answer"] > LONG:
            unknown.setdefault(longest, []).append(entry.label)
    for longest, names in unknown.items():
        yield (
            f"{', '.join(names)}: the longest prompt takes {longest} tokens with its answer; whether that "
            "fits is not known here (max_length=N among a model's arguments says what it takes)"
        )
    for row in () if models else datasets:
        if row["longest prompt"] > LONG and row["dataset"] != "total":
            longest = f"about {row['longest prompt']:,}"
            yield f"{row['dataset']}: the longest prompt has {longest} tokens, which many models do not take"
