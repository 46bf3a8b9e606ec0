"""The cell: a text with what it covers, and the number it came as."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

Scalar: TypeAlias = "str | int | float | bool | None"


class _Same(Enum):
    """Says that a cell's value is its text (an enum, so that it survives pickling)."""

    TEXT = "text"


TEXT = _Same.TEXT


_NUMBERS = (int, float, bool)


def _plain(value: object) -> Scalar:
    """Python's value of a NumPy scalar; the text of anything else."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and getattr(value, "shape", None) == () else None
    return plain if type(plain) in _NUMBERS else str(value)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text and how many rows and columns it covers (1 and 1 unless merged).

    ``value`` keeps a number as it came (``26``, ``None``), for formats that write numbers bare; it takes no
    part in comparison, since a table read back from text has texts alone.
    """

    text: str
    rowspan: int = 1
    colspan: int = 1
    value: Scalar | _Same = field(default=_Same.TEXT, compare=False, repr=False)

    @classmethod
    def of(cls, value: Scalar, rowspan: int = 1, colspan: int = 1) -> Cell:
        """A cell from any scalar: text as is, ``None`` as an empty cell, numbers by ``str``.

        A number of NumPy's counts as Python's; what is no scalar (a date) is its text.
        """
        if isinstance(value, str):
            return cls(value, rowspan, colspan)
        if value is None:
            return cls("", rowspan, colspan, value)
        if type(value) not in _NUMBERS:
            return cls.of(_plain(value), rowspan, colspan)
        return cls(str(value), rowspan, colspan, value)

    @property
    def raw(self) -> Scalar:
        """The value the cell was made of; its text where that was text."""
        return self.text if isinstance(self.value, _Same) else self.value


Row: TypeAlias = "tuple[Cell, ...]"
