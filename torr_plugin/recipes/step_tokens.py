"""How many tokens the answers to a design's steps may take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..prompts import designs

if TYPE_CHECKING:
    from ..prompts import Step
    from .models import ModelEntry


class StepTokens(NamedTuple):
    """The longest answer of each step of a design, and for each later step its own and its prompt's surplus.

    A later step's prompt is that of the first and the answers that it follows, at their longest. Answers
    without a limit count 0.
    """

    longest: tuple[int, ...]
    later: tuple[tuple[int, int], ...]

    @property
    def most(self) -> int:
        """The most tokens that answers add to a prompt of the design: its own, and those that it holds."""
        return max((*self.longest, *[answer + before for answer, before in self.later]))

    @classmethod
    def of(cls, design: str, generation: Mapping[str, Any], entry: ModelEntry | None = None) -> StepTokens:
        """Compute them for a design under a study's generation parameters, and a model's own."""
        steps = designs.get(design).steps

        def asked(step: Step) -> Mapping[str, Any]:
            changes = step.changes(generation) or {}
            return {**generation, **changes} if entry is None else entry.generation_under(generation, changes)

        longest = {step.name: int(asked(step).get("max_tokens") or 0) for step in steps}
        later = [
            (longest[step.name], sum(longest[name] for name in step.after)) for step in steps if step.after
        ]
        return cls(tuple(longest.values()), tuple(later))
