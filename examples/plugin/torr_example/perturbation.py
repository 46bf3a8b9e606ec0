"""The rows of a table, last first."""

from __future__ import annotations

from torr_plugin.tables import Table
from torr_plugin.tables.perturbations import Perturbation


class ReverseRows(Perturbation):
    """Body rows in reverse order; a table with merged cells or nested headers stays as it is."""

    name = "reverse_rows"
    keeps_content = True
    draws = False  # nothing here is left to chance

    def perturb(self, table: Table, rng: object) -> Table:
        """The table upside down."""
        if not table.is_flat:
            return table
        head, body = table.rows[: table.header_rows], table.rows[table.header_rows :]
        return table.replace(rows=(*head, *reversed(body)))
