"""The interface of a perturbation, and the one that changes nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..table import Table

if TYPE_CHECKING:
    import numpy as np


class Perturbation(ABC):
    """Changes a table's layout (or its words) and leaves the table it was given alone.

    ``keeps_content`` promises that the same texts stand in the result. One that changes words instead says by
    ``renames`` what to change in question and references. One whose ``draws`` is False takes nothing from the
    generator and renames nothing: what it makes hangs on the table alone, and serves all that is asked of it.
    """

    name: str
    keeps_content: bool = True
    draws: bool = True

    @abstractmethod
    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        """The changed table; all chance comes from ``rng``."""

    def renames(self, table: Table, rng: np.random.Generator) -> Mapping[str, str]:
        """Old word -> new word, for question and references; empty where words stay."""
        return {}


class Unchanged(Perturbation):
    """Returns the table it is given."""

    name = "none"
    draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        return table
