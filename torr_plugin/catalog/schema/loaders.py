"""Where a card's rows come from."""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from ...core.validation import StrictModel

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
    config: Text | None = None
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

    @model_validator(mode="after")
    def _deals_out_all(self) -> Mix:
        total = sum(self.shares.values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"'shares' add up to {total:g}, expected 1")
        return self


class Split(StrictModel):
    """One split: the mirror's file (without ``.parquet``) and the hub's splits, in order."""

    mirror: Place
    hub: list[Text] = Field(min_length=1)


class Twin(StrictModel):
    """Columns from a row's twin: the first row that ``where`` leaves out and that is the ``same`` in these.

    ``columns`` maps each new column to the twin's.
    """

    same: list[Text] = Field(min_length=1)
    columns: dict[Text, Text] = Field(min_length=1)


class Versions(StrictModel):
    """Makes several rows of each, one a version of its table, one after the other.

    ``suffixes`` maps each version to what is appended to the column ``of``: the result is the new column
    ``name``, and the version's name the new column ``version``.
    """

    of: Text
    name: Text
    version: Text
    suffixes: dict[Text, str] = Field(min_length=2)


class Earlier(StrictModel):
    """Columns with the values of the earlier rows of a row's sequence, as lists, in their order.

    Rows with the ``same`` values in these columns are a sequence, sorted by the number in ``order``.
    ``columns`` maps each new column to the one whose earlier values it has; the new column ``name`` has the
    sequence's name, the values of ``same`` joined by ``-``.
    """

    same: list[Text] = Field(min_length=1)
    order: Text
    name: Text
    columns: dict[Text, Text] = Field(min_length=1)


class RepositoryFiles(StrictModel):
    """A column with the content of a file of the data set's repository, which the column ``name`` names.

    ``paths`` are the file's paths there, ``{name}`` in place of the name, the best first: of those that exist
    for all versions of a row the first is taken. Text formats (HTML, CSV, LaTeX, Markdown) become text,
    others bytes. A mirror has all of them in one Parquet file, ``mirror``: columns ``path``, ``content``.
    """

    mirror: Place
    name: Text
    column: Text
    paths: list[Annotated[str, StringConstraints(pattern=r"^[^{}]*\{name\}[^{}]*$")]] = Field(min_length=1)


class TableLoader(StrictModel):
    """Rows from the mirror or the hub.

    Applied in this order: ``instead`` gives the path of a column in data that lacks one of its name, such
    as another version of the data set (``{"program": "qa.program"}`` takes it from the struct ``qa``).
    ``twin`` adds columns of another row. ``where`` keeps the rows whose columns have these values. ``each``
    makes a row of every element of its list columns, which have the same length: ``{"name": "header"}``
    adds the column ``name``. ``earlier`` adds to a row the earlier rows of its sequence. ``versions`` makes
    of a row several, and ``files`` adds files to each. ``mix`` assigns rows to splits.
    """

    type_: Literal["load_tables"] = Field(alias="__type__")
    mirror: Place
    hub: Hub
    columns: list[Text] = Field(min_length=1)
    instead: dict[Text, Column] = Field(default_factory=dict)
    optional: list[Text] = Field(default_factory=list)
    splits: dict[Text, Split] = Field(min_length=1)
    twin: Twin | None = None
    where: dict[Text, Scalar] = Field(default_factory=dict)
    each: dict[Text, Text] = Field(default_factory=dict)
    earlier: Earlier | None = None
    versions: Versions | None = None
    files: RepositoryFiles | None = None
    mix: Mix | None = None
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])

    @property
    def made_columns(self) -> list[str]:
        """The columns that are added to the data's own."""
        twin = self.twin.columns if self.twin else ()
        versions, files, earlier = self.versions, self.files, self.earlier
        return [
            *twin,
            *self.each,
            *([earlier.name, *earlier.columns] if earlier else []),
            *([versions.name, versions.version] if versions else []),
            *([files.column] if files else []),
        ]

    @model_validator(mode="after")
    def _has_the_columns_that_it_takes(self) -> TableLoader:
        taken = {
            "each": list(self.each.values()),
            "instead": list(self.instead),
            "optional": self.optional,
            "twin": [*self.twin.same, *self.twin.columns.values()] if self.twin else [],
            "earlier": (
                [*self.earlier.same, self.earlier.order, *self.earlier.columns.values()]
                if self.earlier
                else []
            ),
            "versions": [self.versions.of] if self.versions else [],
            "files": [self.files.name] if self.files else [],
        }
        known = {*self.columns, *self.made_columns}
        for key, columns in taken.items():
            has = known if key == "files" else self.columns
            missing = [column for column in columns if column not in has]
            if missing:
                raise ValueError(
                    f"{key!r} takes {missing[0]!r}, but columns has only {', '.join(self.columns)}"
                )
        return self

    @model_validator(mode="after")
    def _mix_makes_the_splits(self) -> TableLoader:
        if self.mix is not None and set(self.mix.shares) != set(self.splits):
            raise ValueError(
                f"mix.shares are of {', '.join(self.mix.shares)}; "
                f"expected the splits: {', '.join(self.splits)}"
            )
        return self


class SplitSample(StrictModel):
    """How many tables, from which of each card's splits."""

    count: Annotated[int, Field(gt=0)]
    of: Literal["demo_split", "test_split"]


class StructuralLoader(StrictModel):
    """A structural question about each of a sample of other cards' tables.

    ``cards`` are read as they read themselves, from the mirror or the hub. ``task`` and ``seed`` are as in
    :class:`torr_plugin.catalog.schema.reading.StructureOf`. Of the tables that allow the task, with at most
    ``max_cells`` cells below the header, ``splits`` takes a number balanced over cards, and within each card
    over sizes; no table twice. Rows have the columns ``id``, ``table_id``, ``table``, ``source`` (the card),
    ``size``, ``question``, ``answer``, ``merged``, ``before`` and ``after``.
    """

    type_: Literal["load_structural"] = Field(alias="__type__")
    task: Text
    seed: int
    cards: list[Text] = Field(min_length=1)
    splits: dict[Text, SplitSample] = Field(min_length=1)
    max_cells: Annotated[int, Field(gt=0)] | None = None
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])


class GeneratedLoader(StrictModel):
    """Rows from one of the project's generators; ``splits`` gives the number of examples."""

    type_: Literal["load_generated"] = Field(alias="__type__")
    generator: Text
    seed: int
    splits: dict[Text, Annotated[int, Field(gt=0)]] = Field(min_length=1)
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])


CardRows: TypeAlias = TableLoader | GeneratedLoader | StructuralLoader
"""Where a card's rows come from."""
