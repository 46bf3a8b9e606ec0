"""How many characters prompts have, for what is cut to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .design import Configuration
from .registered import designs

if TYPE_CHECKING:
    from ..catalog import Example
    from .builder import PromptBuilder

_ANY_ANSWER = "."  # of a step of a design, where a later one's prompt is measured


def longest_prompt(builder: PromptBuilder, example: Example, configuration: Configuration) -> int:
    """Characters of the longest prompt of the design's steps, earlier answers left out.

    Raises:
        RecipeError: the prompt cannot be built.
    """
    lengths = []
    for step in designs.get(configuration.design).steps:
        answers = dict.fromkeys(step.after, _ANY_ANSWER)
        prompt = builder.build(example, configuration, step, answers)
        lengths.append(sum([len(message.content) for message in prompt]) + len(prompt) - 1)
    return max(lengths)
