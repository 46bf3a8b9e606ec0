"""Smooth functions of a positive number, read from a table of their own values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..types import Floats

_AROUND = range(-3, 5)  # places that a value between two of them is read from
_FAR = 60  # places from the middle of those asked for: beyond, more would be made than are read


class Tabulated:
    """A function of a positive number for each of several rows: the expected W of spacings of models, say.

    Between the places of the table values follow the polynomial through the eight around them (Lagrange).
    The expected W (:func:`decision.expected_w`) is then within a millionth of what it is: it is made of the
    normal distribution function of the exponential of the logarithm, whose curvature no spacing of models
    changes.
    Places are worked out when they are first needed.

    Args:
        function: of numbers and the rows (a mask) that they are for; gives a value each, at most 1.
        step: between places, of the natural logarithm.
    """

    def __init__(
        self, function: Callable[[Floats, npt.NDArray[np.bool_]], Floats], step: float = 0.2
    ) -> None:
        self._function, self._step = function, step
        self._known: dict[int, Floats] = {}

    def __call__(self, at: Floats) -> Floats:
        """Values at a number for each row; 0, infinity and what lies far from the rest are worked out."""
        import numpy as np

        with np.errstate(divide="ignore"):
            places = np.log(at) / self._step
        near = np.isfinite(places)
        if near.any():
            near &= np.abs(places - np.median(places[near])) <= _FAR
        result: Floats = np.empty(len(places))
        if near.any():
            result[near] = self._read(places[near], near)
        if not near.all():
            result[~near] = self._function(at[~near], ~near)
        return result

    def _read(self, places: Floats, rows: npt.NDArray[np.bool_]) -> Floats:
        import numpy as np

        left = np.floor(places).astype(int)
        lowest, several = int(left.min()), np.arange(len(_AROUND))
        wanted = range(lowest + _AROUND[0], int(left.max()) + _AROUND[-1] + 1)
        table = np.stack([self._at(place, rows) for place in wanted])
        around = table[(left - lowest)[:, None] + several, np.flatnonzero(rows)[:, None]]
        powers = (places - left)[:, None] ** several
        result: Floats = np.minimum(np.einsum("ij,ij->i", powers @ _polynomials(), around), 1.0)
        return result

    def _at(self, place: int, rows: npt.NDArray[np.bool_]) -> Floats:
        import numpy as np

        if place not in self._known:
            number = np.full(len(rows), np.exp(place * self._step))
            self._known[place] = self._function(number, np.ones(len(rows), dtype=bool))
        return self._known[place]


@cache
def _polynomials() -> Floats:
    """Lagrange's: a row a power, a column the weight of a place around."""
    import numpy as np

    result: Floats = np.linalg.inv(np.vander(np.array(_AROUND, dtype=float), increasing=True))
    return result
