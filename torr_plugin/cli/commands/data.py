"""``torr data``: a mirror of the cards' data, for machines without a network."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..command import command_app, emit, guarded, say
from .options import Json

if TYPE_CHECKING:
    from ...catalog import Card
    from ...catalog.mirroring import Pulled, Verified

app = command_app("Make data of your own ready for studies; make or check a mirror of the cards' data.")

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="CARD", help="Cards by name; else all.", show_default=False),
]
To = Annotated[
    Path | None, typer.Option("--to", help="The mirror's folder; else TORR_DATA.", show_default=False)
]
_WORDS = {
    "pulled": "pulled",
    "there": "there already",
    "kept": "kept: no pull made it",
    "failed": "failed",
}


@app.command()
@guarded
def pull(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Fetch the data of cards from the hub into a mirror. Run again to resume."""
    from ...catalog.mirroring import mirrored, wanted_files
    from ...catalog.mirroring import pull as pull_one

    mirror, chosen = _mirror(to), mirrored(cards or ())
    outcomes: list[Pulled] = []
    for wanted in wanted_files(chosen):
        outcome = pull_one(wanted, mirror)
        _say_pulled(outcome, outcomes)
        outcomes.append(outcome)
    made = _made(chosen)
    for card in made:
        say(f"{card}: nothing to pull: the package makes its tables itself")
    if as_json:
        emit({"mirror": str(mirror), "files": list(map(_pulled_row, outcomes)), "generated": made})
    else:
        _show_pulled(outcomes, mirror)
    failed = sum(each.state == "failed" for each in outcomes)
    return 0 if not failed else 1 if failed < len(outcomes) else 2


@app.command(short_help="Read all of a mirror; compare it with the manifest.")
@guarded
def verify(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Read all that a mirror has of cards, and compare it with the manifest."""
    from ...catalog.mirroring import mirrored
    from ...catalog.mirroring import verify as verify_one
    from ...core.errors import InputError

    mirror, chosen = _mirror(to), mirrored(cards or ())
    if not mirror.is_dir():
        raise InputError(f"{mirror}: no such folder; expected a mirror (`torr data pull --to DIR` makes one)")
    found = [each for card in chosen for each in verify_one(card, mirror)]
    if as_json:
        emit({"mirror": str(mirror), "splits": list(map(_verified_row, found)), "generated": _made(chosen)})
    else:
        _show_verified(found)
    for each in found:
        if each.problem:
            say(f"torr: {each.problem}")
    return 1 if any(_is_wrong(each, found, bool(cards)) for each in found) else 0


def _mirror(to: Path | None) -> Path:
    from ...catalog.mirror import mirror_folder
    from ...core.errors import InputError

    mirror = to or mirror_folder()
    if mirror is None:
        raise InputError("no mirror is named; expected --to DIR, or the variable TORR_DATA")
    if mirror.exists() and not mirror.is_dir():
        raise InputError(f"{mirror}: is a file; expected a folder, or a name that is free")
    return mirror


def _made(cards: list[Card]) -> list[str]:
    return [card.name for card in cards if card.loader.type_ != "load_tables"]


def _is_wrong(split: Verified, found: list[Verified], named: bool) -> bool:
    """Broken; or a card that was named, or of which there is a part, lacks a split that studies read."""
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
    """What became of a file; why it failed, once a card: the reason is the same for all its files."""
    if outcome.problem:
        if outcome.wanted.card not in {each.wanted.card for each in before if each.problem}:
            say(f"torr: {outcome.problem}")
        return
    rows = "" if outcome.rows is None else f" ({outcome.rows:,} rows)"
    say(f"{outcome.wanted.place}: {_WORDS[outcome.state]}{rows}")


def _show_pulled(outcomes: list[Pulled], mirror: Path) -> None:
    from ..console import print_rows

    rows = [
        {
            "file": each.wanted.place,
            "state": _WORDS[each.state],
            "rows": "" if each.rows is None else each.rows,
            "from": each.wanted.loader.hub.path,
            "licence": each.wanted.licence,
        }
        for each in outcomes
    ]
    print_rows(rows, left=("file", "state", "from", "licence"))
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
    from ..console import print_rows

    manifest = {None: "not in it", True: "agrees", False: "differs"}
    rows = [
        {
            "card": each.card,
            "split": each.split,
            "state": each.state if each.needed or each.state != "missing" else "not needed",
            "manifest": "" if each.state == "missing" else manifest[each.manifest],
            "examples": "" if each.examples is None else each.examples,
            "file": each.place,
        }
        for each in found
    ]
    print_rows(rows, left=("split", "state", "manifest", "file"), under="card")
