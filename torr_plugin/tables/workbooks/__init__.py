"""Tables as XLSX workbooks, merged cells in and out: ``read_xlsx(to_bytes(table)) == table`` for every table.

The table stands on one sheet, its title above and its notes below. Names that a spreadsheet program keeps
right when rows are moved tell where all is: ``TableCells``, ``TableHeader``, ``TableRowLabels``,
``TableTitle`` and ``TableNotes``. Texts are stored as texts, so ``007`` keeps its zeros and ``=1+1`` is no
formula; numbers that came as numbers are numbers, shown as their cell's text.
"""

from __future__ import annotations

from .reading import read_xlsx
from .writing import to_bytes, write_xlsx

__all__ = ["read_xlsx", "to_bytes", "write_xlsx"]
