"""Tables as XLSX workbooks, merged cells in and out: ``read_xlsx(to_bytes(table)) == table`` for every table.

The table stands on one sheet, its title above and its notes below. Names that a spreadsheet program keeps
right when rows are moved tell where all is: ``TableCells``, ``TableHeader``, ``TableRowLabels``,
``TableTitle`` and ``TableNotes``. Texts are stored as texts, so ``007`` keeps its zeros and ``=1+1`` is no
formula; numbers that came as numbers are numbers, shown as their cell's text.
"""

from typing import TYPE_CHECKING

from ...core.lazy import lazy_package

if TYPE_CHECKING:
    from .reading import read_xlsx as read_xlsx
    from .writing import to_bytes as to_bytes
    from .writing import write_xlsx as write_xlsx

__getattr__, __dir__, __all__ = lazy_package(
    __name__, {".reading": ["read_xlsx"], ".writing": ["to_bytes", "write_xlsx"]}
)
