"""Cells whose strategy takes several calls: the answers so far, and the calls that come next. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ...prompts import ready_steps

if TYPE_CHECKING:
    from ...prompts import Step
    from ...prompts.design import Steps
    from ...recipes import ScoreCell


class StepCall(NamedTuple):
    """A step of a cell that can be asked, with the answers to the steps before it."""

    cell: ScoreCell
    stage: int
    step: Step
    answers: dict[str, str]


@dataclass(slots=True)
class _State:
    steps: Steps
    begun: set[int] = field(default_factory=set)
    answers: dict[str, str] = field(default_factory=dict)


class MultiStepCells:
    """Holds the cells in progress; a cell is dropped with the answer to its last step, or with a failure.

    Several cells can wait for one key, and one cell for the same key in several steps.
    """

    def __init__(self) -> None:
        self._states: dict[ScoreCell, _State] = {}
        self._waiting: dict[str, list[tuple[ScoreCell, int]]] = {}

    def __len__(self) -> int:
        return len(self._states)

    @property
    def waits(self) -> bool:
        """Whether any cell waits for an answer."""
        return bool(self._waiting)

    def begin(self, cell: ScoreCell, steps: Steps, begun: Iterable[int] = ()) -> None:
        """Add a cell, or to a known one further stages that were ``begun``."""
        state = self._states.setdefault(cell, _State(steps))
        state.begun.update(begun)

    def wait(self, cell: ScoreCell, stage: int, key: str) -> None:
        """Note that a request of the cell, if that is in progress, has no answer yet."""
        state = self._states.get(cell)
        if state is not None:
            state.begun.add(stage)
            self._waiting.setdefault(key, []).append((cell, stage))

    def knows(self, cell: ScoreCell, stage: int) -> bool:
        """Whether the answer to a stage is known."""
        state = self._states.get(cell)
        return state is not None and state.steps[stage].name in state.answers

    def complete(self, cell: ScoreCell, stage: int, text: str) -> None:
        """Add the answer to a stage of a cell; the last one completes the cell."""
        state = self._states.get(cell)
        if state is None:
            return
        state.begun.add(stage)
        state.answers[state.steps[stage].name] = text
        if stage == len(state.steps) - 1:
            del self._states[cell]

    def close(self, cell: ScoreCell) -> None:
        """Drop a cell of which a step failed: nothing comes after it."""
        self._states.pop(cell, None)

    def add_answer(self, key: str, text: str | None) -> list[ScoreCell]:
        """Add the answer to a request, None where it failed; gives the cells that waited for it."""
        cells = []
        for cell, stage in self._waiting.pop(key, ()):
            cells.append(cell)
            if text is None:
                self.close(cell)
            else:
                self.complete(cell, stage, text)
        return list(dict.fromkeys(cells))

    def next(self, cell: ScoreCell) -> list[StepCall]:
        """The calls of a cell that can be made now, each once."""
        state = self._states.get(cell)
        if state is None:
            return []
        ready = [
            stage
            for stage in ready_steps(state.steps, state.answers, state.begun)
            if state.steps[stage].after  # those that begin are planned
        ]
        state.begun.update(ready)
        return [
            StepCall(cell, stage, step, {name: state.answers[name] for name in step.after})
            for stage, step in ((stage, state.steps[stage]) for stage in ready)
        ]
