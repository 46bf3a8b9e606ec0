"""What a plan amounts to: prompts, tokens and shared beginnings, a row a data set. Calls no model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .planning import Plan
    from .request import Request

CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: a token for every four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take more (up to
    twice).
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


def summary(plan: Plan) -> list[dict[str, Any]]:
    """Count what a plan asks: a row a data set, and a last row with the total where there are several.

    Columns: ``dataset``, ``configurations``, ``examples``, ``shots``, ``prompts``, ``unique prompts``,
    ``estimated tokens`` (of the unique prompts, :func:`estimate_tokens`), ``longest prompt`` (estimated
    tokens), and ``shared beginning``: the percentage of the unique prompts' text that repeats the beginning
    of the prompt before, which an engine with a prefix cache need not read again.
    """
    tallies = {dataset: _tally(plan, dataset) for dataset in plan.cards}
    rows = [
        _row(dataset, len(plan.configurations), len(plan.examples[dataset]), plan.shots[dataset], tally)
        for dataset, tally in tallies.items()
    ]
    if len(rows) > 1:
        total = _Tally()
        for tally in tallies.values():
            total.include(tally)
        rows.append(
            _row("total", len(plan.configurations), sum(map(len, plan.examples.values())), None, total)
        )
    return rows


@dataclass(slots=True)
class _Tally:
    prompts: int = 0
    tokens: dict[str, int] = field(default_factory=dict)  # of each unique prompt, by its key
    characters: int = 0
    shared: int = 0

    def include(self, other: _Tally) -> None:
        self.prompts += other.prompts
        self.tokens |= other.tokens
        self.characters += other.characters
        self.shared += other.shared


def _tally(plan: Plan, dataset: str) -> _Tally:
    tally, before = _Tally(), ""
    for request in _of_dataset(plan, dataset):
        tally.prompts += 1
        if request.key in tally.tokens:
            continue
        text = _text(request.prompt)
        tally.tokens[request.key] = estimate_tokens(text)
        tally.characters += len(text)
        tally.shared += common_beginning(before, text)
        before = text
    plan.builder(dataset).forget()
    return tally


def _of_dataset(plan: Plan, dataset: str) -> Iterable[Request]:
    return (
        request
        for configuration in plan.configurations
        for request in plan.requests_of(dataset, configuration)
    )


def _row(
    dataset: str, configurations: int, examples: int, shots: int | None, tally: _Tally
) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "configurations": configurations,
        "examples": examples,
        "shots": "" if shots is None else shots,
        "prompts": tally.prompts,
        "unique prompts": len(tally.tokens),
        "estimated tokens": sum(tally.tokens.values()),
        "longest prompt": max(tally.tokens.values(), default=0),
        "shared beginning": f"{round(100 * tally.shared / tally.characters) if tally.characters else 0} %",
    }


def _text(prompt: Prompt) -> str:
    return "\n".join(message.content for message in prompt)


def common_beginning(one: str, other: str) -> int:
    """How many characters two texts have in common before they first differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
