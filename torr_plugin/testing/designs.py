"""What a design, or a strategy, promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .running import fails

if TYPE_CHECKING:
    from ..prompts import Design, Prompt, Shown

_SAID = ("", "Sophia", "no idea\n\nat all {table} <b>")


def check_design(design: Design) -> None:
    """Check a design on examples with none, one and three demonstrations.

    Every prompt of the last step holds the table and the question that are asked, and the demonstrations'
    answers, but not the answer itself; the same is asked the same. One of several steps has a prompt for
    each, whatever the model said before.

    Args:
        design: the design or strategy.

    Raises:
        AssertionError: what it does not keep.
    """
    from ..prompts import check_follows, check_steps

    fails(not getattr(design, "name", ""), "a design has a name of its own; found none")
    try:
        check_steps(design.name, design.steps)
        check_follows(design)
    except ValueError as error:
        raise AssertionError(str(error)) from error
    for count in (0, 1, 3):
        for said in _SAID:
            _check(design, _shown("asked"), [_shown(f"shown{number}") for number in range(count)], said)


def _check(design: Design, asked: Shown, demonstrations: list[Shown], said: str) -> None:
    prompts = list(_prompts(design, asked, demonstrations, said))
    fails(prompts != list(_prompts(design, asked, demonstrations, said)), f"{design.name!r} asks at random")
    text = "\n".join(message.content for message in prompts[-1])
    for part in ("asked-cell", "asked-question", *(each.target for each in demonstrations)):
        fails(part not in text, f"{design.name!r}: the prompt of its last step lacks {part!r}: {text!r}")
    fails(asked.target in text, f"{design.name!r}: the prompt holds the answer that is asked: {text!r}")


def _prompts(design: Design, asked: Shown, demonstrations: list[Shown], said: str) -> Iterator[Prompt]:
    from ..prompts.message import check_prompt

    for step in design.steps:
        answers = dict.fromkeys(step.after, said)
        try:
            if step.after:
                prompt = design.follow(step, asked, demonstrations, answers)
            elif len(design.steps) > 1:
                prompt = design.begin(step, asked, demonstrations)
            else:
                prompt = design.compose(asked, demonstrations)
            check_prompt(prompt)
        except Exception as error:
            raise AssertionError(
                f"{design.name!r}: step {step.name!r}: {type(error).__name__}: {error}; expected a prompt"
            ) from error
        yield prompt


def _shown(name: str) -> Shown:
    from ..prompts import Shown

    source = f"Table:\n| {name}-cell |\n\nQuestion: {name}-question"
    return Shown("Answer.", source, "Answer: ", f"{name}-target")
