"""What the figures of a filing measure: how a cell prints them, and how an answer does."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Literal, TypeAlias

Figure: TypeAlias = "int | Decimal"
Kind: TypeAlias = Literal["money", "price", "percent", "count", "times"]

NIL = "\u2014"
"""What a cell prints for zero."""

_DIGITS: dict[Kind, int] = {"money": 0, "price": 2, "percent": 1, "count": 0, "times": 2}


@dataclass(frozen=True, slots=True)
class FigureMeasure:
    """What a figure measures.

    Attributes:
        kind: ``money`` in ``unit`` of dollars, ``price`` in dollars a share or square foot, ``percent``,
            ``count`` of ``unit``, or ``times`` (a ratio).
        unit: ``million``, ``thousand shares``, ``employees``; empty where there is none.
    """

    kind: Kind
    unit: str = ""

    @property
    def digits(self) -> int:
        """Decimal places that are printed."""
        return _DIGITS[self.kind]

    def cell(self, figure: Figure, *, sign: bool = False) -> str:
        """The figure as a cell prints it: parentheses if negative, a dash for zero, ``$`` on ``sign``."""
        if not figure:
            return f"${NIL}" if sign and self.is_dollars else NIL
        dollar = "$" if sign and self.is_dollars else ""
        digits = f"{abs(figure):,.{self.digits}f}"
        percent = "%" if self.kind == "percent" else ""
        return f"{dollar}({digits}){percent}" if figure < 0 else f"{dollar}{digits}{percent}"

    def answer(self, figure: Figure) -> str:
        """The figure with its unit, as an answer says it: ``-$1,234 million``, ``4.6%``, ``1.25``."""
        minus, digits = "-" if figure < 0 else "", f"{abs(figure):,.{self.digits}f}"
        if self.kind == "percent":
            return f"{minus}{digits}%"
        dollar, unit = "$" if self.is_dollars else "", f" {self.unit}" if self.unit else ""
        return f"{minus}{dollar}{digits}{unit}"

    @property
    def is_dollars(self) -> bool:
        """Whether the figure is an amount of dollars."""
        return self.kind in ("money", "price")


PERCENT = FigureMeasure("percent")
PRICE = FigureMeasure("price", "per share")
TIMES = FigureMeasure("times")
POINTS = FigureMeasure("count", "percentage points")


def magnitude(figure: Figure) -> Figure:
    """The figure without its sign."""
    return -figure if figure < 0 else figure


def rounded(value: Decimal, digits: int) -> Decimal:
    """The value to so many decimal places, halves away from zero."""
    return value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def quotient(over: Figure, under: Figure) -> Decimal:
    """The quotient to 28 digits, whatever the calling thread's decimal context is."""
    with localcontext() as context:
        context.prec = 28
        return Decimal(over) / Decimal(under)


def percentage(part: Figure, whole: Figure) -> Decimal:
    """``part`` as a percentage of ``whole``, to one decimal place."""
    return rounded(100 * quotient(part, whole), PERCENT.digits)
