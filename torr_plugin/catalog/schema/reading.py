"""How a row becomes an example."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from ...core.validation import StrictModel
from ...synthesis.structural_questions import PARTITION
from .loaders import Column, Scalar, Text

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

    @model_validator(mode="before")
    @classmethod
    def _from_column(cls, value: Any) -> Any:
        return {"column": value} if isinstance(value, str) else value

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
        if self.as_json and not self.model_fields_set <= {"column", "as_json", "default"}:
            raise ValueError(
                "'as_json' writes the value as it is; expected 'column' and 'default' beside it alone"
            )
        return self


class ExampleId(StrictModel):
    """The id of an example: a column or the row's number, optionally prefixed with the split.

    With ``version``, the value of that column follows: the rows of one id are versions of one question, or
    the questions of one sequence.
    """

    column: Column | None = None
    version: Column | None = None
    with_split: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_column(cls, value: Any) -> Any:
        return {"column": value} if isinstance(value, str) else value


class TableOf(StrictModel):
    """How the table is read: a reader, and columns and fixed values as its arguments.

    Without a reader, ``columns`` has one entry, ``table``, whose column holds a table already (a
    generator's).
    """

    reader: Text | None = None
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


class StructureOf(StrictModel):
    """A structural question about each table, in place of the data set's own question.

    ``task`` is one of :data:`torr_plugin.synthesis.structural_questions.TASKS`; what it draws is seeded by
    ``seed``, the task and the group ``table``. A row then has the columns ``question``, ``answer`` and
    ``merged`` of the task. Further rows of a table, and tables that do not allow such questions, are skipped.
    ``table_partition`` needs text around the table: ``around`` names columns by what they are
    (``{"Description": "caption", "User query": "question"}``), and the row's columns ``before`` and ``after``
    have them in random order.
    """

    task: Text
    seed: int
    around: dict[Text, TextOf] = Field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are added to rows."""
        return ("question", "answer", "merged", *(("before", "after") if self.around else ()))

    @model_validator(mode="after")
    def _has_text_around(self) -> StructureOf:
        if bool(self.around) != (self.task == PARTITION):
            found = "none" if not self.around else f"some for the task {self.task!r}"
            raise ValueError(f"'around' has the text around the table for {PARTITION!r} alone; found {found}")
        return self


class RowReading(StrictModel):
    """How a row becomes an example.

    With a ``document`` and no ``table`` of its own, an example's table is the document's, as
    :class:`DocumentOf` says, or its first.
    ``facts`` are what a metric needs beside the references;
    ``properties`` are columns that hold JSON objects (of the ``table``, of the ``question``),
    ``measured`` names further properties of the table that are computed from it, those of
    :data:`torr_plugin.tables.properties.MEASURES`;
    ``structure`` asks how the table is built; ``carried_prompt`` holds the data set's own prompt, a list of
    messages as JSON or Python literal; ``recompute`` is a generator's column with functions that work out the
    answer from the table as shown; ``answer_cells`` is a column that names the cells that the answer rests on
    by their places, ``(6, 1)``, rows of the header counted: in lists, or in mappings as Python writes them.
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
    measured: list[Text] = Field(default_factory=list)
    carried_prompt: TextOf | None = None
    only: dict[Text, Text] = Field(default_factory=dict)
    unless: dict[Text, Scalar] = Field(default_factory=dict)
    longer_than: dict[Text, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    max_cells: Annotated[int, Field(gt=0)] | None = None
    structure: StructureOf | None = None
    recompute: Column | None = None
    answer_cells: Column | None = None

    @model_validator(mode="after")
    def _names_are_free(self) -> RowReading:
        reserved = {"table", "document", "example", "references", "reference", "target"}
        taken = sorted({*self.inputs} & reserved)
        if taken:
            raise ValueError(
                f"an input cannot be called {taken[0]!r}, which means something else in a template"
            )
        return self

    @model_validator(mode="after")
    def _shows_something(self) -> RowReading:
        if self.table is None and self.document is None:
            raise ValueError("the key 'table' is missing; expected it, or 'document', or both")
        return self

    @model_validator(mode="after")
    def _only_of_groups(self) -> RowReading:
        missing = [group for group in self.only if group not in self.groups]
        if missing:
            known = ", ".join(self.groups) or "none"
            raise ValueError(f"'only' chooses by the group {missing[0]!r}, but groups has {known}")
        return self

    @model_validator(mode="after")
    def _structure_knows_tables(self) -> RowReading:
        if self.structure is not None and "table" not in self.groups:
            known = ", ".join(self.groups) or "none"
            raise ValueError(
                f"'structure' asks once about each table; expected a group 'table', found {known}"
            )
        return self

    def columns(self) -> list[str]:
        """Every column of the data that is read; for a path into a struct, the struct's column."""
        chosen = [*self.unless, *self.longer_than, *self.properties.values()]
        shown = [each.columns.values() for each in (self.table, self.document) if each is not None]
        own = [self.id.column, self.id.version, self.recompute, self.answer_cells]
        paths = [*own, *chain.from_iterable(shown), *chosen]
        texts = [
            *self.inputs.values(),
            *self.references,
            *([self.target] if self.target else []),
            *self.groups.values(),
            *self.facts.values(),
            *([self.carried_prompt] if self.carried_prompt else []),
            *(self.structure.around.values() if self.structure else []),
        ]
        made = self.structure.columns if self.structure else ()
        read = [path.split(".")[0] for path in [*paths, *(text.column for text in texts)] if path]
        return [column for column in dict.fromkeys(read) if column not in made]
