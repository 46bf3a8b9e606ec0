"""What a plan would ask and cost, by data set and model: prompts, tokens, shared prefixes; calls no model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.texts import CHARACTERS_A_TOKEN
from ..prompts import designs, images_of, text_of
from .known_models import Tokenizer, context_length, tokenizer_of
from .planning import StepTokens
from .request import in_prefix_order

if TYPE_CHECKING:
    from pathlib import Path

    from .model_entries import ModelEntry
    from .planning import Plan
    from .request import Request

PROMPTS_AT_ONCE = 256
"""Prompts measured at once, so that a tokenizer can use several cores."""

LONG = 32_768
"""Tokens of prompt and answer from which a plan warns, where nothing is known of the model."""

BLOCK = 16
"""Tokens per block of vLLM's prefix cache (the default of its ``block_size``)."""

REPLICATES = "replicates"
"""Stands for a data set where prompts are counted that are asked again."""

Progress = Callable[[int, int], object]
"""Called with the number of prompts counted and their total."""


class PlannedPrompt(NamedTuple):
    """A request of a plan and what its prompt occurs as.

    ``new`` if it occurs for the first time in the plan; ``begins`` if it is the first in its design for an
    example and further steps follow.
    """

    request: Request
    text: str
    new: bool
    begins: bool

    @property
    def group(self) -> str:
        """Its data set, or :data:`REPLICATES`."""
        return REPLICATES if self.request.replicate else self.request.dataset


@dataclass
class _GroupCounts:
    """Of the distinct prompts of one group.

    ``asked`` is how many there are of a design's step with so many tokens; ``begun`` how many begin a design
    whose later steps follow; ``saved`` the tokens of beginnings shared with the prompt before.
    """

    asked: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    begun: Counter[tuple[str, int]] = field(default_factory=Counter)
    saved: int = 0
    saved_in_blocks: int = 0

    def requests(self, steps: Mapping[str, StepTokens]) -> Iterator[tuple[int, int, int]]:
        """Tokens of a prompt, of its longest answer, and how many requests have them.

        Later steps, whose prompts are not known, count as the first one's and the longest answers.
        """
        for (design, stage, tokens), number in self.asked.items():
            yield tokens, steps[design].longest[stage], number
        for (design, tokens), number in self.begun.items():
            for answer, more in steps[design].later:
                yield tokens + more, answer, number


class _Tally:
    """Counts the distinct prompts of a stream in the order of the run, by group.

    By a model's own tokenizer, with its chat template or without, or a token per four characters.
    """

    def __init__(self, tokenizer: Tokenizer | None = None, *, chat: bool = False) -> None:
        self._chat, self.tokenizer = chat, tokenizer
        self._before: Sequence[object] = ()
        self.groups: defaultdict[str, _GroupCounts] = defaultdict(_GroupCounts)

    def include(self, portion: Sequence[PlannedPrompt]) -> None:
        """Count the next prompts of the stream."""
        texts: Iterable[Sequence[object]] = (each.text for each in portion)
        unit = CHARACTERS_A_TOKEN
        if self.tokenizer is not None:
            prompts = [each.request.prompt for each in portion]
            texts, unit = self.tokenizer.encode(prompts, chat=self._chat), 1
        for each, text in zip(portion, texts, strict=True):
            tokens, common = -(-len(text) // unit), common_beginning(self._before, text) // unit
            self._before = text
            counts, design = self.groups[each.group], each.request.config.design
            if each.new:
                counts.asked[design, each.request.stage, tokens] += 1
                counts.saved += min(common, tokens)
                counts.saved_in_blocks += in_blocks(common, tokens)
            if each.begins:
                counts.begun[design, tokens] += 1


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """The length of the common prefix of two texts or lists."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def in_blocks(common: int, length: int) -> int:
    """The tokens that a cache of whole blocks saves, for a prompt of ``length`` with ``common`` shared.

    The last token of a prompt is always computed, as the first token of the answer follows from it.
    """
    return max(min(common, length - 1), 0) // BLOCK * BLOCK


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


def outline(plan: Plan, models: Sequence[ModelEntry] = (), *, progress: Progress | None = None) -> Outline:
    """Count a plan's requests and tokens by data set and by model.

    A data set's row has ``dataset``; ``configurations``; ``examples``; ``shots``; ``prompts``; ``unique
    prompts``, those that occur for the first time in the study; of these ``estimated tokens``, ``longest
    prompt`` (estimated) and ``shared beginning``: the part of their tokens that is a prefix shared with the
    previous prompt in the order of the run, from 0 to 1. Of several data sets a row
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
        progress: called with the number of prompts counted and their total.
    """
    tallies: dict[tuple[Path, bool] | None, _Tally] = {None: _Tally()}
    of_models = []
    for entry in models:
        tokenizer, chat = tokenizer_of(entry), uses_chat_template(entry)
        key = None if tokenizer is None else (tokenizer.folder, chat)
        of_models.append((entry, tallies.setdefault(key, _Tally(tokenizer, chat=chat))))
    prompts: Counter[str] = Counter()  # with repeats
    pictures = 0  # the most in one prompt
    by_replicate = groupby(_distinct(plan, prompts, progress), lambda each: each.request.replicate)
    ordered = chain.from_iterable(in_prefix_order(some, lambda each: each.text) for _, some in by_replicate)
    while portion := list(islice(ordered, PROMPTS_AT_ONCE)):
        pictures = max(pictures, *(len(images_of(each.request.prompt)) for each in portion))
        for tally in tallies.values():
            tally.include(portion)
    if progress is not None:
        progress(plan.size, plan.size)
    estimated = tallies[None].groups
    groups = {name: [estimated[name]] for name in plan.cards}
    if len(groups) > 1:
        groups["total"] = [estimated[name] for name in plan.cards]
    if plan.replicated:
        groups[REPLICATES] = [estimated[REPLICATES]]
    datasets = [_dataset_row(plan, name, prompts[name], counts) for name, counts in groups.items()]
    rows = [_row(entry, tally, plan) for entry, tally in of_models]
    return Outline(datasets, rows, (*_notes(plan, pictures, rows), *_length_notes(models, rows)))


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
        prompts.update([REPLICATES] if request.replicate else [request.dataset, "total"])
        key, design = bytes.fromhex(request.key), request.config.design
        beginning = (design, key, request.example)
        begins = design in several and request.stage == 0 and beginning not in begun
        if begins:
            begun.add(beginning)
        new = key not in known
        known.add(key)
        if new or begins:
            yield PlannedPrompt(request, text_of(request.prompt), new, begins)


def _dataset_row(plan: Plan, name: str, prompts: int, counts: Sequence[_GroupCounts]) -> dict[str, Any]:
    lengths: Counter[int] = Counter()
    for each in counts:
        for (*_, length), number in each.asked.items():
            lengths[length] += number
    tokens = sum(length * number for length, number in lengths.items())
    examples = {**{each: len(some) for each, some in plan.examples.items()}, "total": plan.asked_examples}
    return {
        "dataset": name,
        "configurations": None if name == REPLICATES else len(plan.configurations),
        "examples": examples.get(name),
        "shots": plan.shots.get(name),
        "prompts": prompts,
        "unique prompts": lengths.total(),
        "estimated tokens": tokens,
        "longest prompt": max(lengths, default=0),
        "shared beginning": sum(each.saved for each in counts) / tokens if tokens else 0.0,
    }


def uses_chat_template(entry: ModelEntry) -> bool:
    """Whether the chat template, if any, applies to a model; not by default for completion servers."""
    completes = "completions" in entry.model and "chat" not in entry.model
    return not completes if entry.chat is None else entry.chat


def _row(entry: ModelEntry, tally: _Tally, plan: Plan) -> dict[str, Any]:
    """The row of a model, with one of what it is asked again."""
    counted = "estimated" if tally.tokenizer is None else "exact"
    everything = _model_row(entry, list(tally.groups.values()), plan, counted)
    row = {"model": entry.label, "requests": plan.size + plan.later, **everything}
    if plan.replicated:
        requests = sum(len(designs.get(cell.config.design).steps) for cell in plan.replicated)
        again = _model_row(entry, [tally.groups[REPLICATES]], plan, counted)
        row[REPLICATES] = {"requests": requests, **again}
    return row


def _model_row(entry: ModelEntry, counts: Sequence[_GroupCounts], plan: Plan, counted: str) -> dict[str, Any]:
    steps = {
        each.design: StepTokens.of(each.design, plan.asked_generation, entry) for each in plan.configurations
    }
    requests = [each for some in counts for each in some.requests(steps)]
    context, unlimited = context_length(entry), "max_tokens" in entry.generation.left_out
    prompts = sum(tokens * number for tokens, _, number in requests)
    answers = sum(answer * number for _, answer, number in requests)
    saved_in_blocks = sum(each.saved_in_blocks for each in counts)
    too_long = sum(number for tokens, answer, number in requests if tokens + answer > (context or 0))
    row: dict[str, Any] = {
        "unique requests": sum(number for *_, number in requests),
        "prompt tokens": prompts,
        "counted": counted,
        "saved tokens": sum(each.saved for each in counts),
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


def _notes(plan: Plan, pictures: int, models: Sequence[object]) -> Iterator[str]:
    """The caveats that apply to any model, or to any data set."""
    if pictures:
        several = f", up to {pictures} in one prompt (max_images of a server)" if pictures > 1 else ""
        yield f"prompts show pictures{several}: their tokens are not counted"
    if plan.later:
        as_first = "counted with a prompt as long as the first one's and the longest answers it may hold"
        yield f"steps that follow an answer are {as_first if models else 'not counted'}"


def _length_notes(models: Sequence[ModelEntry], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
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
