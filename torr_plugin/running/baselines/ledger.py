"""A table of numbers as reports have them: labelled rows under headings, columns by year, a unit for all."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...core.quantities import Quantity, quantity
from .documents import ShownTable
from .matching import words

_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d,]|\.\d)")
_SCALE = re.compile(r"\bin (?:[^\W\d_]+ )?(?:of )?(thousand|million|billion)s?\b", re.IGNORECASE)
_CURRENCY = re.compile(r"[$\u20ac\u00a3\u00a5]")
_DOLLARS = re.compile(r"\bdollars?\b", re.IGNORECASE)
_SINGLE = re.compile(r"\bper\b", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:number of|employees|customers|stores|units|shares|days|years)\b", re.IGNORECASE)
_HEADING = 0.5
"""What a word of the heading above a row weighs, beside a word of its label."""


def years_in(text: str) -> list[str]:
    """The years that a text names, each once, in its order."""
    return list(dict.fromkeys(_YEAR.findall(text)))


@dataclass(frozen=True)
class Ledger:
    """A table read as numbers.

    Attributes:
        labels: of each row.
        headings: the heading above each row, "" without one.
        columns: the names of the columns of numbers.
        cells: (rows x columns), None where a cell is no number.
        texts: the same as text.
        around: the text around the table, its title and all names.
    """

    labels: tuple[str, ...]
    headings: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Quantity | None, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    around: str

    @classmethod
    def of(cls, shown: ShownTable) -> Ledger | None:
        """Read a table; None where no column has mostly numbers."""
        grid = shown.grid
        read = [[quantity(cell.strip()) for cell in row] for row in grid.rows]
        numeric = [c for c in range(len(grid.columns)) if _is_numeric([row[c] for row in grid.rows], c, read)]
        if len(numeric) > 1 and numeric[0] == 0 and _are_years(row[0] for row in grid.rows):
            del numeric[0]
        if not numeric:
            return None
        named = range(numeric[0]) if numeric[0] else ()
        labels, headings, kept, heading = [], [], [], ""
        for at, row in enumerate(grid.rows):
            label = " ".join(dict.fromkeys(row[c].strip() for c in named if row[c].strip()))
            if any(read[at][c] for c in numeric):
                kept.append(at)
                labels.append(label)
                headings.append(heading)
            else:
                heading = label
        names = tuple(grid.columns[c] for c in numeric)
        return cls(
            tuple(labels),
            tuple(headings),
            names,
            tuple(tuple(read[at][c] for c in numeric) for at in kept),
            tuple(tuple(grid.rows[at][c].strip() for c in numeric) for at in kept),
            "\n".join([grid.title, *grid.columns, shown.around]),
        )

    @cached_property
    def _weight(self) -> dict[str, float]:
        """How rare a word is among the labels."""
        counts = Counter(word for label in self.labels for word in set(words(label)))
        return {word: math.log(1 + len(self.labels) / count) for word, count in counts.items()}

    def fits(self, text: str) -> dict[int, float]:
        """The rows whose labels a text names, and how well; a word of the heading above counts half."""
        asked = frozenset(words(text))
        found = {}
        for at, (label, heading) in enumerate(zip(self.labels, self.headings, strict=True)):
            named, above = frozenset(words(label)), frozenset(words(heading))
            if named & asked:
                share = 0.25 + 0.75 * len(named & asked) / len(named)
                fit = sum(self._weight[word] for word in named & asked) * share
                found[at] = fit + sum(
                    _HEADING * self._weight.get(word, 1.0) for word in (above - named) & asked
                )
        return found

    def rows(self, text: str) -> list[int]:
        """The rows whose labels a text names, the best first."""
        fits = self.fits(text)
        return sorted(fits, key=lambda at: (-fits[at], at))

    def row(self, text: str) -> int | None:
        """The row that a text names best; None where it names none."""
        return next(iter(self.rows(text)), None)

    def column(self, text: str, year: str = "", row: int | None = None) -> int | None:
        """The column that a text names best, of those with a year and with a number in a row."""
        asked = frozenset(words(text)) - frozenset(words(" ".join(years_in(text))))
        places = [
            c
            for c, name in enumerate(self.columns)
            if (not year or year in years_in(name)) and (row is None or self.cells[row][c] is not None)
        ]
        fits = {c: len(asked.intersection(words(self.columns[c]))) for c in places}
        return max(places, key=lambda c: (fits[c], -c), default=None)

    def unit(self, row: int, column: int) -> Unit:
        """The unit of a cell: what it says itself, else what is said around the table."""
        names = f"{self.labels[row]} {self.columns[column]} {self.headings[row]}"
        cell = self.cells[row][column]
        if (cell is not None and "%" in cell.unit) or "%" in names or "percent" in names.lower():
            return Unit(after="%")
        counted, single = _COUNTED.search(names), _SINGLE.search(names)
        column_texts = " ".join(texts[column] for texts in self.texts)
        signs = _CURRENCY.search(f"{self.texts[row][column]} {names}") or (
            None if counted and not single else _CURRENCY.search(f"{column_texts} {self.around}")
        )
        sign = signs[0] if signs else "$" if _DOLLARS.search(self.around) and not counted else ""
        scale = _SCALE.search(names) or (None if single else _SCALE.search(self.around))
        return Unit(before=sign, after=f" {scale[1].lower()}" if scale else "")


@dataclass(frozen=True)
class Unit:
    """What stands before and after a number."""

    before: str = ""
    after: str = ""

    def written(self, value: Fraction) -> str:
        """``-$20 million``."""
        sign = "-" if value < 0 else ""
        return f"{sign}{self.before}{decimal(abs(value))}{self.after}"


def decimal(value: Fraction, places: int = 2) -> str:
    """A number with commas, and with at most so many decimals."""
    text = f"{float(round(value, places)):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _is_numeric(texts: Sequence[str], column: int, read: Sequence[Sequence[Quantity | None]]) -> bool:
    """Whether most of a column's texts are numbers; those of rows that only have a label are empty."""
    filled = [at for at, text in enumerate(texts) if any(char.isalnum() for char in text)]
    numbers = sum(read[at][column] is not None for at in filled)
    return numbers > 0 and numbers * 2 >= len(filled)


def _are_years(texts: Iterable[str]) -> bool:
    """Whether they are years, and words such as ``Thereafter`` and ``Total``."""
    known = [text.strip() for text in texts if any(char.isdigit() for char in text)]
    return bool(known) and all(_YEAR.fullmatch(text) for text in known)
