"""``torr data make``: a data set of one's own, of CSV files."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ..catalog.own_tables import Made


@guarded
def make(
    name: Annotated[str, typer.Argument(help="What the data set is called, e.g. towns.", show_default=False)],
    *,
    tables: Annotated[
        Path, typer.Option(help="A folder with a CSV or TSV file a table.", show_default=False)
    ],
    questions: Annotated[
        Path,
        typer.Option(
            help="A CSV or TSV file: table, question, answer[, id, split (test or train)].",
            show_default=False,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="The mirror's folder; else TORR_DATA, else data.", show_default=False),
    ] = None,
    licence: Annotated[str, typer.Option(help="What the tables may be used for.")] = "unknown",
    as_json: Json = False,
) -> int:
    """Make a data set of tables in CSV files and a file of questions: its data, a card, a first recipe.

    Run again when the files have changed: the data are made anew, a card and a recipe that are there stay.
    """
    from ..catalog.mirror import mirror_folder
    from ..catalog.own_tables import make as make_data_set
    from ..console import say_in_columns

    mirror = to or mirror_folder() or Path("data")
    with writing(mirror):
        made = make_data_set(name, questions, tables, mirror, beside=Path(), licence=licence)
    for note in made.notes:
        say_in_columns(note)
    if as_json:
        emit(_record(made))
    else:
        _show(made, mirror)
    return 0


def _show(made: Made, mirror: Path) -> None:
    from ..console import say_in_columns

    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{_counted(made.tables, 'table')}; {_counted(made.asked, 'question')} to ask{shown}")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    there = os.environ.get("TORR_DATA") == str(mirror)
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    say_in_columns(f"Next: {variable}torr run {made.recipe}")


def _counted(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"


def _record(made: Made) -> dict[str, object]:
    return {
        "data": list(map(str, made.data)),
        "card": str(made.card),
        "recipe": str(made.recipe),
        "kept": list(map(str, made.kept)),
        "asked": made.asked,
        "demonstrations": made.shown,
        "tables": made.tables,
        "notes": list(made.notes),
    }
