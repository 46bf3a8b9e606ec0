"""What a plan amounts to: prompts, tokens and shared beginnings, a row a data set. Calls no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from .measuring import estimate_tokens, text_of
from .ordering import in_prefix_order
from .sharing import common_beginning

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .model_rows import ModelTally
    from .planning import Plan

A_PORTION = 256
"""Prompts measured at once, so that a tokenizer can use several cores."""

Progress = Callable[[int, int], object]
"""Told how many prompts of how many are counted."""


class Place(NamedTuple):
    """Where a prompt was met: in which step of which design.

    ``new`` where it is for the first time; ``begins`` where it is for the first time in this design, further
    steps of which follow.
    """

    design: str
    stage: int
    new: bool
    begins: bool


class _Item(NamedTuple):
    """A prompt, and whether it is ``new`` in its data set."""

    dataset: str
    prompt: Prompt
    text: str
    new: bool
    place: Place


def summary(
    plan: Plan, models: Iterable[ModelTally] = (), progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Count what a plan asks: a row a data set, and a last row with the total where there are several.

    Columns: ``dataset``, ``configurations``, ``examples``, ``shots``, ``prompts``, ``unique prompts``,
    ``estimated tokens`` (of the unique prompts, :func:`estimate_tokens`), ``longest prompt`` (estimated
    tokens), and ``shared beginning``: the percentage of the unique prompts' text that repeats the beginning
    of the prompt before in the order in which they are asked (:func:`in_prefix_order`), which an engine with
    a prefix cache need not read again.

    Args:
        plan: of what.
        models: are told each different prompt of the study, in that order.
        progress: told how far it is.
    """
    tallies = {dataset: _Tally() for dataset in plan.cards}
    total = _Tally()
    several = list(models)
    for portion in _portions(in_prefix_order(_different(plan, tallies, total, progress), _text)):
        for item in portion:
            if item.new:
                tallies[item.dataset].include(item.text)
            if item.place.new:
                total.include(item.text)
        counted = [item for item in portion if item.place.new or item.place.begins]
        for tally in several:
            tally.include([item.prompt for item in counted], [item.place for item in counted])
    rows = [
        _row(dataset, len(plan.configurations), len(plan.examples[dataset]), plan.shots[dataset], tally)
        for dataset, tally in tallies.items()
    ]
    if len(rows) > 1:
        examples = sum(map(len, plan.examples.values()))
        rows.append(_row("total", len(plan.configurations), examples, None, total))
    return rows


@dataclass(slots=True)
class _Tally:
    keys: set[bytes] = field(default_factory=set)
    prompts: int = 0
    tokens: int = 0
    longest: int = 0
    characters: int = 0
    shared: int = 0
    before: str = ""

    def is_new(self, key: bytes) -> bool:
        """Take note of a request; whether it is the first with this key."""
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


def _different(
    plan: Plan, tallies: dict[str, _Tally], total: _Tally, progress: Progress | None
) -> Iterator[_Item]:
    """The plan's requests without those that a request before in their data set is equal to.

    Those with which a strategy of several calls begins are among them also where another has the same.
    """
    size, begun = plan.size, {design: set[bytes]() for design in plan.steps}
    for request in plan.requests():
        key = bytes.fromhex(request.key)
        new = total.is_new(key)
        if progress is not None and total.prompts % A_PORTION == 0:
            progress(total.prompts, size)
        design, stage = request.config.design, request.stage
        begins = stage == 0 and key not in begun.get(design, (key,))
        if begins:
            begun[design].add(key)
        here = tallies[request.dataset].is_new(key)
        if here or begins:
            place = Place(design, stage, new, begins)
            yield _Item(request.dataset, request.prompt, text_of(request.prompt), here, place)


def _text(item: _Item) -> str:
    return item.text


def _portions(items: Iterator[_Item]) -> Iterator[Sequence[_Item]]:
    while portion := list(islice(items, A_PORTION)):
        yield portion


def _row(
    dataset: str, configurations: int, examples: int, shots: int | None, tally: _Tally
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
