"""What a card file says: every key a card may have, with its type. Unknown keys are refused.

The file is read here and by unitxt alike; :mod:`.unitxt_artifacts` has the unitxt classes of the same names.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Scalar: TypeAlias = "str | int | float | bool | None"
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Need: TypeAlias = Literal["required", "partial", "none"]
# a column's name, or a dotted path into a struct or list column, e.g. ``table.header``, ``pre_text.0``
Column: TypeAlias = Text

_TASK = re.compile(r"(?P<name>tasks\.[\w.]+)(\[metrics=\[(?P<metrics>[^\[\]]+)\]\])?")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class HubFile(_Strict):
    """A JSON file of the data set's repository, for one that the ``datasets`` library cannot read.

    It holds a list with one row each: an object, or a list whose places ``fields`` names in order. ``path``
    has ``{split}`` where the hub's split stands. The values of ``as_text`` are kept as JSON text, because
    their parts have different types, which a Parquet column cannot hold.
    """

    path: Text
    fields: list[Text] = Field(default_factory=list)
    as_text: list[Text] = Field(default_factory=list)


class Hub(_Strict):
    """Where the data set is on the Hugging Face hub.

    ``replace`` undoes escapes that the hub's version has and the mirror's has not; applied to every text of a
    row.
    """

    path: Text
    config: Text | None = None
    data_dir: Text | None = None
    revision: Text | None = None
    replace: dict[Text, str] = Field(default_factory=dict)
    file: HubFile | None = None


class Mix(_Strict):
    """A split of the data dealt out by chance, each row to one of the card's splits with these ``shares``.

    Exactly unitxt's ``split_random_mix``, seeded by the name of the split that is dealt out.
    """

    of: Text
    shares: dict[Text, Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _deals_out_all(self) -> Mix:
        total = sum(self.shares.values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"'shares' add up to {total:g}, expected 1")
        return self


class Split(_Strict):
    """One split: the mirror's file (without ``.parquet``) and the hub's splits, in order."""

    mirror: Text
    hub: list[Text] = Field(min_length=1)


class LoadTables(_Strict):
    """Rows from the mirror or the hub.

    ``where`` keeps the rows whose columns have these values. ``each`` makes a row of every element of its
    list columns, which are equally long: ``{"name": "header"}`` adds the column ``name``. ``mix`` deals the
    rows out to the splits. In this order.
    """

    type_: Literal["load_tables"] = Field(alias="__type__")
    mirror: Text
    hub: Hub
    columns: list[Text] = Field(min_length=1)
    splits: dict[Text, Split] = Field(min_length=1)
    where: dict[Text, Scalar] = Field(default_factory=dict)
    each: dict[Text, Text] = Field(default_factory=dict)
    mix: Mix | None = None
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])

    @model_validator(mode="after")
    def _each_has_its_columns(self) -> LoadTables:
        missing = [column for column in self.each.values() if column not in self.columns]
        if missing:
            raise ValueError(f"'each' takes {missing[0]!r}, but columns has only {', '.join(self.columns)}")
        return self

    @model_validator(mode="after")
    def _mix_makes_the_splits(self) -> LoadTables:
        if self.mix is not None and set(self.mix.shares) != set(self.splits):
            raise ValueError(
                f"mix.shares are of {', '.join(self.mix.shares)}; "
                f"expected the splits: {', '.join(self.splits)}"
            )
        return self


class LoadGenerated(_Strict):
    """Rows made by one of the project's own generators; ``splits`` gives the number of examples."""

    type_: Literal["load_generated"] = Field(alias="__type__")
    generator: Text
    seed: int
    splits: dict[Text, Annotated[int, Field(gt=0)]] = Field(min_length=1)
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])


class TextOf(_Strict):
    """A text made of a column.

    ``map`` its values to words, ``replace`` in it, ``split`` and ``join`` it again. A column of lists is
    joined with ``join``. ``before`` keeps what stands before its first occurrence. Applied in the order map,
    before, replace, split, join.
    """

    column: Column
    map: dict[str, str] | None = None
    before: Text | None = None
    replace: dict[Text, str] = Field(default_factory=dict)
    split: Text | None = None
    join: str | None = None

    @cached_property
    def is_whole(self) -> bool:
        """Whether a value's text is taken as it is: nothing cut off, replaced or split."""
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
    """A text made of a column; with ``as_json`` the column's value, a list say, written as JSON instead."""

    as_json: bool = False

    @model_validator(mode="after")
    def _json_is_left_alone(self) -> FactOf:
        if self.as_json and self.model_fields_set != {"column", "as_json"}:
            raise ValueError(
                "'as_json' writes the value as it is; expected no other key but 'column' beside it"
            )
        return self


class ExampleId(_Strict):
    """What names an example: a column, or the number of its row; where needed with the split before it."""

    column: Column | None = None
    with_split: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_column(cls, value: Any) -> Any:
        return {"column": value} if isinstance(value, str) else value


class TableOf(_Strict):
    """How the table is read: a reader with the columns and the fixed values that are its arguments.

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


class ConstantOf(_Strict):
    """An input that all examples share: a list that unitxt's catalog has, joined to one text.

    ``at`` is a dotted path in the file of the artifact ``unitxt``, with numbers for places in lists.
    """

    unitxt: Text
    at: Text
    join: str


class Skills(_Strict):
    """What a data set asks of a reader of tables, as in Table 1 of the ToRR paper (section 2).

    ``knowledge_extraction``: finding fields, relations, entities in the table; ``textual_reasoning``:
    concluding from text and table together; ``numerical_reasoning``: calculating, comparing numbers.
    """

    knowledge_extraction: Need
    textual_reasoning: Need
    numerical_reasoning: Need


class ReadExample(_Strict):
    """How a row becomes an example.

    ``constants`` are inputs that are the same for all rows; ``facts`` are what a metric needs beside the
    references. Left out are rows with a value named in ``unless``, rows whose lists have no more elements
    than ``longer_than`` says, and tables with more than ``max_cells`` cells below the header.
    """

    type_: Literal["read_example"] = Field(alias="__type__")
    id: ExampleId
    table: TableOf
    inputs: dict[Text, TextOf] = Field(default_factory=dict)
    constants: dict[Text, ConstantOf] = Field(default_factory=dict)
    references: list[TextOf] = Field(min_length=1)
    target: TextOf | None = None
    groups: dict[Text, TextOf] = Field(default_factory=dict)
    facts: dict[Text, FactOf] = Field(default_factory=dict)
    unless: dict[Text, Scalar] = Field(default_factory=dict)
    longer_than: dict[Text, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    max_cells: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _names_are_free(self) -> ReadExample:
        reserved = {"table", "example", "references", "reference", "target"}
        taken = sorted({*self.inputs, *self.constants} & reserved)
        if taken:
            raise ValueError(
                f"an input cannot be called {taken[0]!r}, which means something else in a template"
            )
        return self

    def columns(self) -> list[str]:
        """Every column that is read, a struct's by its own name."""
        paths = [self.id.column, *self.table.columns.values(), *self.unless, *self.longer_than]
        texts = [
            *self.inputs.values(),
            *self.references,
            *([self.target] if self.target else []),
            *self.groups.values(),
            *self.facts.values(),
        ]
        return list(
            dict.fromkeys(path.split(".")[0] for path in [*paths, *(text.column for text in texts)] if path)
        )


class TemplateOf(_Strict):
    """How an example is asked; a unitxt template.

    An example is shown as ``input_format`` with ``target_prefix`` on a line of its own below it. The answer
    that a demonstration shows is the card's target: for ``multi_reference_template`` the first reference.
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
    postprocessors: list[Text]

    @model_validator(mode="after")
    def _has_its_own_formats(self) -> TemplateOf:
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
        if "{table}" not in self.input_format:
            raise ValueError(f"'input_format' has no {{table}}, found {self.input_format!r}")
        return self


class UnitxtTwin(_Strict):
    """Unitxt's own card of the same data, whose words the design ``torr`` takes at run time.

    ``fields`` says which input of ours an input of the twin's is, where their names differ; ``table`` is the
    table's.
    """

    card: Annotated[str, StringConstraints(pattern=r"^cards\.[\w.]+$")]
    fields: dict[Text, Text] = Field(default_factory=dict)


class CardFile(_Strict):
    """A card: one hand-written JSON file."""

    type_: Literal["table_card"] = Field(alias="__type__")
    description: Text = Field(alias="__description__")
    tags: dict[str, Any] = Field(alias="__tags__", default_factory=dict)
    licence: Text
    skills: Skills
    main_metric: Text
    keeps_labels: list[Text]
    notes: list[Text] = Field(default_factory=list)
    demo_split: Text
    test_split: Text
    unitxt: UnitxtTwin | None = None
    loader: Annotated[LoadTables | LoadGenerated, Field(discriminator="type_")]
    preprocess_steps: Annotated[list[ReadExample], Field(min_length=1, max_length=1)]
    task: Annotated[str, StringConstraints(pattern=rf"^{_TASK.pattern}$")]
    templates: Annotated[list[TemplateOf], Field(min_length=1, max_length=1)]

    @model_validator(mode="after")
    def _parts_fit(self) -> CardFile:
        for key in ("demo_split", "test_split"):
            if getattr(self, key) not in self.loader.splits:
                raise ValueError(
                    f"{key} {getattr(self, key)!r} is not among the loader's splits: "
                    f"{', '.join(self.loader.splits)}"
                )
        self._loaded_columns_suffice()
        self._target_fits()
        return self

    def _loaded_columns_suffice(self) -> None:
        if isinstance(self.loader, LoadTables):
            known = {*self.loader.columns, *self.loader.each}
            missing = [name for name in self.reading.columns() if name not in known]
            if missing:
                raise ValueError(
                    f"column {missing[0]!r} is read, but loader.columns has only "
                    f"{', '.join(self.loader.columns)}"
                )

    def _target_fits(self) -> None:
        single = self.template.type_ != "multi_reference_template"
        if single and len(self.reading.references) != 1:
            raise ValueError(
                f"several references need a 'multi_reference_template', found {self.template.type_!r}"
            )
        custom = self.template.type_ == "input_output_template_with_custom_target"
        if custom != (self.reading.target is not None):
            raise ValueError(
                "'target' of read_example goes with a template of type "
                "'input_output_template_with_custom_target'"
            )

    @property
    def reading(self) -> ReadExample:
        """The one preprocessing step."""
        return self.preprocess_steps[0]

    @property
    def template(self) -> TemplateOf:
        """The one template."""
        return self.templates[0]

    @property
    def task_name(self) -> str:
        """The task without its metrics, e.g. ``tasks.torr.table_qa``."""
        return self.task.partition("[")[0]

    @property
    def task_metrics(self) -> tuple[str, ...]:
        """The metrics that the card names, ``metrics.torr.rouge``; empty where the task's own are meant."""
        match = _TASK.fullmatch(self.task)
        named = match["metrics"] if match else None
        return tuple(name.strip() for name in named.split(",")) if named else ()
