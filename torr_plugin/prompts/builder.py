"""Build the prompts of one card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalog.documents import PackedDocument, unpacked
from ..core.caches import IdentityCache
from ..core.errors import InputError, RecipeError, blamed
from ..core.seeds import generator
from ..tables import Table, perturbations, serializers
from ..tables.perturbations.base import Unchanged
from ..tables.serializers import PictureSerializer
from .basic_designs import carried_prompt
from .demonstrations import Draw, UnitxtDraw, draw_demonstrations
from .design import Configuration, Design, Shown, Step, places
from .fitting import Fitter
from .message import Prompt, check_pictures, check_prompt, spoil, without_places
from .registered import designs
from .rendering import changes_answers, is_shared, perturb_example, renames_words
from .writing import ContextWriter, write_example

if TYPE_CHECKING:
    from ..catalog import Card, Example
    from ..catalog.unitxt_examples import UnitxtExample
    from ..tables.documents import Document
    from ..tables.perturbations.base import Perturbation

# limits of a builder's caches: cells of perturbed tables, characters of rendered examples
MOST_CELLS = 1_000_000
MOST_CHARACTERS = 20_000_000


class PromptBuilder:
    """Build the prompts of one card.

    A table is perturbed with a generator seeded by (seed, data set, example, perturbation), so it looks the
    same wherever it is shown: in the question, in a demonstration, and in every format; of a document every
    table is, each with a generator of its own. Perturbed tables and rendered examples are cached, so that
    demonstrations shared by many prompts are rendered once.

    Args:
        card: the data set and its template.
        pool: the examples to draw demonstrations from, usually the card's demonstration split.
        seed: the study's seed.
        shots: demonstrations per prompt, 0 or more.
        draw: ``paired`` or ``shared``, see :func:`draw_demonstrations`; or ``unitxt``, where the pool and
            the asked examples are :class:`UnitxtExample`, see :class:`UnitxtDraw`.
        most: the most characters of a prompt in each configuration: documents are cut to fit, those of
            demonstrations by themselves, those of asked examples by :meth:`cut`. None: no limit.
        tables: the most characters of a table in each configuration: rows are sampled to fit, and to fit
            ``most``, where they are cut. None: tables are whole.
        fits: whether only the demonstrations that fit ``most`` are shown, as :meth:`cut` finds.
    """

    def __init__(
        self,
        card: Card,
        pool: Sequence[Example],
        *,
        seed: int = 0,
        shots: int = 0,
        draw: Draw = "paired",
        most: Mapping[Configuration, int] | None = None,
        tables: Mapping[Configuration, int] | None = None,
        fits: bool = False,
    ) -> None:
        self.card, self.pool, self.seed, self.shots, self.draw = card, pool, seed, shots, draw
        self._fewer = fits
        self._drawn: dict[str, tuple[Example, ...]] = {}
        self._by_unitxt = self._unitxt_draw() if draw == "unitxt" and shots else None
        # what is made of an example, and of a table that several examples share
        self._perturbed: IdentityCache[Example] = IdentityCache(
            MOST_CELLS, lambda each: _cells(each.table) + _document_cells(each.document)
        )
        self._shown: IdentityCache[Shown] = IdentityCache(MOST_CHARACTERS, _characters)
        self._tables: IdentityCache[Table] = IdentityCache(MOST_CELLS // 10, _cells)
        # a document that several questions share
        self._changed: IdentityCache[Document] = IdentityCache(MOST_CELLS, _document_cells)
        self._writer = ContextWriter(MOST_CHARACTERS)
        self._fitter = Fitter(self, most, tables, fits=fits) if most or tables else None

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
            drawn = self._drawn[example.id] = draw_demonstrations(
                example,
                self.pool,
                card=self.card,
                seed=self.seed,
                shots=self.shots,
                draw=self.draw,
                cut=None if self._fitter is None else self._fitter.demonstration,
                fewer=self._fewer,
            )
        return drawn if example.demonstrations is None else drawn[: example.demonstrations]

    def cut(self, example: Example) -> Example:
        """The example with its document or table cut so that its prompts fit; itself where they do.

        Without limits they do; see :class:`.Fitter`. Where demonstrations are fitted the example says how
        many there is room for.

        Raises:
            RecipeError: it cannot be cut so far, or a configuration refuses a table of it.
        """
        return example if self._fitter is None else self._fitter.fitted(example)

    def table_text(self, example: Example, configuration: Configuration) -> str:
        """An example's table as it stands in a configuration's prompts; of pictures their marks.

        Raises:
            RecipeError: a serializer or perturbation refuses it.
        """
        perturbed = self._perturb(example, configuration)
        try:
            return self._writer.table(perturbed, configuration).text
        except InputError as refusal:
            raise self._refused(example, configuration, refusal) from refusal

    def block_texts(self, example: Example, configuration: Configuration) -> Iterator[str]:
        """The blocks of an example's document as they stand in a configuration's prompts.

        Raises:
            RecipeError: a serializer or perturbation refuses a table.
        """
        perturbed, design = self._perturb(example, configuration), designs.get(configuration.design)
        try:
            for block in self._writer.blocks(perturbed, configuration, design):
                yield block.text
        except InputError as refusal:
            raise self._refused(example, configuration, refusal) from refusal

    def check(self, example: Example, configurations: Iterable[Configuration]) -> None:
        """Refuse an example that some configuration cannot show.

        Raises:
            RecipeError: as :meth:`build`.
        """
        for configuration in configurations:
            self._show(example, configuration, designs.get(configuration.design))

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
        for cache in (self._perturbed, self._shown, self._tables, self._changed):
            cache.clear()
        self._writer.forget()

    def _show(self, example: Example, configuration: Configuration, design: Design) -> Shown:
        return self._shown.made_of(
            example, configuration.id, lambda: self._write(example, configuration, design)
        )

    def _write(self, example: Example, configuration: Configuration, design: Design) -> Shown:
        perturbed, name = self._perturb(example, configuration), configuration.serializer
        # of an example with a document what the template has places for: that, its table, or both
        shown = [each for each in places(design.template(self.card)) if each in ("document", "table")]
        written = {}
        try:
            if isinstance(serializers.get(name), PictureSerializer):
                perturbed = without_places(perturbed)
            for each in ["table"] if perturbed.document is None else shown:
                written[each] = (
                    self._writer.document(perturbed, configuration, design)
                    if each == "document"
                    else self._writer.table(perturbed, configuration)
                )
        except InputError as refusal:
            raise self._refused(example, configuration, refusal) from refusal
        return write_example(perturbed, written, self.card, design, name)

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
                document = self._changed_document(example, perturbation)
                same = table is example.table and document is example.document
                perturbed = example if same else replace(example, table=table, document=document)
            else:
                perturbed = perturb_example(example, perturbation, self.seed, self.card.dataset)
            if not isinstance(perturbed.table, Table):
                raise TypeError(f"it gave {type(perturbed.table).__name__}, expected a Table")
            return perturbed

    def _changed_document(self, example: Example, perturbation: Perturbation) -> Document | None:
        """The example's document under a perturbation that draws nothing, made once for all its examples."""
        if example.document is None or isinstance(perturbation, Unchanged):
            return example.document
        document = example.document
        return self._changed.made_of(
            document,
            perturbation.name,
            lambda: unpacked(document).with_tables(
                [perturbation.perturb(table, generator(0, perturbation.name)) for table in document.tables]
            ),
        )

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


def _cells(table: Table) -> int:
    return table.n_rows * table.n_columns


def _document_cells(document: Document | None) -> int:
    """The cells of its tables; of a packed document, which takes little room, none."""
    return (
        0 if document is None or isinstance(document, PackedDocument) else sum(map(_cells, document.tables))
    )


def _characters(shown: Shown) -> int:
    return len(shown.source) + len(shown.instruction) + len(shown.target) + sum(map(len, shown.images))
