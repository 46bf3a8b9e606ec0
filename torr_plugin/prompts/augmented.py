"""Designs composed of a base and what is added to its prompts: ``table_size+self_augmented+suc``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.errors import RecipeError
from .augmentations import Augmentation
from .design import Design, Shown, Step, places, refuse_documents

if TYPE_CHECKING:
    from ..catalog import Card, Template
    from .design import Configuration
    from .message import Prompt

SEPARATOR = "+"
"""Between the parts of a composed design's name."""

MOST_TOKENS = 400
"""The longest notes that a model may make, unless the study allows longer answers."""


class AugmentedDesign(Design):
    """The prompts of a base, with more about the table below the asked example.

    Demonstrations stay as they are.

    After "Table Meets LLM" (Sui et al. 2024, section 4). Facts are in all prompts that show the base's
    example. Notes take a call each, without demonstrations, since these show answers of the task; the calls
    are independent of each other, and the notes are in the base's last prompt. If all notes are empty it is
    the base's own. Prompts of a zero-shot example over a base of one user message begin alike, so that an
    engine with a prefix cache reads the table once.

    Args:
        name: the design's name.
        over: the base.
        augmentations: what is added, in this order.
        about: the design's first line in ``torr list designs``.

    Raises:
        RecipeError: the base sends prompts that are ready, or something would be added twice.
    """

    def __init__(
        self, name: str, over: Design, augmentations: Sequence[Augmentation], about: str = ""
    ) -> None:
        self.name, self.over, self.base, self.augmentations = name, over, over.name, tuple(augmentations)
        self.__doc__ = (
            about or f"As {over.name!r}, and {', and '.join(each.about for each in augmentations)}."
        )
        self.asks = tuple([ask for each in augmentations for ask in each.asks])
        self.facts = tuple([fact for each in augmentations for fact in each.facts])
        self._check()
        # the study's stop texts, such as a line break, are meant for answers and would cut the notes off
        notes = [Step(ask.name, max_tokens=MOST_TOKENS, until=()) for ask in self.asks]
        *others, last = over.steps
        after = (*last.after, *(ask.name for ask in self.asks))
        self.steps = (*notes, *others, replace(last, after=after))

    def _check(self) -> None:
        if self.over.carries:
            raise RecipeError(
                f"design {self.name!r}: {self.over.name!r} sends the data set's own prompts, to which "
                "nothing can be added; expected another design after the '+', such as 'default'"
            )
        below = self.over.facts if isinstance(self.over, AugmentedDesign) else ()
        steps = [*(ask.name for ask in self.asks), *(step.name for step in self.over.steps)]
        names = [*steps, *(fact.name for fact in (*self.facts, *below))]
        for name, times in Counter(names).items():
            if times > 1:
                raise RecipeError(
                    f"design {self.name!r}: its parts have {name!r} {times} times; "
                    "expected each step and each fact once"
                )

    def compared_with(self, among: Collection[str]) -> str | None:
        """The first that a study has of: all but the first part, further parts left out, the base.

        Else the same parts over the base's own base, as ``table_size+suc`` for ``table_size+suc_no_role``.
        """
        parts = self.name.split(SEPARATOR)
        shorter = [SEPARATOR.join(parts[start:]) for start in range(1, len(parts))]
        changed = [SEPARATOR.join([*parts[:-1], self.over.base])] if self.over.base and shorter else []
        return next((each for each in [*shorter, *changed] if each in among), self.base)

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse what the base refuses, and for facts a card without a table or with documents."""
        self.over.check(card, configuration)
        if self.facts:
            refuse_documents(self, card, configuration)
            if "table" not in places(self.template(card)):
                raise RecipeError(
                    f"{card.name}: configuration {configuration.id}: the card shows no table, about which "
                    f"{self.facts[0].name!r} could be said; expected the design {self.over.name!r}"
                )

    def template(self, card: Card) -> Template:
        """The base's."""
        return self.over.template(card)

    def marked(self, table: str) -> str:
        """As the base marks it."""
        return self.over.marked(table)

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The base's."""
        return self.over.source(template, table, fields)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The base's prompt with the facts, without notes."""
        return self.over.compose(self._with_facts(asked), demonstrations)

    def ask(self, asked: Shown, request: str) -> Prompt:
        """The base's prompt that asks for notes, with the facts."""
        return self.over.ask(self._with_facts(asked), request)

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The request for notes, or the base's first prompt with the facts."""
        request = next((each.request for each in self.asks if each.name == step.name), None)
        if request is not None:
            return self.ask(asked, request)
        return self._base_prompt(step, self._with_facts(asked), demonstrations, {})

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The base's prompt with the facts, and in the last step with the notes below them."""
        shown = self._with_facts(asked)
        notes = [(each.heading, answers[each.name].strip()) for each in self.asks if each.name in step.after]
        return self._base_prompt(step, _with_notes(shown, notes), demonstrations, answers)

    def final_answer(self, answer: str) -> str:
        """The base's."""
        return self.over.final_answer(answer)

    @property
    def scores_whole_answer(self) -> bool:
        """Whether the base's whole answer is scored."""
        return self.over.scores_whole_answer

    def _with_facts(self, asked: Shown) -> Shown:
        if asked.table is None:
            return asked
        return _with_notes(asked, [(each.heading, each.of(asked.table)) for each in self.facts])

    def _base_prompt(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        own = next(each for each in self.over.steps if each.name == step.name)
        if len(self.over.steps) == 1:
            return self.over.compose(asked, demonstrations)
        if own.after:
            earlier = {name: answers[name] for name in own.after}
            return self.over.follow(own, asked, demonstrations, earlier)
        return self.over.begin(own, asked, demonstrations)


def _with_notes(asked: Shown, notes: Sequence[tuple[str, str]]) -> Shown:
    """The example with what is known of its table below it, each under its heading; empty ones left out."""
    written = [f"\n\n{heading}: {text}" for heading, text in notes if text]
    return replace(asked, source=f"{asked.source}{''.join(written)}") if written else asked
