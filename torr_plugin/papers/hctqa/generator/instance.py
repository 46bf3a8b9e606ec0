"""One generated table as a value: its axes, its numbers and its layout."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Function: TypeAlias = Literal["sum", "avg", "min", "max"]
ColumnSide: TypeAlias = Literal["none", "left", "right"]
RowSide: TypeAlias = Literal["none", "top", "bottom"]
RowFormat: TypeAlias = Literal["new", "indent"]
NamePosition: TypeAlias = Literal["none", "left", "top"]
Path: TypeAlias = "tuple[str, ...]"

NUM_DECIMAL_DIGITS_REAL_FORMAT = 2
"""Decimals of generated real numbers and of averages (HCT-QA, Appendix C.2; the name is the benchmark's)."""


@dataclass(frozen=True, slots=True)
class TableAxis:
    """One side of the table.

    Attributes:
        attributes: display names, outermost first, e.g. ``("Category", "Item")``.
        groups: which attributes belong to one code, in display order: ``((0, 1),)`` for a hierarchy,
            ``((0,), (1,))`` for two independent attributes. The indices run on, group after group.
        leaves: one path of values a line, in display order, each as long as ``attributes``.
    """

    attributes: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    leaves: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The aggregate of a table: its name, its function, and its sides of the table.

    ``columns`` puts the aggregate of each line left or right of its cells, ``rows`` that of each column above
    or below; ``none`` leaves it out.
    """

    name: str
    function: Function
    columns: ColumnSide
    rows: RowSide


@dataclass(frozen=True)
class HctInstance:
    """A human-centric table before its layout.

    Attributes:
        table_id: unique within a data set.
        family: the table template's ``valueName``, which is also the table's title.
        values: rows x columns, no number twice.
        aggregate: None where the table shows none.
        row_format: ``new``, a column for each level of the row header; ``indent``, a separate row for each
            value of the outermost level.
        decimals: how many are shown; averages are rounded half to even.
        order: the attributes in the template's order, columns first, before shuffling; empty for the order
            in which they are displayed.
        borders: whether a picture of the table draws the lines between cells.
    """

    table_id: str
    family: str
    columns: TableAxis
    rows: TableAxis
    values: tuple[tuple[Decimal, ...], ...]
    aggregate: Aggregate | None
    row_format: RowFormat
    decimals: int
    order: tuple[str, ...] = ()
    borders: bool = True
