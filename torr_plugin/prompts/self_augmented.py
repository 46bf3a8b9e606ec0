"""Self-augmented prompting: ask a model about the table first, then add its notes to the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .basic_designs import DefaultDesign
from .design import Shown, Step
from .message import Prompt

MOST_TOKENS = 400
ANSWER = "answer"
_NOTES = "Notes:"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a model is asked about a table before the task.

    ``request`` asks for notes; ``heading`` introduces them in the prompt of the task.
    """

    name: str
    heading: str
    request: str


# after table 6 of the paper, in our own words
VALUES = Knowledge(
    "values",
    "Values and ranges that matter",
    "Do not do the task yet. First name the values and the ranges of values in the table that matter for it, "
    "in at most five sentences.",
)
FORMAT = Knowledge(
    "format",
    "How the table is written",
    "Do not do the task yet. First explain the format in which the table is written and what the table is "
    "about, in at most five sentences.",
)
STRUCTURE = Knowledge(
    "structure",
    "How the table is built",
    "Do not do the task yet. First describe how the table is built: its size, its headers, patterns and "
    "statistics of its values, in at most five sentences.",
)


class SelfAugmented(DefaultDesign):
    """Base of the self-augmented designs ("Table Meets LLM", Sui et al. 2024, section 4).

    Each kind of knowledge takes one call, without demonstrations, since these show answers of the task; the
    calls are independent of each other. The last call is the prompt of ``default`` with the model's notes
    below the table, or that of ``default`` alone if all notes are empty. All prompts of a zero-shot example
    begin alike, so that an engine with a prefix cache reads the table once.
    """

    asks: tuple[Knowledge, ...] = ()

    def __init__(self) -> None:
        names = tuple(each.name for each in self.asks)
        # the study's stop texts, such as a line break, are meant for answers and would cut the notes off
        first = [Step(name, max_tokens=MOST_TOKENS, until=()) for name in names]
        self.steps = (*first, Step(ANSWER, after=names))

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The example and the request for notes about its table."""
        request = next(each.request for each in self.asks if each.name == step.name)
        with_request = replace(asked, source=f"{asked.source}\n\n{request}", target_prefix=_NOTES)
        return self.compose(with_request, ())

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The prompt of ``default`` with the model's notes below the table and the question."""
        notes = [
            f"\n\n{each.heading}: {answers[each.name].strip()}"
            for each in self.asks
            if answers[each.name].strip()
        ]
        source = f"{asked.source}{''.join(notes)}\n" if notes else asked.source
        return self.compose(replace(asked, source=source), demonstrations)


class SelfAugmentedDesign(SelfAugmented):
    """Two calls: name the table's critical values and ranges, then do the task with these notes."""

    name = "self_augmented"
    asks = (VALUES,)


class SelfAugmentedFormatDesign(SelfAugmented):
    """Two calls: explain the table's format, then do the task with these notes."""

    name = "self_augmented_format"
    asks = (FORMAT,)


class SelfAugmentedStructureDesign(SelfAugmented):
    """Two calls: describe the table's structure, then do the task with these notes."""

    name = "self_augmented_structure"
    asks = (STRUCTURE,)


class SelfAugmentedAllDesign(SelfAugmented):
    """Four calls: values, format and structure of the table, then the task with all three notes."""

    name = "self_augmented_all"
    asks = (VALUES, FORMAT, STRUCTURE)
