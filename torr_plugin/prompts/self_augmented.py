"""Self-augmented prompting: a model is asked about the table first, and then has its own words beside it."""

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
    """What a model is asked about a table before it does the task.

    ``heading`` stands before its words in the prompt of the task, ``request`` asks for them.
    """

    name: str
    heading: str
    request: str


# after table 6 of the paper, in words of our own
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
    """What the designs of self-augmented prompting share ("Table Meets LLM", Sui et al. 2024, section 4).

    Each kind of knowledge is a call of its own, without demonstrations, which show the task's answers; those
    of one example are asked side by side. The last call is the prompt of ``default`` with the model's words
    below the table. All begin alike, so that an engine with a prefix cache reads the table once where no
    demonstrations stand before it. Where the model had nothing to say, the prompt is that of ``default``.
    """

    asks: tuple[Knowledge, ...] = ()

    def __init__(self) -> None:
        names = tuple(each.name for each in self.asks)
        # a stop text of the study, a line's end for one, is for answers and would cut the notes
        first = [Step(name, max_tokens=MOST_TOKENS, until=()) for name in names]
        self.steps = (*first, Step(ANSWER, after=names))

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The example, and the question about its table."""
        request = next(each.request for each in self.asks if each.name == step.name)
        wanted = replace(asked, source=f"{asked.source}\n\n{request}", target_prefix=_NOTES)
        return self.compose(wanted, ())

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The prompt of ``default`` with what the model said below the example's table and question."""
        said = [
            f"\n\n{each.heading}: {answers[each.name].strip()}"
            for each in self.asks
            if answers[each.name].strip()
        ]
        source = f"{asked.source}{''.join(said)}\n" if said else asked.source
        return self.compose(replace(asked, source=source), demonstrations)


class SelfAugmentedDesign(SelfAugmented):
    """Two calls: the model names the table's critical values and ranges, then is asked with its own words."""

    name = "self_augmented"
    asks = (VALUES,)


class SelfAugmentedFormatDesign(SelfAugmented):
    """Two calls: the model explains the table's format, then is asked with its own words."""

    name = "self_augmented_format"
    asks = (FORMAT,)


class SelfAugmentedStructureDesign(SelfAugmented):
    """Two calls: the model describes the table's structure, then is asked with its own words."""

    name = "self_augmented_structure"
    asks = (STRUCTURE,)


class SelfAugmentedAllDesign(SelfAugmented):
    """Four calls: values, format and structure of the table side by side, then the task with all three."""

    name = "self_augmented_all"
    asks = (VALUES, FORMAT, STRUCTURE)
