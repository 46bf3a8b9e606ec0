"""``torr data make``: a data set of your own tables."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ... import catalog, workflows
from ...core.errors import counted
from .. import console
from ..command import emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ...catalog.own_tables import OwnDataSet


class DecimalMark(str, Enum):
    """What stands between a number and its fraction."""

    point = "."
    comma = ","


@guarded
def make(
    name: Annotated[str, typer.Argument(help="The name of the data set, e.g. towns.")],
    *,
    tables: Annotated[Path, typer.Option(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    questions: Annotated[
        Path,
        typer.Option(
            help="A CSV, TSV, XLSX or JSON lines file: table, question, answer (or any_of, all_of)[, id, "
            "split (test or train), sheet, absolute_tolerance, relative_tolerance]."
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
        typer.Option(min=0, help="Rows of headings of every table; else 1, and in XLSX what it shows."),
    ] = None,
    header_columns: Annotated[
        int | None,
        typer.Option(min=0, help="Columns of headings of every table; else 0, and in XLSX what it shows."),
    ] = None,
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
