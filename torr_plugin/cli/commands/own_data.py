"""``torr data make``: a data set of your own tables. ``torr data tables``: what is found in workbooks."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import catalog, workflows
from ...catalog import own_tables
from ...core.errors import InputError, counted
from ...tables import Table, serializers, workbooks
from .. import console
from ..command import emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ...catalog.own_tables import OwnDataSet
    from ...tables.workbooks import Formulas, SheetTable


class DecimalMark(str, Enum):
    """What stands between a number and its fraction."""

    point = "."
    comma = ","


FormulaTexts = Annotated[
    bool,
    typer.Option(
        "--formula-texts", help="Read a formula without a stored value as its text; else refuse it."
    ),
]


@guarded
def tables(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="XLSX files.")],
    *,
    sheet: Annotated[str | None, typer.Option(help="Only this sheet; else all that are not hidden.")] = None,
    header_rows: Annotated[
        int | None, typer.Option(min=0, help="Rows of headings of every table; else detected.")
    ] = None,
    header_columns: Annotated[
        int | None, typer.Option(min=0, help="Columns of headings of every table; else detected.")
    ] = None,
    formula_texts: FormulaTexts = False,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Read hidden sheets, rows and columns too.")
    ] = False,
    show: Annotated[
        str | None, typer.Option(help="Print every table in this format (`torr list serializers`).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the tables that are found in workbooks: where they are, their headers, and how sure those are.

    The confidence is the probability that the numbers of header rows and header columns are both right.
    """
    options = workbooks.ReadingOptions(header_rows, header_columns, _formulas(formula_texts), hidden)
    write = _writer(show) if show else None
    found = [(path, each) for path in files for each in workbooks.read_workbook(path, sheet, options)]
    if as_json:
        emit({"tables": [_table_record(path, each, write) for path, each in found]})
        return 0
    rows = [_table_row(path if len(files) > 1 else None, each) for path, each in found]
    texts = [write(each.table) for _, each in found] if write else []  # before anything is printed
    console.print_rows(rows, left=("file", "sheet", "range", "title"))
    for text in texts:
        console.show_text(text.rstrip("\n"))
    unsure = [each for _, each in found if each.confidence < own_tables.UNSURE]
    if unsure:
        say(
            f"{counted(len(unsure), 'table')} with headers that are a guess: --header-rows and "
            "--header-columns say how many; --json gives the reasons"
        )
    return 0


def _formulas(texts: bool) -> Formulas:
    return "texts" if texts else "values"


def _writer(name: str) -> Callable[[Table], str]:
    serializer = serializers.get(name)
    if isinstance(serializer, serializers.PictureSerializer):
        raise InputError(f"--show: found {name}, which draws; expected a format of text, such as markdown")
    return serializer.serialize


def _table_row(path: Path | None, found: SheetTable) -> dict[str, Any]:
    """A table for the terminal; its file where there are several."""
    table = found.table
    return {
        **({"file": path.name} if path else {}),
        "sheet": found.sheet,
        "range": found.range,
        "size": f"{table.n_rows} x {table.n_columns}",
        "header rows": table.header_rows,
        "header columns": table.header_columns,
        "confidence": f"{found.confidence:.2f}",
        "title": table.title,
    }


def _table_record(path: Path, found: SheetTable, write: Callable[[Table], str] | None) -> dict[str, Any]:
    table = found.table
    return {
        "file": path,
        "sheet": found.sheet,
        "range": found.range,
        "rows": table.n_rows,
        "columns": table.n_columns,
        "header_rows": table.header_rows,
        "header_columns": table.header_columns,
        "confidence": round(found.confidence, 4),
        "title": table.title,
        "notes": table.notes,
        "reasons": found.reasons,
        **({"text": write(table)} if write else {}),
    }


@guarded
def make(
    name: Annotated[str, typer.Argument(help="The name of the data set, e.g. towns.")],
    *,
    tables: Annotated[Path, typer.Option(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    questions: Annotated[
        Path,
        typer.Option(
            help="A CSV, TSV, XLSX or JSON lines file: table, question, answer (or any_of, all_of)[, id, "
            "split (test or train), sheet, range, absolute_tolerance, relative_tolerance]."
        ),
    ],
    to: Annotated[
        Path | None, typer.Option("--to", help="The mirror's folder; else TORR_DATA, else data.")
    ] = None,
    licence: Annotated[str, typer.Option(help="The licence of the tables.")] = "unknown",
    metric: Annotated[
        str | None,
        typer.Option(help="Rates the answers (`torr list metrics`); else the one that fits the questions."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of the CSV files, e.g. cp1250; else detected.")
    ] = None,
    header_rows: Annotated[
        int | None,
        typer.Option(min=0, help="Rows of headings of every table; else 1, and in XLSX detected."),
    ] = None,
    header_columns: Annotated[
        int | None,
        typer.Option(min=0, help="Columns of headings of every table; else 0, and in XLSX detected."),
    ] = None,
    sheet: Annotated[
        str, typer.Option(help="The sheet of every workbook; else the first with a table.")
    ] = "",
    formula_texts: FormulaTexts = False,
    decimal_mark: Annotated[
        DecimalMark, typer.Option(help="In numbers that can be read in two ways, for number_match.")
    ] = DecimalMark.point,
    as_json: Json = False,
) -> int:
    """Make a data set of your own tables and questions about them: its data, a card, a first recipe.

    Run again when the files have changed: the data are replaced; an existing card or recipe stays.
    Data that this command did not make are never replaced.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    with writing(mirror):
        made = workflows.make_own_data(
            name,
            questions,
            tables,
            mirror,
            licence=licence,
            metric=metric,
            encoding=encoding,
            header_rows=header_rows,
            header_columns=header_columns,
            sheet=sheet,
            formulas=_formulas(formula_texts),
            decimal_mark=decimal_mark.value,
        )
    for note in made.notes:
        console.say_in_columns(note)
    if as_json:
        emit(
            {
                "data": made.data,
                "card": made.card,
                "recipe": made.recipe,
                "kept": made.kept,
                "asked": made.asked,
                "demonstrations": made.shown,
                "tables": made.tables,
                "metric": made.metric,
                "notes": made.notes,
            }
        )
    else:
        _show(made, mirror)
    return 0


def _show(made: OwnDataSet, mirror: Path) -> None:
    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{counted(made.tables, 'table')}; {counted(made.asked, 'question')} to ask{shown}")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    there = os.environ.get("TORR_DATA") == str(mirror)
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    say(f"Next: {variable}torr run {quote(str(made.recipe))}")  # one line, as it is to be copied
