"""``torr data``: a mirror of the cards' data for use offline."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from ... import catalog
from ...core.errors import InputError
from .. import console
from ..command import check_folder, command_app, emit, guarded, say
from .options import Json

if TYPE_CHECKING:
    from ...catalog import Card
    from ...catalog.mirroring import Pulled, Verified

app = command_app("Make data of your own ready for studies; make or check a mirror of the cards' data.")

Names = Annotated[list[str] | None, Argument(metavar="CARD", help="Cards by name; without any, all.")]
To = Annotated[Path | None, Option("--to", help="The mirror's folder; else TORR_DATA.")]
_WORDS = {"there": "there already", "kept": "kept: no pull made it"}
_MANIFEST = {None: "not in it", True: "agrees", False: "differs"}


@app.command()
@guarded
def pull(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Fetch the data of cards from the hub into a mirror. Run again to resume."""
    mirror, chosen = _mirror(to), catalog.mirroring.mirrored(cards or ())
    outcomes: list[Pulled] = []
    for wanted in catalog.mirroring.wanted_files(chosen):
        outcome = catalog.mirroring.pull(wanted, mirror)
        _say_pulled(outcome, outcomes)
        outcomes.append(outcome)
    made = _generated(chosen)
    for card in made:
        say(f"{card}: nothing to pull: the package makes its tables itself")
    files = list(map(_pulled_record, outcomes))
    if as_json:
        emit({"mirror": mirror, "files": files, "generated": made})
    else:
        shown = ("file", "state", "rows", "hub", "licence")
        console.print_rows([{name: row[name] for name in shown} for row in files], left=shown)
        if any(each.state != "failed" for each in outcomes):
            say(f"To read from it: export TORR_DATA={quote(str(mirror.resolve()))}")
    failed = sum(each.state == "failed" for each in outcomes)
    return 0 if not failed else 1 if failed < len(outcomes) else 2


@app.command(short_help="Read all of a mirror; compare it with the manifest.")
@guarded
def verify(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Read all that a mirror has of cards, and compare it with the manifest."""
    mirror, chosen = _mirror(to), catalog.mirroring.mirrored(cards or ())
    if not mirror.is_dir():
        raise InputError(f"{mirror}: no such folder; expected a mirror (`torr data pull --to DIR` makes one)")
    found = [each for card in chosen for each in catalog.mirroring.verify(card, mirror)]
    splits = list(map(_verified_record, found))
    if as_json:
        emit({"mirror": mirror, "splits": splits, "generated": _generated(chosen)})
    else:
        rows = [
            {
                "card": row["card"],
                "split": row["split"],
                "state": row["state"] if row["needed"] or row["state"] != "missing" else "not needed",
                "manifest": "" if row["state"] == "missing" else _MANIFEST[row["manifest"]],
                "examples": row["examples"],
                "file": row["file"],
            }
            for row in splits
        ]
        console.print_rows(rows, left=("card", "split", "state", "manifest", "file"))
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


def _say_pulled(outcome: Pulled, before: list[Pulled]) -> None:
    """Report a file. Why it failed is printed once a card, as the reason is the same for all its files."""
    if not outcome.problem:
        rows = "" if outcome.rows is None else f" ({outcome.rows:,} rows)"
        say(f"{outcome.wanted.place}: {_WORDS.get(outcome.state, outcome.state)}{rows}")
    elif outcome.wanted.card not in {each.wanted.card for each in before if each.problem}:
        say(f"torr: {outcome.problem}")


def _pulled_record(outcome: Pulled) -> dict[str, Any]:
    return {
        "file": outcome.wanted.place,
        "cards": [card.name for card in outcome.wanted.readers],
        "hub": outcome.wanted.loader.hub.path,
        "licence": outcome.wanted.licence,
        "state": outcome.state,
        "rows": outcome.rows,
        "problem": outcome.problem or None,
    }


def _verified_record(split: Verified) -> dict[str, Any]:
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
