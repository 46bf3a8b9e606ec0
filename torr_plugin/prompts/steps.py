"""The steps of a strategy that asks a model several times: a graph, given as an ordered list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.errors import RecipeError


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a strategy.

    Attributes:
        name: by which later steps have its answer.
        after: the steps whose answers its prompt is made of; none for a step that begins.
        max_tokens: how long its answer may be; the study's ``max_tokens`` where that is more, or where None.
        until: the texts at which its answer ends; None for the study's.
    """

    name: str
    after: tuple[str, ...] = ()
    max_tokens: int | None = None
    until: tuple[str, ...] | None = None

    def changes(self, generation: Mapping[str, Any]) -> dict[str, Any] | None:
        """The parameters in which the step differs from the study's ``generation``; None where in none."""
        changed: dict[str, Any] = {}
        if self.max_tokens is not None and self.max_tokens > (generation.get("max_tokens") or 0):
            changed["max_tokens"] = self.max_tokens
        if self.until is not None and list(self.until) != list(generation.get("until") or ()):
            changed["until"] = list(self.until)
        return changed or None


Steps: TypeAlias = "tuple[Step, ...]"

ONE_STEP: Steps = (Step("answer"),)
"""The steps of a design that asks once."""


def first_steps(steps: Sequence[Step]) -> list[int]:
    """The stages (a step's place in the list) of the steps that begin."""
    return [stage for stage, step in enumerate(steps) if not step.after]


def ready_steps(steps: Sequence[Step], answered: Collection[str], begun: Collection[int]) -> list[int]:
    """The stages that can be asked now: what they come after is ``answered``, and they are not ``begun``."""
    return [
        stage
        for stage, step in enumerate(steps)
        if stage not in begun and all(name in answered for name in step.after)
    ]


def check_steps(design: str, steps: Sequence[Step]) -> None:
    """Refuse steps that are no graph with one end.

    Each step stands behind those it comes after, so that there is no circle; the last is what is scored, and
    every other one leads to it.

    Raises:
        RecipeError: design, step, what was found and what is expected.
    """
    if not steps:
        raise RecipeError(f"design {design!r} has no steps; expected at least one")
    names: set[str] = set()
    for step in steps:
        _check_step(design, step, names)
        names.add(step.name)
    used = {name for step in steps for name in step.after}
    for step in steps[:-1]:
        if step.name not in used:
            raise RecipeError(
                f"design {design!r}: no step comes after {step.name!r}, and it is not the last; "
                f"expected every step to lead to the last, {steps[-1].name!r}"
            )


def _check_step(design: str, step: Step, before: Collection[str]) -> None:
    if not step.name or step.name in before:
        raise RecipeError(
            f"design {design!r}: found a step called {step.name!r}, as one before it or by no name; "
            "expected a name of its own"
        )
    for name in step.after:
        if name not in before:
            raise RecipeError(
                f"design {design!r}: step {step.name!r} comes after {name!r}, which does not stand before "
                f"it; expected any of {', '.join(sorted(before)) or 'none, as it is the first'}"
            )
    if step.max_tokens is not None and step.max_tokens < 1:
        raise RecipeError(
            f"design {design!r}: step {step.name!r} has max_tokens {step.max_tokens}; expected at least 1"
        )
