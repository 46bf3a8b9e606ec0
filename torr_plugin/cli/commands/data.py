"""``torr data``: a data set of your own CSV files, and a mirror of the cards' data for use offline."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import catalog, recipes
from ...catalog import mirroring, own_tables
from ...core.errors import InputError
from .. import console
from ..command import check_folder, command_app, emit, guarded, say, writing
from .options import Json

if TYPE_CHECKING:
    from ...catalog import Card
    from ...catalog.mirroring import Pulled, Verified
    from ...catalog.own_tables import OwnDataSet

app = command_app("Make data of your own ready for studies; make or check a mirror of the cards' data.")

Names = Annotated[list[str] | None, typer.Argument(metavar="CARD", help="Cards by name; without any, all.")]
To = Annotated[Path | None, typer.Option("--to", help="The mirror's folder; else TORR_DATA.")]
_WORDS = {"there": "there already", "kept": "kept: no pull made it"}
_MANIFEST = {None: "not in it", True: "agrees", False: "differs"}


@app.command()
@guarded
def pull(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Fetch the data of cards from the hub into a mirror. Run again to resume."""
    mirror, chosen = _mirror(to), mirroring.mirrored(cards or ())
    outcomes: list[Pulled] = []
    for wanted in mirroring.wanted_files(chosen):
        outcome = mirroring.pull(wanted, mirror)
        _say_pulled(outcome, outcomes)
        outcomes.append(outcome)
    made = _generated(chosen)
    for card in made:
        say(f"{card}: nothing to pull: the package makes its tables itself")
    if as_json:
        emit({"mirror": mirror, "files": list(map(_pulled_row, outcomes)), "generated": made})
    else:
        _show_pulled(outcomes, mirror)
    failed = sum(each.state == "failed" for each in outcomes)
    return 0 if not failed else 1 if failed < len(outcomes) else 2


@app.command(short_help="Read all of a mirror; compare it with the manifest.")
@guarded
def verify(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Read all that a mirror has of cards, and compare it with the manifest."""
    mirror, chosen = _mirror(to), mirroring.mirrored(cards or ())
    if not mirror.is_dir():
        raise InputError(f"{mirror}: no such folder; expected a mirror (`torr data pull --to DIR` makes one)")
    found = [each for card in chosen for each in mirroring.verify(card, mirror)]
    if as_json:
        splits = list(map(_verified_row, found))
        emit({"mirror": mirror, "splits": splits, "generated": _generated(chosen)})
    else:
        _show_verified(found)
    for each in found:
        if each.problem:
            say(f"torr: {each.problem}")
    return 1 if any(_is_wrong(each, found, bool(cards)) for each in found) else 0


def _mirror(to: Path | None) -> Path:
    mirror = to or catalog.mirror_folder()
    if mirror is None:
        raise InputError("no mirror is named; expected --to DIR, or the variable TORR_DATA")
    check_folder(mirror)
    return mirror


def _generated(cards: list[Card]) -> list[str]:
    return [card.name for card in cards if card.loader.type_ != "load_tables"]


def _is_wrong(split: Verified, found: list[Verified], named: bool) -> bool:
    """Whether a split is broken; or missing, though a card needs it that was named or is there in part."""
    if split.state == "broken":
        return True
    part = named or any(each.card == split.card and each.state != "missing" for each in found)
    return split.state == "missing" and split.needed and part


def _pulled_row(outcome: Pulled) -> dict[str, Any]:
    return {
        "file": outcome.wanted.place,
        "cards": [card.name for card in outcome.wanted.readers],
        "hub": outcome.wanted.loader.hub.path,
        "licence": outcome.wanted.licence,
        "state": outcome.state,
        "rows": outcome.rows,
        "problem": outcome.problem or None,
    }


def _say_pulled(outcome: Pulled, before: list[Pulled]) -> None:
    """Report a file. Why it failed is printed once a card, as the reason is the same for all its files."""
    if not outcome.problem:
        rows = "" if outcome.rows is None else f" ({outcome.rows:,} rows)"
        say(f"{outcome.wanted.place}: {_WORDS.get(outcome.state, outcome.state)}{rows}")
    elif outcome.wanted.card not in {each.wanted.card for each in before if each.problem}:
        say(f"torr: {outcome.problem}")


def _show_pulled(outcomes: list[Pulled], mirror: Path) -> None:
    rows = [
        {
            "file": each.wanted.place,
            "state": _WORDS.get(each.state, each.state),
            "rows": each.rows,
            "from": each.wanted.loader.hub.path,
            "licence": each.wanted.licence,
        }
        for each in outcomes
    ]
    console.print_rows(rows, left=("file", "state", "from", "licence"))
    if any(each.state != "failed" for each in outcomes):
        say(f"To read from it: export TORR_DATA={quote(str(mirror.resolve()))}")


def _verified_row(split: Verified) -> dict[str, Any]:
    return {
        "card": split.card,
        "split": split.split,
        "file": split.place,
        "state": split.state,
        "needed": split.needed,
        "examples": split.examples,
        "manifest": split.manifest,
        "problem": split.problem or None,
    }


def _show_verified(found: list[Verified]) -> None:
    rows = [
        {
            "card": each.card,
            "split": each.split,
            "state": each.state if each.needed or each.state != "missing" else "not needed",
            "manifest": None if each.state == "missing" else _MANIFEST[each.manifest],
            "examples": each.examples,
            "file": each.place,
        }
        for each in found
    ]
    console.print_rows(rows, left=("card", "split", "state", "manifest", "file"))


@guarded
def make(
    name: Annotated[str, typer.Argument(help="The name of the data set, e.g. towns.")],
    *,
    tables: Annotated[Path, typer.Option(help="A folder with a CSV or TSV file a table.")],
    questions: Annotated[
        Path, typer.Option(help="A CSV or TSV file: table, question, answer[, id, split (test or train)].")
    ],
    to: Annotated[
        Path | None, typer.Option("--to", help="The mirror's folder; else TORR_DATA, else data.")
    ] = None,
    licence: Annotated[str, typer.Option(help="The licence of the tables.")] = "unknown",
    as_json: Json = False,
) -> int:
    """Make a data set of tables in CSV files and a file of questions: its data, a card, a first recipe.

    Run again when the files have changed: the data are replaced; an existing card or recipe stays.
    Data that this command did not make are never replaced.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    with writing(mirror):
        made = own_tables.make_data_set(name, questions, tables, mirror, beside=Path(), licence=licence)
    notes = (*_unfit(made), *made.notes)
    for note in notes:
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
                "notes": notes,
            }
        )
    else:
        _show(made, mirror)
    return 0


def _show(made: OwnDataSet, mirror: Path) -> None:
    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{_counted(made.tables, 'table')}; {_counted(made.asked, 'question')} to ask{shown}")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    there = os.environ.get("TORR_DATA") == str(mirror)
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    say(f"Next: {variable}torr run {quote(str(made.recipe))}")  # one line, as it is to be copied


def _counted(number: int, of: str) -> str:
    return f"{number:,} {of}{'s' * (number != 1)}"


def _unfit(made: OwnDataSet) -> list[str]:
    """Notes on an existing card or recipe that does not fit the demonstrations of the new data."""
    has_and_needs = {
        made.card: (_card_has_split(made), bool(made.shown)),
        made.recipe: (_recipe_shows(made), bool(made.shots)),
    }
    notes = []
    for has, what in (
        (True, "with demonstrations, which the data lack"),
        (False, "without demonstrations, which the data have"),
    ):
        files = [str(path) for path in made.kept if has_and_needs[path] == (has, not has)]
        if files:
            them = "them" if len(files) > 1 else "it"
            notes.append(
                f"{' and '.join(files)}: left as found, but made {what} now; edit {them}, or "
                f"remove {them} to have {them} made again"
            )
    return notes


def _card_has_split(made: OwnDataSet) -> bool | None:
    """Whether a card reads the split for demonstrations; None for a wrong card or one of other data."""
    try:
        loader = catalog.load_card(made.card).loader
    except InputError:  # reported when it is used
        return None
    if loader.type_ != "load_tables" or loader.mirror != made.data[0].parent.name:
        return None
    return any(split.mirror == own_tables.TRAIN for split in loader.splits.values())


def _recipe_shows(made: OwnDataSet) -> bool | None:
    """Whether a recipe shows demonstrations of this data; None for a wrong one or without this card."""
    try:
        recipe = recipes.load(made.recipe)
    except InputError:
        return None
    shots = [
        recipe.demonstrations.shots if entry.shots is None else entry.shots
        for entry in recipe.cards
        if Path(entry.card).resolve() == made.card.resolve()
    ]
    return any(shots) if shots else None
