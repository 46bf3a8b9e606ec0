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


class TableLoader(StrictModel):
    """Rows from the mirror or the hub.

    Columns that are ``optional`` are empty where the data lack them. Applied in this order: ``rows``, one of
    :data:`torr_plugin.catalog.row_steps.ROW_STEPS`, makes rows of rows; ``where`` keeps those whose columns
    have these values; ``files`` adds files to each; ``mix`` assigns them to splits.
    """

    type_: Literal["load_tables"] = Field(alias="__type__")
    mirror: Place
    hub: Hub
    columns: list[Text] = Field(min_length=1)
    optional: list[Text] = Field(default_factory=list)
    splits: dict[Text, Split] = Field(min_length=1)
    rows: Text | None = None
    where: dict[Text, Scalar] = Field(default_factory=dict)
    files: RepositoryFiles | None = None
    mix: Mix | None = None
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])

    @model_validator(mode="after")
    def _has_the_columns_that_it_takes(self) -> TableLoader:
        taken = {"optional": self.optional, "files": [self.files.name] if self.files else []}
        for key, columns in taken.items():
            missing = [column for column in columns if column not in self.columns]
            if missing and self.rows is None:
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
    """Rows from a generator; ``splits`` gives the number of examples, all of which are kept in memory."""

    type_: Literal["load_generated"] = Field(alias="__type__")
    generator: Text
    seed: int
    splits: dict[Text, Annotated[int, Field(gt=0, le=100_000)]] = Field(min_length=1)
    data_classification_policy: list[str] = Field(default_factory=lambda: ["public"])


CardRows: TypeAlias = TableLoader | GeneratedLoader | StructuralLoader
"""Where a card's rows come from."""
