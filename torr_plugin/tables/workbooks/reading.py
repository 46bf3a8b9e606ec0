"""Read the tables of an XLSX workbook, ours or any other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openpyxl.utils import range_boundaries
from openpyxl.utils.exceptions import CellCoordinatesException

from ...core.errors import TableError, counted
from ..serializers.structure import Structure, assemble
from ..table import Cell, CellStyle, Table
from .blocks import Block, check_size, find_blocks
from .headers import BlockCells, HeaderGuess, guess_header_columns, guess_header_rows
from .opening import OpenedBook, first_line, open_book
from .sheets import SheetGrid, SheetRange
from .styles import HEADING, style_notes

_MOST_LETTERS = 20_000_000  # of a table; one text can be in many cells
_RANGE = re.compile(r"\$?[A-Z]{1,3}\$?[1-9][0-9]{0,6}(?::\$?[A-Z]{1,3}\$?[1-9][0-9]{0,6})?")


@dataclass(frozen=True)
class ReadingOptions:
    """How to read the tables of a workbook.

    Attributes:
        header_rows: the number of header rows, instead of a detected one; ``header_columns`` likewise.
        hidden: whether to read hidden sheets, rows and columns too.
        notes_of_style: whether bold and fill in the body become notes.
        split: whether blank rows and columns part the tables of a sheet; else it is one table.
    """

    header_rows: int | None = None
    header_columns: int | None = None
    hidden: bool = False
    notes_of_style: bool = True
    split: bool = True


@dataclass(frozen=True)
class SheetTable:
    """A table of a workbook, and how sure its layout is.

    Attributes:
        sheet: the name of its sheet.
        range: its cells there, without title and notes: ``A3:D20``.
        table: what they hold.
        confidence: the probability, 0 to 1, that the numbers of header rows and of header columns are both
            right; 1 where they were given or the workbook marks them.
        reasons: the signs that the numbers follow, and what was left out.
        others: the ranges of the other tables of its sheet.
    """

    sheet: str
    range: str
    table: Table
    confidence: float
    reasons: tuple[str, ...]
    others: tuple[str, ...] = ()


def read_workbook(
    source: str | Path | bytes, sheet: str | None = None, options: ReadingOptions = ReadingOptions()
) -> tuple[SheetTable, ...]:
    """Read all tables of a workbook, sheet by sheet and from the top down.

    Blank rows and columns part the tables of a sheet. Their headers are detected where the workbook does
    not mark them; see :mod:`.headers`. Indented texts of the first header column have two spaces a level in
    front, as :attr:`Table.row_tree` reads them; numbers and dates are as displayed; bold and fill are each
    cell's style and a note in words. Lines of text above a table are its title and first notes, lines under
    it its notes. Hidden rows, columns and sheets are left out.

    Args:
        source: a path, or the workbook's bytes.
        sheet: the name of the only sheet to read; by default all that are not hidden.
        options: headers that are known, and what else to read.

    Raises:
        TableError: no such file, no workbook, no such sheet, no table, formulas without their values, one
            that would take too much memory, or a table that cannot be.
    """
    opened = open_book(source)
    sheets = _sheets(opened, sheet, options)
    found = tuple([table for each in sheets for table in _found(opened, each, options)])
    if not found:
        raise TableError(f"{opened.where}: {_empty(sheets)}; expected a table")
    return found


def find_table(
    source: str | Path | bytes | OpenedBook,
    sheet: str | None = None,
    range: str | None = None,  # noqa: A002 (a spreadsheet's word)
    options: ReadingOptions = ReadingOptions(),
) -> SheetTable:
    """Find one table of a workbook: the one with our names, or the largest of the first sheet that has any.

    Args:
        source: a path, the workbook's bytes, or what :func:`open_book` made of these.
        sheet: the sheet's name.
        range: the table's cells, headers included: ``A3:D20``.
        options: as :func:`read_workbook` has them.

    Raises:
        TableError: as :func:`read_workbook`, or the range is none, or empty.
    """
    opened = open_book(source)
    sheets = _sheets(opened, sheet, options)
    if range is not None:
        return _found_in(opened, sheets[0], range, options)
    marked = _marked_sheet(opened)
    for each in [marked] if marked in sheets else sheets:
        if found := _found(opened, each, options):
            return max(found, key=lambda table: table.table.n_rows * table.table.n_columns)
    raise TableError(f"{opened.where}: {_empty(sheets)}; expected a table")


def read_xlsx(
    source: str | Path | bytes,
    sheet: str | None = None,
    *,
    range: str | None = None,  # noqa: A002 (a spreadsheet's word)
    **options: Any,
) -> Table:
    """Read one table of a workbook, ours or any other: that of :func:`find_table`.

    Args:
        source: a path, or the workbook's bytes.
        sheet: the sheet's name.
        range: the table's cells, headers included: ``A3:D20``.
        options: those of :class:`ReadingOptions`.

    Raises:
        TableError: as :func:`find_table`.
    """
    return find_table(source, sheet, range, ReadingOptions(**options)).table


def sheet_names(source: str | Path | bytes | OpenedBook) -> list[str]:
    """The names of a workbook's sheets of cells, in order.

    Raises:
        TableError: no such file, or no workbook.
    """
    return [sheet.title for sheet in open_book(source).book.worksheets]


def _sheets(opened: OpenedBook, name: str | None, options: ReadingOptions) -> list[Any]:
    sheets = opened.book.worksheets
    if name is not None:
        chosen = [sheet for sheet in sheets if sheet.title == name]
        if not chosen:
            known = ", ".join(repr(sheet.title) for sheet in sheets[:10])
            raise TableError(f"{opened.where}: the workbook has no sheet {name!r}; it has {known}")
        return chosen
    visible = [sheet for sheet in sheets if options.hidden or sheet.sheet_state == "visible"]
    if not visible:
        raise TableError(f"{opened.where}: the workbook has no sheet of cells that shows")
    return visible


def _empty(sheets: Sequence[Any]) -> str:
    if len(sheets) == 1:
        return f"sheet {sheets[0].title!r} is empty"
    return f"all {len(sheets)} sheets are empty"


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Put the file's name before what is wrong with its tables."""
    try:
        yield
    except TableError as error:
        message = str(error)
        raise TableError(message if message.startswith(where) else f"{where}: {message}") from None


def _grid(opened: OpenedBook, sheet: Any, options: ReadingOptions) -> SheetGrid:
    try:
        return SheetGrid(sheet, opened.theme, hidden=options.hidden)
    except (CellCoordinatesException, ValueError, TypeError) as error:  # a range that openpyxl left unread
        raise TableError(f"{opened.where}: sheet {sheet.title!r} is damaged ({first_line(error)})") from None


def _found(opened: OpenedBook, sheet: Any, options: ReadingOptions) -> list[SheetTable]:
    """The tables of a sheet."""
    grid = _grid(opened, sheet, options)
    if _marked_sheet(opened) is sheet:
        return [_marked(opened, grid, options)]
    with _naming(opened.where):
        blocks, stray = find_blocks(grid, split=options.split)
        found = [_read(grid, block, options, opened.where) for block in blocks]
    hidden = (("row", grid.rows.hidden), ("column", grid.columns.hidden))
    lost = [f"left out: {counted(len(lines), f'hidden {name}')}" for name, lines in hidden if lines]
    if stray:
        place = grid.address(stray[0])
        lost.append(f"left out: {counted(len(stray), 'text')} beside the tables, in {place}")
    ranges = [each.range for each in found]
    return [
        replace(
            each,
            reasons=(*each.reasons, *lost),
            others=tuple([other for other in ranges if other != each.range]),
        )
        for each in found
    ]


def _found_in(opened: OpenedBook, sheet: Any, place: str, options: ReadingOptions) -> SheetTable:
    """The table of a range."""
    if not _RANGE.fullmatch(place.upper()):
        raise TableError(f"{opened.where}: range: found {place[:40]!r}; expected one such as A3:D20")
    grid = _grid(opened, sheet, options)
    left, top, right, bottom = range_boundaries(place.upper().replace("$", ""))
    area = grid.area((min(left, right), min(top, bottom), max(left, right), max(top, bottom)))
    if area is None or not any(r in area.rows and c in area.columns for r, c in grid.cells):
        raise TableError(f"{opened.where}: range {place} of sheet {sheet.title!r} is empty; expected a table")
    with _naming(opened.where):
        check_size([area])
        return _read(grid, Block(area), options, opened.where)


def _read(grid: SheetGrid, block: Block, options: ReadingOptions, where: str) -> SheetTable:
    """The table of a block."""
    cells = BlockCells(grid, block.area)
    rows = _known(options.header_rows, block.header_rows) or guess_header_rows(cells)
    columns = _known(options.header_columns, None) or guess_header_columns(cells, rows.count)
    title, *notes = block.above or ("",)
    structure = Structure(rows.count, columns.count, (), title, (*notes, *block.below))
    table = _assembled(grid, block.area, structure, where, exact=False)
    if options.notes_of_style:
        table = table.replace(notes=(*table.notes, *style_notes(table)))
    reasons = (
        *(f"rows: {reason}" for reason in rows.reasons),
        *(f"columns: {reason}" for reason in columns.reasons),
    )
    confidence = rows.confidence * columns.confidence
    return SheetTable(grid.name, grid.address(block.area), table, confidence, reasons)


def _known(given: int | None, declared: int | None) -> HeaderGuess | None:
    if given is not None:
        return HeaderGuess(given, 1.0, ("given",))
    return None if declared is None else HeaderGuess(declared, 1.0, ("declared as a table",))


def _assembled(grid: SheetGrid, area: SheetRange, structure: Structure, where: str, *, exact: bool) -> Table:
    """The table of an area's cells; ``exact`` where its texts are kept as they are.

    Raises:
        TableError: the texts are too long together, or a table that cannot be.
    """
    body = area.top + structure.header_rows
    lines, letters = [], 0
    for r in area.rows:
        line = []
        for c in area.columns:
            cell = grid.cells.get((r, c))
            is_label = c == area.left and structure.header_columns > 0 and r >= body
            blank = Cell("", style=grid.styled.get((r, c)))
            line.append(cell.as_cell(indented=is_label, exact=exact) if cell else blank)
            letters += len(line[-1].text)
        lines.append(line)
    if letters > _MOST_LETTERS:
        raise TableError(f"{where}: the table has {letters} characters; expected at most {_MOST_LETTERS}")
    structure.merged = tuple(
        (
            each.top - area.top,
            each.left - area.left,
            min(each.bottom, area.bottom) - each.top + 1,
            min(each.right, area.right) - each.left + 1,
        )
        for each in grid.merged
        if each.top in area.rows and each.left in area.columns
    )
    return assemble(lines, structure, where)


# tables that the workbook's names mark


_PLACE = re.compile(
    r"(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?)"
)


def _named(opened: OpenedBook) -> Mapping[str, tuple[Any, tuple[int, int, int, int]]]:
    """Our names, with the sheet and the bounds (left, top, right, bottom) of each."""
    found = {}
    for name, definition in opened.book.defined_names.items():
        match = name.startswith("Table") and _PLACE.fullmatch(definition.attr_text or "")
        title = match and (match[1].replace("''", "'") if match[1] else match[2])
        sheet = next((each for each in opened.book.worksheets if each.title == title), None)
        if match and sheet is not None:
            found[name] = (sheet, range_boundaries(match[3].replace("$", "")))
    return found


def _marked_sheet(opened: OpenedBook) -> Any:
    named = _named(opened)
    return named["TableCells"][0] if "TableCells" in named else None


def _marked(opened: OpenedBook, grid: SheetGrid, options: ReadingOptions) -> SheetTable:
    """The table that our names mark."""
    named = _named(opened)
    on = named["TableCells"][0]
    areas = {name: grid.area(bounds) for name, (sheet, bounds) in named.items() if sheet is on}
    area = areas["TableCells"]
    if area is None:
        raise TableError(f"{opened.where}: all cells of the table are hidden; expected some that show")
    with _naming(opened.where):
        check_size([area])
    header, labels = areas.get("TableHeader"), areas.get("TableRowLabels")
    title, notes = areas.get("TableTitle"), areas.get("TableNotes")
    rows, columns = options.header_rows, options.header_columns
    structure = Structure(
        header_rows=rows if rows is not None else len(header.rows) if header else 0,
        header_columns=columns if columns is not None else len(labels.columns) if labels else 0,
        title=_text(grid, title.top, title.left) if title else "",
        notes=tuple([_text(grid, r, notes.left) for r in notes.rows[:1000]]) if notes else (),
    )
    table = _without_heading_style(_assembled(grid, area, structure, opened.where, exact=True))
    return SheetTable(grid.name, grid.address(area), table, 1.0, ("marked by the workbook's names",))


def _without_heading_style(table: Table) -> Table:
    """The table without the style that our writer gives to headers; one without it was given none."""

    def restyled(cell: Cell, r: int, c: int) -> Cell:
        if r >= table.header_rows and c >= table.header_columns:
            return cell
        style = None if cell.style == HEADING else cell.style or CellStyle()
        return cell if style == cell.style else cell._replace(style=style)

    rows = [tuple([restyled(cell, r, c) for c, cell in row]) for r, row in enumerate(table.placed_rows)]
    return table.replace(rows=tuple(rows))


def _text(grid: SheetGrid, row: int, column: int) -> str:
    cell = grid.cells.get((row, column))
    return cell.text if cell else ""
