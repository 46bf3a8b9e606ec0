"""Cards: the schema of a card's file, every key with its type, and the values read from it.

The file is read here and by unitxt alike; :mod:`torr_plugin.integrations.unitxt.artifacts` has the unitxt
classes of the same names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from ..core.errors import CardError, DataError, UnknownNameError, nearest
from ..core.names import faithful_name
from ..core.validation import StrictModel, faults, listed
from ..tables import perturbations, readers
from ..tables.measures import measures
from .folders import (
    CardDocument,
    added_metrics,
    artifact,
    artifact_names,
    card_document,
    card_names,
    has_card,
    main_score,
    unitxt_file,
    unitxt_names,
)
from .generated import generators, table_questions
from .row_steps import ROW_STEPS


def _known(kind: str, names: Callable[[], Collection[str]]) -> AfterValidator:
    """Refuses a name that no thing of this kind has, with the nearest ones."""

    def check(name: str) -> str:
        known = names()
        if name not in known:
            raise UnknownNameError(kind, name, known)
        return name

    return AfterValidator(check)


def short_for(key: str) -> Any:
    """A validator that reads a bare text as a mapping with this key alone."""
    return model_validator(mode="before")(lambda value: {key: value} if isinstance(value, str) else value)


def _metric(name: str) -> str:
    known = {*artifact_names("metrics"), *added_metrics}
    if name not in known and unitxt_file(name) is None:
        raise UnknownNameError("metric", name, known)
    return name


def _processor(name: str) -> str:
    own = artifact_names("processors")
    if name not in own and unitxt_file(name) is None:
        theirs = [each for each in unitxt_names("processors") if each.count(".") == 1]
        raise ValueError(f"unitxt has no {name!r}; {nearest(name, [*own, *theirs])}")
    return name


def _card(name: str) -> str:
    if not has_card(f"cards.{name.removeprefix('cards.')}"):
        raise UnknownNameError("card", name, card_names())
    return name


def _task(text: str) -> str:
    match = _TASK.fullmatch(text)
    if match is None:
        raise ValueError(f"found {text!r}; expected a task, tasks.NAME or tasks.NAME[metrics=[metrics.NAME]]")
    if match["name"] not in (known := artifact_names("tasks")):
        raise UnknownNameError("task", match["name"], known)
    for name in _metrics_of(text):
        _metric(name)
    return text


def _metrics_of(task: str) -> tuple[str, ...]:
    """The metrics that a card names, e.g. ``metrics.torr.rouge``; empty for the task's own."""
    match = _TASK.fullmatch(task)
    named = match["metrics"] if match else None
    return tuple(name.strip() for name in named.split(",")) if named else ()


_TASK = re.compile(r"(?P<name>tasks\.[\w.]+)(\[metrics=\[(?P<metrics>[^\[\]]+)\]\])?")
_SHOWN = {"table", "document"}
"""Inputs that are no texts of a row."""

Question: TypeAlias = Annotated[str, _known("task", table_questions.names)]
"""A kind of structural question."""
Scalar: TypeAlias = "str | int | float | bool | None"
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
# a column's name, or a dotted path into a struct or list column, e.g. ``table.header``, ``pre_text.0``
Column: TypeAlias = Text


def _inside(place: str) -> str:
    if not re.fullmatch(r"\w[\w. -]*(/\w[\w. -]*)*", place):
        raise ValueError(f"found {place!r:.80}, expected names joined by '/', which lead out of no folder")
    return place


Place: TypeAlias = Annotated[Text, AfterValidator(_inside)]
"""A file or folder within a mirror, without its suffix."""


class HubFile(StrictModel):
    """A JSON file of the data set's repository, for one that the ``datasets`` library cannot read.

    It holds a list of rows, under the key ``rows`` if it has one: objects, or lists whose items ``fields``
    names in order. ``path`` has ``{split}`` in place of the hub's split. The values of ``as_text`` are kept
    as JSON text, because their parts have different types, which a Parquet column cannot hold.
    """

    path: Text
    rows: Text | None = None
    fields: list[Text] = Field(default_factory=list)
    as_text: list[Text] = Field(default_factory=list)


class Hub(StrictModel):
    """Where the data set is on the Hugging Face hub.

    ``replace`` undoes escapes that the hub's version has and the mirror's has not; applied to every text of a
    row.
    """

    path: Text
    data_dir: Text | None = None
    revision: Text | None = None
    replace: dict[Text, str] = Field(default_factory=dict)
    file: HubFile | None = None


class Mix(StrictModel):
    """A source split whose rows are randomly assigned to the card's splits with these ``shares``.

    The same as unitxt's ``split_random_mix``, seeded by the name of the source split.
    """

    of: Text
    shares: dict[Text, Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1)


class Split(StrictModel):
    """One split: the mirror's file (without ``.parquet``) and the hub's splits, in order."""

    mirror: Place
    hub: list[Text] = Field(default_factory=list)


class RepositoryFiles(StrictModel):
    """A column with the content of a file of the data set's repository, which the column ``name`` names.

    ``paths`` are the file's paths there, ``{name}`` in place of the name, the best first: of those that exist
    for all versions of a table the first is taken. Text formats (HTML, CSV, LaTeX, Markdown) become text,
    others bytes. A mirror has all of them in one Parquet file, ``mirror``: columns ``path``, ``content``.
    """

    mirror: Place
    name: Text
    column: Text
    paths: list[Annotated[str, StringConstraints(pattern=r"^[^{}]*\{name\}[^{}]*$")]] = Field(min_length=1)


class _Loader(StrictModel):
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])


class TableLoader(_Loader):
    """Rows from the mirror or the hub; without ``hub``, from a mirror alone.

    Columns that are ``optional`` are empty where the data lack them. Applied in this order: ``rows``, one of
    :data:`torr_plugin.catalog.row_steps.ROW_STEPS`, makes rows of rows; ``where`` keeps those whose columns
    have these values; ``files`` adds files to each; ``mix`` assigns them to splits.
    """

    type_: Literal["load_tables"] = Field(alias="__type__")
    mirror: Place
    hub: Hub | None = None
    columns: list[Text] = Field(min_length=1)
    optional: list[Text] = Field(default_factory=list)
    splits: dict[Text, Split] = Field(min_length=1)
    rows: Annotated[str, _known("row step", lambda: list(ROW_STEPS))] | None = None
    where: dict[Text, Scalar] = Field(default_factory=dict)
    files: RepositoryFiles | None = None
    mix: Mix | None = None

    def on_hub(self, card: str) -> Hub:
        """Its place there; ``card`` is whose it is.

        Raises:
            DataError: it is in a mirror alone.
        """
        if self.hub is None:
            raise DataError(
                f"{card}: its data are not on the Hugging Face hub, and TORR_DATA is not set; expected "
                f"'export TORR_DATA=DIR', where DIR is the folder with {self.mirror}/ in it"
            )
        return self.hub

    @model_validator(mode="after")
    def _hub_has_the_splits(self) -> TableLoader:
        for name, split in self.splits.items():
            if bool(split.hub) != (self.hub is not None):
                found, expected = ("some", "'hub' of the loader too") if split.hub else ("none", "them")
                raise ValueError(f"splits.{name}.hub: found {found} of the hub's splits; expected {expected}")
        return self

    @model_validator(mode="after")
    def _mix_makes_the_splits(self) -> TableLoader:
        if self.mix is not None and set(self.mix.shares) != set(self.splits):
            raise ValueError(
                f"mix.shares are of {', '.join(self.mix.shares)}; "
                f"expected the splits: {', '.join(self.splits)}"
            )
        return self


class SplitTables(StrictModel):
    """Of which split of each card, by its name or as what the card says it is, and how many; null for all."""

    of: Text
    count: Annotated[int, Field(gt=0)] | None = None


class StructuralLoader(_Loader):
    """A structural question about each table of other cards, or of a sample of them.

    ``cards`` are read as they read themselves, from the mirror or the hub. ``task`` is one of
    the questions that papers' rooms and plugins bring; what it draws is seeded by ``seed``, the task
    and the table's name. Of the tables that allow the task, with at most ``max_cells`` cells below the
    header, a split takes all, or a number balanced over cards, and within each card over sizes, none twice.
    Around a table of ``table_partition`` stand its title and of each kind at most so many ``texts``,
    questions or statements, in random order.

    Rows have the columns ``id``, ``table_id``, ``table``, ``source`` (the card), ``size``, ``question``,
    ``answer``, ``merged``, ``before`` and ``after``. Of several cards, ids begin with the card's name.
    """

    type_: Literal["load_structural"] = Field(alias="__type__")
    task: Question
    seed: int
    cards: list[Annotated[str, AfterValidator(_card)]] = Field(min_length=1)
    splits: dict[Text, SplitTables] = Field(min_length=1)
    max_cells: Annotated[int, Field(gt=0)] | None = None
    texts: Annotated[int, Field(gt=0)] = 3


MOST_GENERATED = 100_000


def _kept_in_memory(splits: dict[str, int]) -> dict[str, int]:
    if (total := sum(splits.values())) > MOST_GENERATED:
        raise ValueError(f"found {total:,} examples together; expected at most {MOST_GENERATED:,}")
    return splits


class GeneratedLoader(_Loader):
    """Rows from a generator; ``splits`` gives the number of examples, all of which are kept in memory."""

    type_: Literal["load_generated"] = Field(alias="__type__")
    generator: Annotated[str, _known("generator", generators.names)]
    seed: int
    splits: Annotated[
        dict[Text, Annotated[int, Field(gt=0)]], Field(min_length=1), AfterValidator(_kept_in_memory)
    ]


CardRows: TypeAlias = TableLoader | GeneratedLoader | StructuralLoader
"""Where a card's rows come from."""


Described: TypeAlias = Literal["table", "question"]


class TextOf(StrictModel):
    """A text made from a column.

    ``map`` its values to words, ``replace`` in it, ``split`` and ``join`` it again. A column of lists is
    joined with ``join``; so is a column of texts that are lists as Python writes them, with ``literal``.
    ``before`` keeps the text before its first occurrence. Applied in the order literal, map, before, replace,
    split, join.
    """

    column: Column
    literal: bool = False
    map: dict[str, str] | None = None
    before: Text | None = None
    replace: dict[Text, str] = Field(default_factory=dict)
    split: Text | None = None
    join: str | None = None

    @cached_property
    def is_whole(self) -> bool:
        """Whether a value's text is used unchanged: not cut, replaced or split."""
        return self.before is None and not self.replace and self.split is None

    _short = short_for("column")

    @model_validator(mode="after")
    def _split_is_joined(self) -> TextOf:
        if self.split is not None and self.join is None:
            raise ValueError("'split' needs 'join', which says how the parts are written")
        return self


class FactOf(TextOf):
    """A text made from a column; with ``as_json`` its value as JSON; bytes are written in Base64.

    ``default`` is the text where the column's value is null or empty; without a column, of every example.
    """

    column: Column = ""
    as_json: bool = False
    default: Text | None = None

    @model_validator(mode="after")
    def _is_of_something(self) -> FactOf:
        if not self.column and (self.default is None or self.model_fields_set != {"default"}):
            raise ValueError("the key 'column' is missing; without it, expected a 'default' alone")
        return self


class ExampleId(StrictModel):
    """The id of an example: a column or the row's number, optionally prefixed with the split.

    With ``version``, the value of that column follows: the rows of one id are versions of one question, or
    the questions of one sequence.
    """

    column: Column | None = None
    version: Column | None = None
    with_split: bool = False

    _short = short_for("column")


class TableOf(StrictModel):
    """How the table is read: a reader, and columns and fixed values as its arguments.

    Without a reader, ``columns`` has one entry, ``table``, whose column holds a table already (a
    generator's).
    """

    reader: Annotated[str, _known("reader", readers.names)] | None = None
    columns: dict[Text, Column] = Field(min_length=1)
    values: dict[Text, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _reads_something(self) -> TableOf:
        if self.reader is None and (set(self.columns) != {"table"} or self.values):
            raise ValueError(
                "without a reader, 'columns' has the one entry 'table' and there are no 'values'"
            )
        return self


class DocumentOf(StrictModel):
    """How an example's document is read: a reader, and columns as its arguments.

    ``content`` holds a filing's HTML (the reader ``filing``), Markdown or a document's JSON; ``title``, if
    there, the document's name. Without a reader ``document`` holds a document already (a generator's).
    ``table`` is the number of the table that the question is about, counted from 0 in the document's order;
    null where the data do not say.
    """

    reader: Literal["filing", "markdown", "json"] | None = None
    columns: dict[Literal["content", "document", "title", "table"], Column]

    @model_validator(mode="after")
    def _reads_something(self) -> DocumentOf:
        expected = "document" if self.reader is None else "content"
        if {"content", "document"} & set(self.columns) != {expected}:
            reads = f"the reader {self.reader!r} reads" if self.reader else "without a reader it reads"
            found = ", ".join(self.columns) or "none"
            raise ValueError(f"{reads} a column {expected!r} of 'columns', found {found}")
        return self


class RowReading(StrictModel):
    """How a row becomes an example.

    With a ``document`` and no ``table`` of its own, an example's table is the document's, as
    :class:`DocumentOf` says, or its first.
    ``facts`` are what a metric needs beside the references;
    ``properties`` are columns that hold JSON objects (of the ``table``, of the ``question``),
    ``measured`` names further properties of the table that are computed from it, those of
    :data:`torr_plugin.tables.measures.measures`;
    ``carried_prompt`` holds the data set's own prompt, a list of
    messages as JSON or Python literal; ``recompute`` is a generator's column with functions that work out the
    answer from the table as shown.
    Rows are skipped that have a value named in ``unless``, lists with no more elements than ``longer_than``,
    groups with other values than those in ``only``, or a table with more than ``max_cells`` cells below the
    header.
    """

    type_: Literal["read_example"] = Field(alias="__type__")
    id: ExampleId
    table: TableOf | None = None
    document: DocumentOf | None = None
    inputs: dict[Text, TextOf] = Field(default_factory=dict)
    references: list[TextOf] = Field(min_length=1)
    target: TextOf | None = None
    groups: dict[Text, TextOf] = Field(default_factory=dict)
    facts: dict[Text, FactOf] = Field(default_factory=dict)
    properties: dict[Described, Column] = Field(default_factory=dict)
    measured: list[Annotated[str, _known("measured property", measures.names)]] = Field(default_factory=list)
    carried_prompt: TextOf | None = None
    only: dict[Text, Text] = Field(default_factory=dict)
    unless: dict[Text, Scalar] = Field(default_factory=dict)
    longer_than: dict[Text, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    max_cells: Annotated[int, Field(gt=0)] | None = None
    recompute: Column | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> RowReading:
        reserved = {"table", "document", "example", "references", "reference", "target"}
        if taken := sorted({*self.inputs} & reserved):
            raise ValueError(
                f"an input cannot be called {taken[0]!r}, which means something else in a template"
            )
        if self.table is None and self.document is None:
            raise ValueError("the key 'table' is missing; expected it, or 'document', or both")
        known = ", ".join(self.groups) or "none"
        if missing := [group for group in self.only if group not in self.groups]:
            raise ValueError(f"'only' chooses by the group {missing[0]!r}, but groups has {known}")
        return self


class CardTemplate(StrictModel):
    """How an example is put into words; a unitxt template.

    An example is shown as ``input_format`` with ``target_prefix`` on a separate line below it. A
    demonstration shows the card's target: for ``multi_reference_template`` the first reference.
    """

    type_: Literal[
        "input_output_template", "input_output_template_with_custom_target", "multi_reference_template"
    ] = Field(alias="__type__")
    instruction: str = ""
    input_format: Text
    target_prefix: Text
    output_format: Literal["{target}"] | None = None
    reference: Literal["{reference}"] | None = None
    references_field: Literal["references"] | None = None
    postprocessors: list[Annotated[str, AfterValidator(_processor)]]

    @model_validator(mode="after")
    def _has_its_own_formats(self) -> CardTemplate:
        expected = {
            "input_output_template": ("output_format",),
            "input_output_template_with_custom_target": ("output_format", "reference"),
            "multi_reference_template": ("references_field",),
        }[self.type_]
        for key in ("output_format", "reference", "references_field"):
            if (getattr(self, key) is not None) != (key in expected):
                raise ValueError(
                    f"a template of type {self.type_!r} has {' and '.join(map(repr, expected))} and no other"
                )
        return self


class UnitxtCardRef(StrictModel):
    """Unitxt's own card of the same data, whose template the design ``torr`` uses.

    ``fields`` maps unitxt's inputs to ours where names differ; ours for the table is ``table``.
    """

    card: Annotated[str, StringConstraints(pattern=r"^cards\.[\w.]+$")]
    fields: dict[Text, Text] = Field(default_factory=dict)


Need: TypeAlias = Literal["required", "partial", "none"]


class Skills(StrictModel):
    """The skills that a data set takes, as in Table 1 of the ToRR paper (section 2).

    ``knowledge_extraction``: finding fields, relations, entities in the table; ``textual_reasoning``:
    concluding from text and table together; ``numerical_reasoning``: calculating, comparing numbers.
    """

    knowledge_extraction: Need
    textual_reasoning: Need
    numerical_reasoning: Need


class Subset(StrictModel):
    """A subset that is also a card: the examples whose groups have these values."""

    description: Text
    where: dict[Text, Text] = Field(min_length=1)


class CardFile(StrictModel):
    """A card: one hand-written JSON file."""

    type_: Literal["table_card"] = Field(alias="__type__")
    description: Text = Field(alias="__description__")
    tags: dict[str, Any] = Field(alias="__tags__", default_factory=dict)
    licence: Text
    skills: Skills
    main_metric: Text
    spellings: dict[Text, list[Text]] = Field(default_factory=dict)
    keeps_labels: list[Annotated[str, _known("perturbation", perturbations.names)]]
    notes: list[Text] = Field(default_factory=list)
    demo_split: Text | None = None
    test_split: Text
    subsets: dict[Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")], Subset] = Field(
        default_factory=dict
    )
    unitxt: UnitxtCardRef | None = None
    loader: Annotated[CardRows, Field(discriminator="type_")]
    preprocess_steps: Annotated[list[RowReading], Field(min_length=1, max_length=1)]
    task: Annotated[str, AfterValidator(_task)]
    templates: Annotated[list[CardTemplate], Field(min_length=1, max_length=1)]

    @model_validator(mode="after")
    def _parts_fit(self) -> CardFile:
        problems = [
            *self._splits_that_are_not(),
            *self._targets_without_template(),
            *self._spellings_of_two_labels(),
            *self._inputs_that_do_not_fit(),
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def _splits_that_are_not(self) -> Iterator[str]:
        splits = self.loader.splits
        for key, name in (("demo_split", self.demo_split), ("test_split", self.test_split)):
            if name is not None and name not in splits:
                yield f"{key} {name!r} is not among the loader's splits: {', '.join(splits)}"

    def _spellings_of_two_labels(self) -> Iterator[str]:
        of: dict[str, str] = {}
        for label, others in self.spellings.items():
            for spelling in (label, *others):
                other = of.setdefault(spelling.casefold(), label)
                if other != label:
                    yield f"spellings: {spelling!r} is one of {other!r} and of {label!r}; expected one label"

    def _targets_without_template(self) -> Iterator[str]:
        single = self.template.type_ != "multi_reference_template"
        if single and len(self.reading.references) != 1:
            yield f"several references need a 'multi_reference_template', found {self.template.type_!r}"
        custom = self.template.type_ == "input_output_template_with_custom_target"
        if custom != (self.reading.target is not None):
            yield (
                "'target' of read_example goes with a template of type "
                "'input_output_template_with_custom_target'"
            )

    def _inputs_that_do_not_fit(self) -> Iterator[str]:
        """Inputs that are not the task's, and inputs that the template names and there are not."""
        named = artifact(self.task_name)
        documents = {"document"} if self.reading.document else set[str]()
        inputs = {"table", *documents, *self.reading.inputs}
        expected = {*named["input_fields"]} - {*named.get("standard_fields", ()), *named.get("defaults", ())}
        if documents != expected & {"document"}:
            which = "with" if documents else "without"
            yield (
                f"task: found {self.task_name}; expected a task {which} an input 'document', as in "
                "read_example"
            )
        if inputs - _SHOWN != expected - _SHOWN:
            yield (
                f"preprocess_steps.0.inputs: found {', '.join(sorted(inputs - _SHOWN)) or 'none'}, "
                f"expected {', '.join(sorted(expected - _SHOWN))}, the inputs of {self.task_name}"
            )
        if self.reading.facts and "facts" not in named["reference_fields"]:
            yield f"preprocess_steps.0.facts: expected none, for {self.task_name} has no field 'facts'"
        for key in ("instruction", "input_format", "target_prefix"):
            text, where = getattr(self.template, key), f"templates.0.{key}"
            try:
                fields = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
            except ValueError as error:
                yield f"{where}: not a format: {error}, found {text!r}"
                continue
            yield from (
                f"{where}: unknown input {field!r}; {nearest(field, inputs)}"
                for field in fields
                if field not in inputs
            )
            if key == "input_format" and not _SHOWN & {*fields}:
                yield f"{where}: found no {{table}}{' and no {document}' if documents else ''} in {text!r}"

    @property
    def reading(self) -> RowReading:
        """The one preprocessing step."""
        return self.preprocess_steps[0]

    @property
    def template(self) -> CardTemplate:
        """The one template."""
        return self.templates[0]

    @property
    def task_name(self) -> str:
        """The task without its metrics, e.g. ``tasks.torr.table_qa``."""
        return self.task.partition("[")[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that the card names, or its task's."""
        return _metrics_of(self.task) or tuple(artifact(self.task_name)["metrics"])


@dataclass(frozen=True)
class Template:
    """How an example is put into words.

    Attributes:
        instruction: what to do, written once before everything else.
        input_format: the example's text, with ``{table}`` and the inputs in :attr:`Example.fields`.
        target_prefix: the last line of the prompt, which the answer continues.
        output_format: the format of a demonstration's answer.
        postprocessors: names of unitxt's postprocessors, applied to answers before scoring.
    """

    instruction: str
    input_format: str
    target_prefix: str
    output_format: str
    postprocessors: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """A data set: where it is loaded from, how it is read, asked and scored.

    Attributes:
        name: e.g. ``cards.hctqa.real``; a card given by path is named after its file.
        dataset: the name without ``cards.``.
        metrics: names without ``metrics.`` and ``metrics.torr.``.
        main_metric: the score, one of those that the metrics give, that represents the data set.
        keeps_labels: the perturbations under which the references stay right.
        skills: ``knowledge_extraction``, ``textual_reasoning``, ``numerical_reasoning``, each ``required``,
            ``partial`` or ``none``.
        notes: remarks of the card's author, including reasons for ``keeps_labels``.
        tags: as unitxt's cards have them: ``task_categories``, ``language`` ...
        unitxt: unitxt's own card of the same data, if there is one.
        spellings: other words for its labels, which the lenient score alone takes for them.
        demo_split: the split of the demonstrations; None for a card without any.
        path: the card's file.
        fingerprint: a hash of the file's content, not of its layout; without ``spellings``, which change no
            prompt and none of the publisher's scores.
    """

    name: str
    description: str
    licence: str
    metrics: tuple[str, ...]
    main_metric: str
    keeps_labels: tuple[str, ...]
    skills: Mapping[str, str] = field(hash=False)
    notes: tuple[str, ...]
    template: Template
    demo_split: str | None
    test_split: str
    path: Path = field(compare=False)
    fingerprint: str
    loader: CardRows = field(repr=False)
    reading: RowReading = field(repr=False)
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    unitxt: UnitxtCardRef | None = field(default=None, hash=False, repr=False)
    spellings: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False, repr=False)

    @property
    def dataset(self) -> str:
        """The data set's name: ``hctqa.real`` of ``cards.hctqa.real``."""
        return self.name.removeprefix("cards.")

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits' names."""
        return tuple(self.loader.splits)


def load_card(card: str | Path) -> Card:
    """Load a card by name (``cards.wikitq`` or ``wikitq``), or from a JSON file.

    ``cards.hctqa.real.census`` is the subset ``census`` that the file of ``cards.hctqa.real`` describes.

    Raises:
        UnknownNameError: no such card; the nearest names are given.
        CardError: the file cannot be read or is invalid: file, field, found, expected.
    """
    found = card_document(card)
    whole = read_card_file(found.content if found.whole is None else found.whole, found.where)
    if found.whole is None:
        return _card_of(whole, found, _fingerprint_of(found.content))
    # a hash of the whole's and the subset's name, as runs have recorded it
    fingerprint = _fingerprint(f"{_fingerprint_of(found.whole)} {found.name.rpartition('.')[2]}")
    return _card_of(read_card_file(found.content, found.where), found, fingerprint)


def _fingerprint_of(document: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key != "spellings"}
    return _fingerprint(json.dumps(kept, sort_keys=True, separators=(",", ":")))


def sources_of(loader: StructuralLoader, card: str) -> list[Card]:
    """The cards that a card takes its tables from.

    Raises:
        CardError: one of them takes its tables from other cards itself.
        UnknownNameError: no such card.
    """
    sources = [load_card(name) for name in loader.cards]
    for source in sources:
        if source.loader.type_ == "load_structural":
            raise CardError(
                f"{card}: loader.cards: {source.name} takes its tables from other cards; name those"
            )
    return sources


def _card_of(file: CardFile, document: CardDocument, fingerprint: str) -> Card:
    return Card(
        name=document.name,
        description=file.description,
        licence=file.licence,
        metrics=tuple(map(_bare, file.metrics)),
        main_metric=file.main_metric,
        keeps_labels=tuple(file.keeps_labels),
        skills=file.skills.model_dump(),
        notes=tuple(file.notes),
        template=_template(file.template),
        demo_split=file.demo_split,
        test_split=file.test_split,
        path=document.path,
        fingerprint=fingerprint,
        loader=file.loader,
        reading=file.reading,
        tags=file.tags,
        unitxt=file.unitxt,
        spellings=file.spellings,
    )


def _template(template: CardTemplate) -> Template:
    return Template(
        instruction=template.instruction,
        input_format=template.input_format,
        target_prefix=template.target_prefix,
        output_format=template.output_format or "{target}",
        postprocessors=tuple(template.postprocessors),
    )


def _bare(metric: str) -> str:
    return metric.removeprefix("metrics.").removeprefix("torr.")


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_card_file(document: Any, where: str) -> CardFile:
    """Validate a card's JSON document.

    Args:
        document: of the card.
        where: what messages begin with.

    Raises:
        CardError: invalid fields: file, and of each of them field, found, expected.
    """
    try:
        return CardFile.model_validate_json(json.dumps(document))
    except RecursionError:
        raise CardError(f"{where}: not a card: lists or objects nested too deep") from None
    except ValidationError as error:
        found = listed(
            faults(error, CardFile, document), lambda fault: f"{fault.field or 'the card'}: {fault.message}"
        )
        raise CardError(f"{where}: {found}") from None


def with_metrics(card: Card, metrics: Sequence[str] | None) -> Card:
    """Replace a card's metrics; None keeps them.

    Names may start with ``metrics.`` or ``metrics.torr.``. The main score stays the same where one of them is
    a metric of the card's or has this main score, and is else the main score of the first. The fingerprint
    changes, as the scores do. Whether the metrics exist is checked when answers are scored.
    """
    if metrics is None:
        return card
    named = tuple(map(_bare, metrics))
    mains = [main_score(name) for name in named]
    stays = faithful_name(card.main_metric) in mains or not {*named}.isdisjoint(card.metrics)
    main = card.main_metric if stays or not mains[0] else mains[0]
    fingerprint = _fingerprint(" ".join([card.fingerprint, *named]))
    return replace(card, metrics=named, main_metric=main, fingerprint=fingerprint)
