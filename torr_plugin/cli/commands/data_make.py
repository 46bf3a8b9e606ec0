"""``torr data make``: a data set of one's own, of CSV files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ..command import emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ...catalog.own_tables import Made


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
    Data that this command did not make are never replaced.
    """
    from ...catalog.mirror import mirror_folder
    from ...catalog.own_tables import make as make_data_set
    from ..console import say_in_columns

    mirror = to or mirror_folder() or Path("data")
    with writing(mirror):
        made = make_data_set(name, questions, tables, mirror, beside=Path(), licence=licence)
    notes = (*_unfit(made), *made.notes)
    for note in notes:
        say_in_columns(note)
    if as_json:
        emit(_record(made, notes))
    else:
        _show(made, mirror)
    return 0


def _show(made: Made, mirror: Path) -> None:
    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{_counted(made.tables, 'table')}; {_counted(made.asked, 'question')} to ask{shown}")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    there = os.environ.get("TORR_DATA") == str(mirror)
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    say(f"Next: {variable}torr run {quote(str(made.recipe))}")  # one line, as it is to be copied


def _unfit(made: Made) -> list[str]:
    """What is said of a card and a recipe that were there and are for data with other demonstrations."""
    asked = {made.card: _card_has_split, made.recipe: _recipe_shows}
    demonstrates = {path: asked[path](made) for path in made.kept}
    expected = {made.card: bool(made.shown), made.recipe: bool(made.shots)}
    said = {
        True: "with demonstrations, which the data lack",
        False: "without demonstrations, which the data have",
    }
    notes = []
    for does, what in said.items():
        files = [path for path in made.kept if demonstrates[path] is does and expected[path] is not does]
        if files:
            them = "them" if len(files) > 1 else "it"
            notes.append(
                f"{' and '.join(map(str, files))}: left as found, but made {what} now; edit {them}, or "
                f"remove {them} to have {them} made anew"
            )
    return notes


def _card_has_split(made: Made) -> bool | None:
    """Whether a card reads the split for demonstrations; None where it is wrong or of other data."""
    from ...catalog import load_card
    from ...catalog.own_tables import SHOWN
    from ...catalog.schema import LoadTables
    from ...core.errors import InputError

    try:
        loader = load_card(made.card).loader
    except InputError:  # said when it is used
        return None
    if not isinstance(loader, LoadTables) or loader.mirror != made.data[0].parent.name:
        return None
    return any(split.mirror == SHOWN for split in loader.splits.values())


def _recipe_shows(made: Made) -> bool | None:
    """Whether a study shows demonstrations of this data; None where it is wrong or asks something else."""
    from ...core.errors import InputError
    from ...recipes import load

    try:
        recipe = load(made.recipe)
    except InputError:
        return None
    shots = [
        recipe.demonstrations.shots if entry.shots is None else entry.shots
        for entry in recipe.cards
        if Path(entry.card).resolve() == made.card.resolve()
    ]
    return any(shots) if shots else None


def _counted(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"


def _record(made: Made, notes: Sequence[str]) -> dict[str, object]:
    return {
        "data": list(map(str, made.data)),
        "card": str(made.card),
        "recipe": str(made.recipe),
        "kept": list(map(str, made.kept)),
        "asked": made.asked,
        "demonstrations": made.shown,
        "tables": made.tables,
        "notes": list(notes),
    }
