"""An example as judges are shown it."""

from __future__ import annotations

from torr_plugin.catalog import Example
from torr_plugin.tables import Table

EXAMPLE = Example(
    id="e-1",
    table=Table.flat(["Boat", "Seats"], [["Tern", "12"], ["Gull", "7"]]),
    fields={"question": "How many seats has the Tern?"},
    references=("12",),
    target="12",
    facts={"rubric": '["names the boat", "gives the number"]'},
)
