"""``torr data``: a mirror of the cards' data for use offline, and statistics of it."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import catalog, workflows
from ...catalog import mirroring
from ...core.errors import InputError
from .. import console
from ..command import check_folder, command_app, emit, guarded, say
from .options import Json

if TYPE_CHECKING:
    from ...catalog import Card
    from ...catalog.mirroring import Pulled, Verified
    from ...workflows.statistics import CardStatistics

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


@app.command(short_help="Count questions, tables and their sizes, by level.")
@guarded
def stats(
    cards: Annotated[list[str], typer.Argument(metavar="CARD...", help="Cards, by name or file.")],
    *,
    by: Annotated[
        str | None, typer.Option(metavar="GROUP", help="Also by this group of the examples, such as company.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many questions a card.")] = None,
    as_json: Json = False,
) -> int:
    """Count questions, documents and tables; measure tables, questions and answers, as means."""
    found = [each for card in cards for each in workflows.card_statistics(card, by, limit)]
    if as_json:
        emit({"statistics": [each.to_json() for each in found]})
    else:
        console.print_rows(_statistics_rows(found, by or "level"), left=("card", by or "level"))
        console.say_in_columns(
            "Means: characters of questions and answers, tables of a document, rows and columns of a table."
        )
    return 0


def _statistics_rows(found: list[CardStatistics], by: str) -> list[dict[str, Any]]:
    """The figures, means with the two digits of TableQuest's Table 1; the card where there are several."""
    names = {each.card.removeprefix("cards.") for each in found}
    siblings = len({name.rpartition(".")[0] for name in names}) == 1
    return [
        {
            **({"card": _named(each.card, siblings)} if len(names) > 1 else {}),
            by: each.group or "all",
            "questions": each.questions,
            "question": f"{each.question_length:.2f}",
            "answer": f"{each.answer_length:.2f}",
            "documents": each.documents,
            "tables": f"{each.tables_per_document:.2f}",
            "rows": f"{each.rows_per_table:.2f}",
            "columns": f"{each.columns_per_table:.2f}",
        }
        for each in found
    ]


def _named(card: str, siblings: bool) -> str:
    return card.rpartition(".")[2] if siblings else card.removeprefix("cards.")


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
