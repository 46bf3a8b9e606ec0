"""A question as a value, before it is said or written as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ..instance import Function
from .parts import Part

Direction = Literal["DESC", "ASC"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``Value > threshold`` in the columns of ``within``."""

    within: Part
    operator: Literal["<", ">"]
    threshold: Decimal


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks (HCT-QA, Appendix C.1).

    Attributes:
        kind: its type, 1 to 15.
        columns: the columns whose values are asked; for type 14 those that are compared.
        rows: the rows; None where the comparison finds them.
        functions: what is computed, in the order in which it is said.
        grouped: the attributes that it is computed for each of.
        reported: the attributes that the answer names, in order.
        direction: of an ordering.
        limit: how many of the ordered values are asked.
        comparison: what types 14 and 15 look for.
        shown: for each function, whether the table shows the result as an aggregate.
    """

    kind: int
    columns: Part
    rows: Part | None = None
    functions: tuple[Function, ...] = ()
    grouped: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    direction: Direction | None = None
    limit: int | None = None
    comparison: Comparison | None = None
    shown: tuple[bool, ...] = ()
