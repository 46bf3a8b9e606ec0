"""A question on a filing, and how questions, steps and evidence name figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from ....core.errors import InputError, nearest
from ..measures import FigureMeasure, rounded
from ..sheet import Place, Sheet

Level: TypeAlias = Literal["extraction", "calculation", "analysis"]
LEVELS: tuple[Level, ...] = ("extraction", "calculation", "analysis")


def levels_called(names: Sequence[str]) -> tuple[Level, ...]:
    """The levels of these names, from easy to hard; all where none is named.

    Raises:
        InputError: an unknown one.
    """
    for name in names:
        if name not in LEVELS:
            raise InputError(f"--levels: no level {name!r}; {nearest(name, LEVELS)}")
    return tuple(level for level in LEVELS if level in names) or LEVELS


@dataclass(frozen=True, slots=True)
class FilingQuestion:
    """A question with its answer.

    Attributes:
        level: extraction, calculation or analysis.
        kind: ``cell``, ``growth``, ``drivers`` and so on.
        question: names its table, row and column as the document prints them.
        answer: a figure with its unit; at the level of analysis some sentences.
        steps: how the answer is found, in words; empty at the level of extraction.
        evidence: the cells that it rests on.
        table: the number of the (first) table with evidence among the document's tables.
        rubric: of an analysis, the facts that a good answer has.
    """

    level: Level
    kind: str
    question: str
    answer: str
    steps: str
    evidence: str
    table: int
    rubric: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A sheet with its number among the document's tables."""

    sheet: Sheet
    number: int

    def name(self, place: Place) -> str:
        """A figure's row and column: ``"Inventories" as of June 30, 2024``."""
        return f"{self.row(place)} {self.column(place)}"

    def row(self, place: Place) -> str:
        """The quoted label of a place's row."""
        return self.sheet.row_names[place.line]

    def column(self, place: Place) -> str:
        """The phrase for a place's column."""
        return self.sheet.columns[place.column].phrase

    def evidence(self, places: Iterable[Place]) -> str:
        """The cells as the table prints them."""
        cells = "; ".join(f"{self.name(place)}: {self.sheet.cell(place)}" for place in places)
        return f"{self.sheet.name} ({self.sheet.subject}): {cells}"

    def said(self, place: Place) -> str:
        """A figure with its name and unit."""
        return f"{self.name(place)} is {self.sheet.measure(place).answer(self.sheet.figure(place))}"

    def listed(self, places: Sequence[Place]) -> str:
        """Figures with their names and units as a sentence."""
        return f"In {self.sheet.phrase}, {joined([self.said(place) for place in places])}."


def joined(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def exact(value: Decimal, digits: int) -> Decimal | None:
    """The value rounded; None where it lies halfway, as ways to round differ there."""
    if (abs(value).scaleb(digits) % 1) == Decimal("0.5"):
        return None
    return rounded(value, digits)


def difference_of(measure: FigureMeasure, value: Decimal | int) -> str:
    """A difference between two figures of a measure with its unit: of percentages, points."""
    if measure.kind != "percent":
        return measure.answer(value)
    return f"{value:,.1f} percentage {'point' if abs(value) == 1 else 'points'}"
