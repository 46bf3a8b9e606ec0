"""Build the prompts of one card: draw demonstrations, perturb and write tables, fill in the template."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ..catalog.documents import PackedDocument, unpacked
from ..catalog.unitxt_examples import UnitxtExample
from ..core.caches import BoundedCache, IdentityCache
from ..core.errors import CardError, InputError, RecipeError
from ..core.seeds import generator
from ..tables import Table, perturbations, serializers
from ..tables.documents import Document
from ..tables.documents.document import BETWEEN_BLOCKS
from ..tables.perturbations.base import Perturbation, Unchanged, renamer
from ..tables.serializers import PictureSerializer
from ..tables.serializers.base import with_text
from .design import Configuration, Design, Shown, Step, carried_prompt, designs, places
from .fitting import Fitter
from .message import IMAGE, Prompt, check_pictures, check_prompt, spoil, without_places
from .unitxt_draw import UnitxtDraw, is_rectangular, perturb_as_unitxt, seeded_by_unitxt, text_of_unitxt

if TYPE_CHECKING:
    import numpy as np

    from ..catalog import Card, Example

# limits of a builder's caches: cells of perturbed tables, characters of written ones
MOST_CELLS = 1_000_000
MOST_CHARACTERS = 2_000_000


class PromptBuilder:
    """Build the prompts of one card.

    A table is perturbed with a generator seeded by (seed, data set, example, perturbation), so it looks the
    same wherever it is shown: in the question, in a demonstration, and in every format; of a document every
    table is, each with a generator of its own. Perturbed examples are cached, as every format shows them.

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
        shown_in: the configurations that must be able to show a demonstration: a demonstration that one of
            them refuses is skipped, and the next one drawn. Empty: such a one is an error of the prompts that
            show it. ``unitxt`` skips none.
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
        shown_in: Sequence[Configuration] = (),
    ) -> None:
        self.card, self.pool, self.seed, self.shots, self.draw = card, pool, seed, shots, draw
        self._fewer = fits
        self._shown_in = shown_in
        self._demonstrable: dict[str, Example | None] = {}
        self._drawn: dict[str, tuple[Example, ...]] = {}
        self._by_unitxt = self._unitxt_draw() if draw == "unitxt" and shots else None
        self._perturbed: IdentityCache[Example] = IdentityCache(
            MOST_CELLS, lambda each: _cells(each.table) + _document_cells(each.document)
        )
        self._writer = ContextWriter()
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
        with designs.blamed(design.name):
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
                cut=self._demonstration if self._fitter or self._shown_in else None,
                fewer=self._fewer,
            )
        return drawn if example.demonstrations is None else drawn[: example.demonstrations]

    def _demonstration(self, example: Example) -> Example | None:
        """What a demonstration shows; None for one that is skipped, as too long or refused."""
        if example.id not in self._demonstrable:
            shown = example if self._fitter is None else self._fitter.demonstration(example)
            try:
                if shown is not None:
                    self.check(shown, self._shown_in)
            except RecipeError:
                shown = None
            self._demonstrable[example.id] = shown
        return self._demonstrable[example.id]

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

    def is_shared(self, example: Example, configuration: Configuration) -> bool:
        """Whether an example's tables look alike in a configuration for all examples that share them."""
        return is_shared(example, perturbations.get(configuration.perturbation))

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
        self._perturbed.clear()
        self._writer.forget()

    def _show(self, example: Example, configuration: Configuration, design: Design) -> Shown:
        perturbed, name = self._perturb(example, configuration), configuration.serializer
        shown = ["table"]
        if perturbed.document is not None:  # what the template has places for: that, its table, or both
            shown = [each for each in places(design.template(self.card)) if each in ("document", "table")]
        written = {}
        try:
            if isinstance(serializers.get(name), PictureSerializer):
                perturbed = without_places(perturbed)
            for each in shown:
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
        with perturbations.registry.blamed(perturbation.name):
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


def _cells(table: Table) -> int:
    return table.n_rows * table.n_columns


def _document_cells(document: Document | None) -> int:
    """The cells of its tables; of a packed document, which takes little room, none."""
    return (
        0 if document is None or isinstance(document, PackedDocument) else sum(map(_cells, document.tables))
    )


Draw: TypeAlias = Literal["paired", "shared", "unitxt"]

_BLOCK = 16


def draw_demonstrations(
    example: Example,
    pool: Sequence[Example],
    *,
    card: Card,
    seed: int,
    shots: int,
    draw: Draw = "paired",
    cut: Callable[[Example], Example | None] | None = None,
    fewer: bool = False,
) -> tuple[Example, ...]:
    """The ``shots`` examples of ``pool`` that demonstrate ``example``, in the order they are shown.

    The pool is shuffled and its first ``shots`` eligible members are taken, so a draw of k is the start of
    a draw of n > k and shot counts are comparable. The example itself and examples of the same table
    (``groups["table"]``) or document (``groups["document"]``) are not eligible. With ``paired`` each example
    has its own order, seeded by (seed, data set, example). With ``shared`` all examples of a data set have
    the same order, seeded by (seed, data set); an example for which a member is not eligible skips it and
    takes the next. It also skips one that cannot be shown, or cut as short as it must be: ``cut`` gives None;
    with ``fewer`` there may be fewer than ``shots`` for that reason, even none.

    Raises:
        RecipeError: the pool has too few eligible examples (card, found, needed).
    """
    if shots == 0:
        return ()
    names = (example.id,) if draw == "paired" else ()
    order = _random_order(generator(seed, card.dataset, *names, "demonstrations"), len(pool))
    eligible = (pool[at] for at in order if _is_eligible(pool[at], example))
    chosen = tuple(islice(eligible if cut is None else filter(None, map(cut, eligible)), shots))
    if len(chosen) < shots and not (fewer and sum(_is_eligible(each, example) for each in pool) >= shots):
        own = "table" if example.document is None else "table or document"
        too_long = "" if cut is None else ", and what cannot be shown or cut to fit"
        raise RecipeError(
            f"{card.name}: split {card.demo_split!r} has {len(chosen)} examples that may demonstrate example "
            f"{example.id!r} (its own {own} is left out{too_long}), {shots} are needed; lower the shots"
        )
    return chosen


def _is_eligible(candidate: Example, example: Example) -> bool:
    if candidate is example or candidate.id == example.id:
        return False
    table, document = example.groups.get("table"), example.groups.get("document")
    if example.document is not None and document is not None and candidate.groups.get("document") == document:
        return False
    return table is None or candidate.groups.get("table") != table


def _random_order(generator: np.random.Generator, size: int) -> Iterator[int]:
    """The numbers below ``size`` in random order, drawn lazily: pools are large and shots few."""
    seen: set[int] = set()
    while len(seen) < size:
        for at in generator.integers(0, size, size=_BLOCK).tolist():
            if at not in seen:
                seen.add(at)
                yield at


def perturb_example(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """Perturb an example's table, and all tables of its document; rename words in all its texts alike.

    The answer of an example that knows how to ``recompute`` it is worked out from the perturbed table.

    The generator is seeded by (study seed, data set, example, perturbation), and in a document by the table's
    number too; ``perturb`` and ``renames`` each get a fresh one. An example of unitxt's own card is perturbed
    as unitxt does it, where that is reproducible.
    """
    if isinstance(example, UnitxtExample) and seeded_by_unitxt(perturbation.name):
        return perturb_as_unitxt(example, perturbation.name)
    if isinstance(perturbation, Unchanged):
        return example
    path = (dataset, example.id, perturbation.name)
    if example.document is not None:
        return _perturb_document(example, unpacked(example.document), perturbation, seed, path)
    changed = replace(example, table=perturbation.perturb(example.table, generator(seed, *path)))
    if isinstance(changed, UnitxtExample):
        changed = replace(changed, inputs={**changed.inputs, changed.table_input: changed.table.to_unitxt()})
    if renames_words(perturbation):
        return rename_words(changed, perturbation.renames(example.table, generator(seed, *path)))
    return _recomputed(changed)


def _perturb_document(
    example: Example, document: Document, perturbation: Perturbation, seed: int, path: tuple[str, ...]
) -> Example:
    own = example.evidence or 0  # the example's table is perturbed as it is in the document
    table = perturbation.perturb(example.table, generator(seed, *path, str(own)))
    tables = [
        perturbation.perturb(each, generator(seed, *path, str(number)))
        for number, each in enumerate(document.tables)
    ]
    changed = replace(example, table=table, document=document.with_tables(tables))
    if not renames_words(perturbation):
        return _recomputed(changed)
    renames: dict[str, str] = {}
    # where tables rename a word differently, the one that the question is about decides, then the first
    for number, each in [(own, example.table), *enumerate(document.tables)]:
        for old, new in perturbation.renames(each, generator(seed, *path, str(number))).items():
            renames.setdefault(old, new)
    return rename_words(changed, renames)


def perturb_table(example: Example, perturbation: Perturbation, seed: int, dataset: str) -> Example:
    """:func:`perturb_example`, but leave a document as it is where no other part depends on it."""
    if example.document is None or renames_words(perturbation) or isinstance(perturbation, Unchanged):
        return perturb_example(example, perturbation, seed, dataset)
    alone = replace(example, document=Document(()))
    changed = perturb_example(alone, perturbation, seed, dataset)
    return replace(changed, document=example.document)


def _recomputed(example: Example) -> Example:
    """The example with the answer that its table gives, where it can be worked out."""
    answer = example.recompute(example.table) if example.recompute else None
    return example if answer is None else replace(example, references=(answer,), target=answer)


def is_shared(example: Example, perturbation: Perturbation) -> bool:
    """Whether what is perturbed is the table alone, in a way that does not depend on the example."""
    return not (perturbation.draws or example.recompute or isinstance(example, UnitxtExample))


def changes_answers(example: Example, perturbation: Perturbation) -> bool:
    """Whether references and facts can differ under a perturbation."""
    return example.recompute is not None or renames_words(perturbation)


def renames_words(perturbation: Perturbation) -> bool:
    """Whether a perturbation overrides ``renames``."""
    return type(perturbation).renames is not Perturbation.renames


def rename_words(example: Example, renames: Mapping[str, str]) -> Example:
    """Replace words in an example's inputs, references, target, facts and texts, but not in its tables."""
    rename = renamer(renames)
    document = None if example.document is None else unpacked(example.document).with_words(rename)
    return replace(
        example,
        document=document,
        fields={name: rename(text) for name, text in example.fields.items()},
        references=tuple(map(rename, example.references)),
        target=rename(example.target),
        facts={name: _renamed_fact(text, rename) for name, text in example.facts.items()},
    )


def _renamed_fact(text: str, rename: Callable[[str], str]) -> str:
    """A fact with words renamed; in a JSON list only inside its texts, so that it stays JSON."""
    try:
        value = json.loads(text)
    except ValueError:
        return rename(text)
    if not isinstance(value, list):
        return rename(text)
    return json.dumps(_renamed(value, rename), ensure_ascii=False)


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, rename) for each in value]
    return rename(value) if isinstance(value, str) else value


def table_text(example: Example, serializer: str) -> str:
    """An example's table in a format.

    For tables of unitxt's own cards whose rows differ in length, formats ``torr.*`` call unitxt itself; our
    serializers, which write the same otherwise, cannot hold such tables.

    Raises:
        InputError: the table cannot be written in this format.
    """
    if isinstance(example, UnitxtExample) and serializer.startswith("torr."):
        table = example.inputs[example.table_input]
        if not is_rectangular(table):
            return text_of_unitxt(table, serializer)
    text = serializers.get(serializer).serialize(example.table)
    if not isinstance(text, str):
        raise TypeError(f"it gave {type(text).__name__}, expected text")
    return text


MOST_PICTURES = 50_000_000
"""Bytes of the pictures that are kept."""


class Written(NamedTuple):
    """A table or document as it stands in a prompt: its text with marks for pictures, and these."""

    text: str
    images: tuple[bytes, ...] = ()


class ContextWriter:
    """Writes tables and documents; the text or picture of a table that examples share is made once."""

    def __init__(self) -> None:
        self._texts: IdentityCache[str] = IdentityCache(MOST_CHARACTERS, len)
        # keyed by table, not by example: drawing is slow, and many questions may share one table
        self._pictures: BoundedCache[tuple[str, Table], bytes] = BoundedCache(MOST_PICTURES, len)

    def forget(self) -> None:
        """Clear the caches."""
        self._texts.clear()
        self._pictures.clear()

    def document(self, perturbed: Example, configuration: Configuration, design: Design) -> Written:
        """The document of a perturbed example.

        Raises:
            InputError: a table of it cannot be written so (the table's number, reason).
        """
        blocks = list(self.blocks(perturbed, configuration, design))
        images = tuple([image for block in blocks for image in block.images])
        return Written(BETWEEN_BLOCKS.join([block.text for block in blocks]), images)

    def blocks(self, perturbed: Example, configuration: Configuration, design: Design) -> Iterator[Written]:
        """Its blocks one by one; raises as :meth:`document`."""
        spoils, numbers = isinstance(serializers.get(configuration.serializer), PictureSerializer), count(1)
        for block in unpacked(perturbed.document).blocks if perturbed.document is not None else ():
            if not isinstance(block, Table):
                yield Written(spoil(block.text) if spoils else block.text)
                continue
            number = next(numbers)
            try:
                written = self.table(replace(perturbed, table=block, document=None), configuration)
            except InputError as refusal:
                raise InputError(f"table {number} of its document: {refusal}") from refusal
            yield Written(design.marked(written.text), written.images)

    def table(self, perturbed: Example, configuration: Configuration) -> Written:
        """The table as text; or as a picture, and as text where the serializer shows both.

        Raises:
            InputError: the table cannot be written so.
        """
        serializer = serializers.get(configuration.serializer)
        if not isinstance(serializer, PictureSerializer):
            return Written(self._text(perturbed, configuration))
        picture = self._draw(perturbed.table, serializer)
        name = serializer.text_format
        text = spoil(self._text(perturbed, replace(configuration, serializer=name))) if name else ""
        return Written(with_text(IMAGE, text), (picture,))

    def _text(self, perturbed: Example, configuration: Configuration) -> str:
        name = configuration.serializer
        with serializers.registry.blamed(name):
            if is_shared(perturbed, perturbations.get(configuration.perturbation)):
                return self._texts.made_of(perturbed.table, name, lambda: table_text(perturbed, name))
            return table_text(perturbed, name)

    def _draw(self, table: Table, serializer: PictureSerializer) -> bytes:
        name = serializer.name.removesuffix(f"+{serializer.text_format}")  # a text beside changes no picture
        with serializers.registry.blamed(name):
            return self._pictures.get((name, table), lambda: serializer.draw(table))


def write_example(
    example: Example, written: Mapping[str, Written], card: Card, design: Design, serializer: str
) -> Shown:
    """Fill the card's template with an example's fields and what was written, its ``table`` and ``document``.

    Raises:
        CardError: the template names a field that the example lacks, or is not a format string (card, field).
    """
    template = design.template(card)
    table, document = (written[name].text if name in written else "" for name in ("table", "document"))
    fields = example.fields if example.document is None else {**example.fields, "document": document}
    try:
        return Shown(
            instruction=_filled(template.instruction, fields, table),
            source=design.source(template, table, fields),
            target_prefix=_filled(template.target_prefix, fields, table),
            target=example.target,
            images=tuple([image for each in written.values() for image in each.images]),
            serializer=serializer,
            written=document or table,
            table=example.table,
        )
    except KeyError as missing:
        known = ", ".join(["table", *fields])
        raise CardError(
            f"{card.name}: the template asks for field {missing}; its examples have {known}"
        ) from missing
    except (IndexError, ValueError, AttributeError) as wrong:
        raise CardError(
            f"{card.name}: the template cannot be filled: {wrong}; expected places like {{table}}"
        ) from wrong


def _filled(text: str, fields: Mapping[str, str], table: str) -> str:
    return text.format(**fields, table=table) if "{" in text or "}" in text else text
