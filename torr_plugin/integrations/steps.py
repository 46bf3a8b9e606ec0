"""Designs of several calls inside other harnesses, which send a prompt once and take one text for it.

In: cells of a plan, and a way to ask a model. The steps are taken in rounds, as ``torr run`` takes them: a
round asks what can be asked of all cells, equal prompts once. Out: each cell's steps with the answers, which
a harness keeps as the text of :func:`steps_text`; :func:`scored_text` finds what is scored in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from ..core.errors import InputError
from ..core.texts import split_thoughts
from ..core.validation import shown, validate
from ..prompts import Message, Prompt, Step, designs
from ..prompts.design import ONE_STEP
from ..prompts.message import Role
from ..recipes import Configuration, Plan, Request, ScoreCell
from ..running.answer import storable_text
from ..running.rounds import follow_up, rounds_of
from ..scoring.run_answers import final_answer

STEPS = "torr_steps"
"""The key under which a harness's text has the steps."""

FAILURE = "failure"
"""The key that says in an annotation of HELM's why there are no steps."""


def steps_of(config: Configuration) -> tuple[Step, ...]:
    """The steps of a configuration's design; one call where no such design is here."""
    return designs.get(config.design).steps if config.design in designs else ONE_STEP


def takes_steps(config: Configuration) -> bool:
    """Whether a configuration's design takes several calls."""
    return len(steps_of(config)) > 1


class TakenStep(NamedTuple):
    """A step's name, its request, and the model's answer."""

    name: str
    request: Request
    answer: str


class TakenSteps(NamedTuple):
    """A cell's steps in the order of the design's; ``failure`` says why there are fewer."""

    steps: tuple[TakenStep, ...]
    failure: str | None

    def text(self) -> str:
        """The steps as a harness keeps them."""
        return steps_text(
            LoggedStep.of(name, asked.key, asked.prompt, said) for name, asked, said in self.steps
        )


def take_steps(
    planned: Plan, cells: Iterable[ScoreCell], ask: Callable[[list[Request]], Sequence[str | None]]
) -> dict[ScoreCell, TakenSteps]:
    """Take the steps of cells.

    Args:
        planned: the plan that has the cells.
        cells: in designs of any number of steps.
        ask: the answers to the requests of a round, None for one that failed.

    Raises:
        RecipeError: a first prompt cannot be built.
    """
    known: dict[str, str | None] = {}
    refused: dict[ScoreCell, str] = {}
    taken: dict[ScoreCell, dict[int, Request]] = {cell: {} for cell in cells}
    for number in range(max((len(rounds_of(steps_of(cell.config))) for cell in taken), default=0)):
        fresh: dict[str, Request] = {}
        for cell, before in taken.items():
            for made in _of_round(planned, cell, number, before, known):
                if isinstance(made, str):
                    refused[cell] = made
                    continue
                before[made.stage] = made
                if made.key not in known:
                    fresh[made.key] = made
        answers = ask(list(fresh.values())) if fresh else ()
        for key, text in zip(fresh, answers, strict=True):
            known[key] = None if text is None else storable_text(split_thoughts(text).text)
    return {cell: _taken(cell, of_cell, known, refused.get(cell)) for cell, of_cell in taken.items()}


def _of_round(
    planned: Plan,
    cell: ScoreCell,
    number: int,
    before: Mapping[int, Request],
    known: Mapping[str, str | None],
) -> list[Request | str]:
    """A cell's requests of a round, or why there is none; none after a step without an answer."""
    if number == 0:
        example = planned.example(cell.dataset, cell.example)
        return [*planned.requests_of(cell.dataset, cell.config, [example])]
    steps = steps_of(cell.config)
    rounds = rounds_of(steps)
    said = {steps[stage].name: known[request.key] for stage, request in before.items()}
    texts = {name: text for name, text in said.items() if text is not None}
    if number >= len(rounds) or len(texts) < sum(map(len, rounds[:number])):
        return []
    return [follow_up(planned, cell, steps[stage], texts, "") for stage in rounds[number]]


def _taken(
    cell: ScoreCell, requests: Mapping[int, Request], known: Mapping[str, str | None], refused: str | None
) -> TakenSteps:
    steps = steps_of(cell.config)
    said = {stage: known.get(request.key) for stage, request in sorted(requests.items())}
    taken = [
        TakenStep(steps[stage].name, requests[stage], text)
        for stage, text in said.items()
        if text is not None
    ]
    whole = len(taken) == len(steps)
    return TakenSteps(tuple(taken), None if whole else refused or "the model gave no text")


# -- what a harness keeps --------------------------------------------------------------------------------


class LoggedTurn(BaseModel):
    """A message of a prompt as a harness keeps it; of pictures the text keeps the marks."""

    model_config = ConfigDict(frozen=True, strict=True)

    role: Role
    content: str


class LoggedStep(BaseModel):
    """A step as a harness keeps it.

    Attributes:
        step: its name.
        key: of the request.
        prompt: the text of its one message of the user's, or the messages.
        answer: the model's.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    step: str
    key: str
    prompt: str | list[LoggedTurn]
    answer: str

    @classmethod
    def of(cls, name: str, key: str, prompt: Prompt, answer: str) -> LoggedStep:
        """A step that was taken; of pictures the prompt keeps the marks alone."""
        if len(prompt) == 1 and prompt[0].role == "user":
            return cls(step=name, key=key, prompt=prompt[0].content, answer=answer)
        turns = [LoggedTurn(role=each.role, content=each.content) for each in prompt]
        return cls(step=name, key=key, prompt=turns, answer=answer)

    @property
    def messages(self) -> Prompt:
        """The prompt; its pictures were not kept."""
        if isinstance(self.prompt, str):
            return (Message("user", self.prompt),)
        return tuple(Message(each.role, each.content) for each in self.prompt)


class _Log(BaseModel):
    torr_steps: list[LoggedStep]


def steps_text(steps: Iterable[LoggedStep]) -> str:
    """The steps of a cell as one text, JSON."""
    return json.dumps({STEPS: [each.model_dump(mode="json") for each in steps]}, ensure_ascii=False)


def logged_steps(config: Configuration, text: str, where: str) -> list[LoggedStep]:
    """The steps in what a harness keeps of a cell, the last one last.

    Args:
        config: of the cell; of a design of one call there are none.
        text: the harness's answer.
        where: of whose answer, for messages.

    Raises:
        InputError: a single answer, as of a model that was asked the first step alone.
        UnknownNameError: no such design is here.
    """
    found = _parsed(text)
    if not takes_steps(config):
        if found is not None:
            designs.get(config.design)
        return []
    names = [step.name for step in steps_of(config)]
    if found is not None:
        steps = validate(_Log, found, where).torr_steps
        if [each.step for each in steps] == names:
            return steps
    raise InputError(
        f"{where}: design {config.design!r} takes {len(names)} calls ({', '.join(names)}); found the answer "
        f"{shown(text)}, to one of them; expected those to all of them: see docs/harnesses.md"
    )


def _parsed(text: str) -> dict[str, Any] | None:
    if STEPS not in text:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and STEPS in found else None


def scored_text(config: Configuration, text: str, where: str) -> str:
    """The part of a harness's answer that is scored: of the last step's what the design says.

    One that ended in its thoughts stays whole, and so scores 0.

    Args:
        config: the cell's configuration.
        text: the answer; of a design of several calls that of :func:`steps_text`.
        where: as for :func:`logged_steps`.

    Raises:
        InputError: as :func:`logged_steps`.
    """
    steps = logged_steps(config, text, where)
    said = split_thoughts(steps[-1].answer if steps else text)
    return text if said.unfinished else final_answer(config.design, said.text)
