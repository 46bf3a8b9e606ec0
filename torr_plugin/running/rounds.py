"""Designs of several calls ask in rounds: each asks what follows from the answers to the rounds before it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.errors import described

if TYPE_CHECKING:
    from ..prompts import Prompt, Step
    from ..recipes import Plan, Request, ScoreCell


def rounds_of(steps: Sequence[Step]) -> list[list[int]]:
    """The numbers of the steps that each round asks: a step comes a round after the last that it follows."""
    at: dict[str, int] = {}
    rounds: list[list[int]] = []
    for number, step in enumerate(steps):
        at[step.name] = 1 + max((at[name] for name in step.after), default=-1)
        rounds += [[] for _ in range(at[step.name] + 1 - len(rounds))]
        rounds[at[step.name]].append(number)
    return rounds


def follow_up(
    plan: Plan, cell: ScoreCell, step: Step, answers: Mapping[str, str], label: str
) -> Request | str:
    """The request of a step after the first round, or why there is none.

    A design may fail on what a model answered; that costs this cell only.
    """
    before = {name: answers[name] for name in step.after}
    try:
        request = plan.follow_up(cell, step, before, label)
        _check(request.prompt)
    except Exception as error:
        where = f"design {cell.config.design}, step {step.name}"  # quoted, status would hide it
        return f"{where}: the prompt cannot be built from the earlier answers: {described(error)}"
    return request


def _check(prompt: Prompt) -> None:
    """Refuse a prompt that cannot be stored or asked, so that it does not end the run."""
    if not prompt:
        raise ValueError("the design gave no message")
    for message in prompt:
        message.content.encode()


def refused_key(cell: ScoreCell, number: int) -> str:
    """The key of the answer that records why a step of a cell has no prompt; no prompt has this key."""
    return hashlib.sha256(f"refused {number} {cell.id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
