"""The table as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Table
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class Unchanged(Perturbation):
    """Returns the table it is given."""

    name = "none"
    draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        return table
