"""Build the prompts of one card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.errors import InputError, RecipeError, blamed
from ..core.seeds import generator
from ..tables import Table, perturbations, serializers
from ..tables.serializers import Picture, PictureSerializer
from ..tables.serializers.base import picture_places
from ..tables.table import Styles
from .cache import BoundedCache, IdentityCache
from .carried import carried_prompt
from .demonstrations import Draw, UnitxtDraw, draw_demonstrations
from .design import Configuration, Design, Shown, Step, designs
from .message import IMAGE, Prompt, check_pictures, check_prompt, spoil, without_places
from .rendering import changes_answers, is_shared, perturb_example, renames_words, table_text, write_example

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..catalog.unitxt_examples import UnitxtExample
    from ..tables.perturbations.base import Perturbation

# limits of a builder's caches: cells of perturbed tables, characters of rendered examples
MOST_CELLS = 1_000_000
MOST_CHARACTERS = 20_000_000
MOST_PICTURES = 50_000_000  # bytes


class PromptBuilder:
    """Build the prompts of one card.

    A table is perturbed with a generator seeded by (seed, data set, example, perturbation), so it looks the
    same wherever it is shown: in the question, in a demonstration, and in every format. Perturbed tables and
    rendered examples are cached, so that demonstrations shared by many prompts are rendered once.

    Args:
        card: the data set and its template.
        pool: the examples to draw demonstrations from, usually the card's demonstration split.
        seed: the study's seed.
        shots: demonstrations per prompt, 0 or more.
        draw: ``paired`` or ``shared``, see :func:`draw_demonstrations`; or ``unitxt``, where the pool and
            the asked examples are :class:`UnitxtExample`, see :class:`UnitxtDraw`.
    """

    def __init__(
        self, card: Card, pool: Sequence[Example], *, seed: int = 0, shots: int = 0, draw: Draw = "paired"
    ) -> None:
        self.card, self.pool, self.seed, self.shots, self.draw = card, pool, seed, shots, draw
        self._drawn: dict[str, tuple[Example, ...]] = {}
        self._by_unitxt = self._unitxt_draw() if draw == "unitxt" and shots else None
        # what is made of an example, and of a table that several examples share
        self._perturbed: IdentityCache[Example] = IdentityCache(MOST_CELLS, lambda each: _cells(each.table))
        self._shown: IdentityCache[Shown] = IdentityCache(MOST_CHARACTERS, _characters)
        self._tables: IdentityCache[Table] = IdentityCache(MOST_CELLS // 10, _cells)
        self._texts: IdentityCache[str] = IdentityCache(MOST_CHARACTERS // 10, len)
        # keyed by table, not by example: drawing is slow, and many questions may share one table; and by its
        # styles, in which equal tables can differ
        self._pictures: BoundedCache[tuple[str, Table, Styles], tuple[Picture, ...]] = BoundedCache(
            MOST_PICTURES, _bytes
        )

    def build(
        self,
        example: Example,
        configuration: Configuration,
        step: Step | None = None,
        answers: Mapping[str, str] | None = None,
    ) -> Prompt:
        """Build the prompt of an example in a configuration.

        Args:
            example: the example to ask.
            configuration: serializer, perturbation and design.
            step: a step of the design; the first by default.
            answers: the model's answers to the steps before ``step``, by step name.

        Raises:
            RecipeError: a serializer or perturbation refuses a table (the message has card, example,
                configuration and reason), or the pool has too few examples.
            CardError: the template names a field that the example lacks.
            UnknownNameError: a serializer, perturbation or design is not registered.
        """
        design = designs.get(configuration.design)
        if design.carries:
            design.check(self.card, configuration)
            return carried_prompt(example, self.card)
        demonstrations = self.demonstrations(example, configuration)
        shown = [self._show(each, configuration, design) for each in demonstrations]
        asked = self._show(example, configuration, design)
        has_steps = len(design.steps) > 1
        with blamed("design", design.name, designs.origin(design.name)):
            prompt = (
                _step_prompt(design, step, asked, shown, answers)
                if has_steps
                else design.compose(asked, shown)
            )
            check_prompt(prompt)
        return check_pictures(prompt, [*shown, asked], configuration, some=has_steps)

    def demonstrations(
        self, example: Example, configuration: Configuration | None = None
    ) -> tuple[Example, ...]:
        """The demonstrations of ``example``, in the order they are shown.

        They are the same in every configuration, except with the draw ``unitxt``, where they depend on the
        perturbation (without a configuration: ``none``).

        Raises:
            RecipeError: the pool has too few examples (card, found, needed).
        """
        if self._by_unitxt is not None:
            return self._by_unitxt.draw(example, configuration.perturbation if configuration else "none")
        drawn = self._drawn.get(example.id)
        if drawn is None:
            drawn = draw_demonstrations(
                example, self.pool, card=self.card, seed=self.seed, shots=self.shots, draw=self.draw
            )
            self._drawn[example.id] = drawn
        return drawn

    def refusal(self, example: Example, configurations: Iterable[Configuration]) -> RecipeError | None:
        """Why some configuration cannot show the table of an example; None where all can."""
        for configuration in configurations:
            try:
                self._show(example, configuration, designs.get(configuration.design))
            except RecipeError as refused:
                return refused
        return None

    def references(self, example: Example, configuration: Configuration) -> tuple[str, ...]:
        """The references in a configuration: perturbed where that changes answers."""
        if not changes_answers(example, perturbations.get(configuration.perturbation)):
            return example.references
        return self._perturb(example, configuration).references

    def facts(self, example: Example, configuration: Configuration) -> Mapping[str, str]:
        """The metric's facts about the original table, with words renamed as in the references."""
        if not example.facts or not renames_words(perturbations.get(configuration.perturbation)):
            return example.facts
        return self._perturb(example, configuration).facts

    def forget(self) -> None:
        """Clear the caches of tables and texts; prompts stay the same."""
        for cache in (self._perturbed, self._shown, self._tables, self._texts, self._pictures):
            cache.clear()

    def _show(self, example: Example, configuration: Configuration, design: Design) -> Shown:
        return self._shown.made_of(
            example, configuration.id, lambda: self._write(example, configuration, design)
        )

    def _write(self, example: Example, configuration: Configuration, design: Design) -> Shown:
        perturbed, name = self._perturb(example, configuration), configuration.serializer
        try:
            serializer = serializers.get(name)
            if isinstance(serializer, PictureSerializer):
                return self._picture(perturbed, configuration, design, serializer)
            text = self._text(perturbed, configuration)
        except InputError as refusal:
            raise self._refused(example, configuration, refusal) from refusal
        return write_example(perturbed, text, self.card, design, serializer=name)

    def _picture(
        self, perturbed: Example, configuration: Configuration, design: Design, serializer: PictureSerializer
    ) -> Shown:
        """The example with its table as pictures, and as text where the serializer shows both."""
        pictures = self._draw(perturbed.table, serializer)
        name = serializer.text_format
        text = spoil(self._text(perturbed, replace(configuration, serializer=name))) if name else ""
        return write_example(
            without_places(perturbed),
            picture_places(pictures, [IMAGE] * len(pictures), text),
            self.card,
            design,
            images=tuple([picture.png for picture in pictures]),
            serializer=configuration.serializer,
        )

    def _text(self, perturbed: Example, configuration: Configuration) -> str:
        name = configuration.serializer
        with blamed("serializer", name, serializers.origin(name)):
            if is_shared(perturbed, perturbations.get(configuration.perturbation)):
                return self._texts.made_of(perturbed.table, name, lambda: table_text(perturbed, name))
            return table_text(perturbed, name)

    def _draw(self, table: Table, serializer: PictureSerializer) -> tuple[Picture, ...]:
        name = serializer.name.removesuffix(f"+{serializer.text_format}")  # a text beside changes no picture
        with blamed("serializer", name, serializers.origin(name)):
            return self._pictures.get((name, table, table.styles), lambda: serializer.pictures(table))

    def _perturb(self, example: Example, configuration: Configuration) -> Example:
        name = configuration.perturbation
        try:
            return self._perturbed.made_of(
                example, name, lambda: self._perturbed_example(example, perturbations.get(name))
            )
        except InputError as refusal:
            raise self._refused(example, configuration, refusal) from refusal

    def _perturbed_example(self, example: Example, perturbation: Perturbation) -> Example:
        with blamed("perturbation", perturbation.name, perturbations.origin(perturbation.name)):
            if is_shared(example, perturbation):
                table = self._tables.made_of(
                    example.table,
                    perturbation.name,
                    # the perturbation draws nothing from the generator
                    lambda: perturbation.perturb(example.table, generator(0, perturbation.name)),
                )
                perturbed = example if table is example.table else replace(example, table=table)
            else:
                perturbed = perturb_example(example, perturbation, self.seed, self.card.dataset)
            if not isinstance(perturbed.table, Table):
                raise TypeError(f"it gave {type(perturbed.table).__name__}, expected a Table")
            return perturbed

    def _unitxt_draw(self) -> UnitxtDraw:
        def perturb(example: UnitxtExample, name: str) -> Example:
            return perturb_example(example, perturbations.get(name), self.seed, self.card.dataset)

        return UnitxtDraw(self.pool, self.shots, perturb, self.card.name)

    def _refused(self, example: Example, configuration: Configuration, refusal: InputError) -> RecipeError:
        return RecipeError(
            f"{self.card.name}: example {example.id!r} in configuration {configuration.id}: {refusal}"
        )


def _step_prompt(
    design: Design,
    step: Step | None,
    asked: Shown,
    demonstrations: Sequence[Shown],
    answers: Mapping[str, str] | None,
) -> Prompt:
    """The prompt of a step; an ``<image>`` in an earlier answer does not count as a picture."""
    step = step or design.steps[0]
    if not step.after:
        return design.begin(step, asked, demonstrations)
    earlier = {name: (answers or {})[name] for name in step.after}
    if asked.images:
        earlier = {name: spoil(text) for name, text in earlier.items()}
    return design.follow(step, asked, demonstrations, earlier)


def _bytes(pictures: Sequence[Picture]) -> int:
    return sum([len(picture.png) for picture in pictures])


def _cells(table: Table) -> int:
    return table.n_rows * table.n_columns


def _characters(shown: Shown) -> int:
    return len(shown.source) + len(shown.instruction) + len(shown.target) + sum(map(len, shown.images))
