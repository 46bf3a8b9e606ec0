"""Tables as XLSX workbooks, merged cells in and out.

``to_bytes`` writes a table on one sheet, its title above and its notes below. Texts are stored as texts, so
``007`` keeps its zeros and ``=1+1`` is no formula; numbers are stored as numbers, formatted like their cell's
text. ``read_workbook`` finds the tables of any workbook, detects their headers, and says how sure it is.
"""

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .opening import OpenedBook as OpenedBook
    from .opening import open_book as open_book
    from .reading import ReadingOptions as ReadingOptions
    from .reading import SheetTable as SheetTable
    from .reading import find_table as find_table
    from .reading import read_workbook as read_workbook
    from .reading import read_xlsx as read_xlsx
    from .reading import sheet_names as sheet_names
    from .writing import to_bytes as to_bytes

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
