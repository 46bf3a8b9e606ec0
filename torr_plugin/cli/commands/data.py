"""``torr data``: data sets of your own tables, and a mirror of the cards' data for use offline."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from ... import catalog, workflows
from ...catalog import own_tables
from ...core.errors import InputError, counted
from ...tables import serializers, workbooks
from .. import console
from ..command import (
    check_folder,
    command_app,
    emit,
    guarded,
    next_command,
    say,
    say_error,
    say_in_columns,
)
from .options import Json, MirrorTo

if TYPE_CHECKING:
    from ...catalog import Card
    from ...catalog.mirroring import Pulled

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
    check_folder(mirror)
    outcomes: list[Pulled] = []
    for wanted in catalog.mirroring.wanted_files(chosen):
        outcomes.append(catalog.mirroring.pull(wanted, mirror))
        _say_pulled(outcomes)
    made = _generated(chosen)
    for card in made:
        say(f"{card}: nothing to pull: the package makes its tables itself")
    for each in chosen:
        if _in_mirrors_alone(each):
            say(f"{each.name}: nothing to pull: its data are not on the Hugging Face hub")
    rows = [
        {
            "file": each.wanted.place,
            "state": each.state,
            "rows": each.rows,
            "hub": each.wanted.loader.on_hub(each.wanted.card).path,
            "licence": each.wanted.licence,
        }
        for each in outcomes
    ]
    if as_json:
        more = (
            {"cards": [card.name for card in each.wanted.readers], "problem": each.problem or None}
            for each in outcomes
        )
        files = [{**row, **also} for row, also in zip(rows, more, strict=True)]
        emit({"mirror": mirror, "files": files, "generated": made})
    else:
        console.print_rows(rows, left=("file", "state", "hub", "licence"))
    failed = sum(each.state == "failed" for each in outcomes)
    if not as_json and failed < len(outcomes):
        say(f"To read from it: export TORR_DATA={quote(str(mirror.resolve()))}")
    return 0 if not failed else 1 if failed < len(outcomes) else 2


def _say_pulled(outcomes: list[Pulled]) -> None:
    """Report the last file; why it failed once a card, as the reason is the same for all its files."""
    *before, last = outcomes
    if not last.problem:
        rows = "" if last.rows is None else f" ({last.rows:,} rows)"
        say(f"{last.wanted.place}: {_WORDS.get(last.state, last.state)}{rows}")
    elif all(each.wanted.card != last.wanted.card for each in before if each.problem):
        say_error(last.problem)


@app.command()
@guarded
def verify(cards: Names = None, to: To = None, as_json: Json = False) -> int:
    """Read all of a mirror; compare it with the manifest.

    Exit code 1 if data that studies of these cards need are missing or broken.
    """
    mirror, chosen = _mirror(to), catalog.mirroring.mirrored(cards or ())
    if not mirror.is_dir():
        raise InputError(f"{mirror}: no such folder; expected a mirror (`torr data pull --to DIR` makes one)")
    splits = [each for card in chosen for each in catalog.mirroring.verify(card, mirror)]
    rows = [
        {
            "card": each.card,
            "split": each.split,
            "state": each.state if each.needed or each.state != "missing" else "not needed",
            "manifest": "" if each.state == "missing" else _MANIFEST[each.manifest],
            "examples": each.examples,
            "file": each.place,
        }
        for each in splits
    ]
    if as_json:
        records = [{**asdict(each), "file": each.place, "problem": each.problem or None} for each in splits]
        emit({"mirror": mirror, "splits": records, "generated": _generated(chosen)})
    else:
        console.print_rows(rows, left=("card", "split", "state", "manifest", "file"))
    broken = {each.card: None for each in splits if each.problem}
    for each in splits:
        if each.problem:
            say_error(each.problem)
    missing = [each for each in splits if each.state == "missing" and each.needed]
    lacking = {each.card for each in missing if each.card not in broken}
    for alone, how in ((False, "torr data pull fetches them"), (True, "no hub has them")):
        names = [card.name for card in chosen if card.name in lacking and _in_mirrors_alone(card) is alone]
        if names:
            say_error(f"{mirror}: lacks data of {counted(len(names), 'card')}: {', '.join(names)}; {how}")
    return 1 if missing or any(each.state == "broken" for each in splits) else 0


def _mirror(to: Path | None) -> Path:
    mirror = to or catalog.mirror_folder()
    if mirror is None:
        raise InputError("no mirror is named; expected --to DIR, or the variable TORR_DATA")
    return mirror


def _in_mirrors_alone(card: Card) -> bool:
    return card.loader.type_ == "load_tables" and card.loader.hub is None


def _generated(cards: list[Card]) -> list[str]:
    return [card.name for card in cards if card.loader.type_ != "load_tables"]


@app.command()
@guarded
def make(
    name: Annotated[str, Argument(help="The name of the data set, e.g. towns.")],
    *,
    tables: Annotated[Path, Option(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    questions: Annotated[
        Path,
        Option(
            help="A CSV, TSV, XLSX or JSON lines file: table, question, answer (or any_of, all_of)[, id, "
            "split (test or train), sheet, range, scale, texts, absolute_tolerance, relative_tolerance]."
        ),
    ],
    to: MirrorTo = None,
    licence: Annotated[str, Option(help="The licence of the tables.")] = "unknown",
    metric: Annotated[str | None, Option(help="Of `torr list metrics`; else what fits.")] = None,
    encoding: Annotated[str | None, Option(help="Of the CSV files, e.g. cp1250; else detected.")] = None,
    header_rows: Annotated[int | None, Option(min=0, help="Heading rows; else 1, in XLSX detected.")] = None,
    header_columns: Annotated[
        int | None, Option(min=0, help="Heading columns; in XLSX else detected.")
    ] = None,
    decimal_mark: Annotated[
        Literal[".", ","], Option(help="In numbers that can be read in two ways, for number_match.")
    ] = ".",
    as_json: Json = False,
) -> int:
    """Make a data set of your own tables.

    Of them and questions about them come its data, a card and a first recipe. Run again when the files
    have changed: the data are replaced; an existing card or recipe stays. Data that this command did not
    make are never replaced.
    """
    from ...catalog.text_files import TextFiles  # brings charset_normalizer

    mirror = to or catalog.mirror_folder() or Path("data")
    shape = own_tables.TableShape(header_rows, header_columns)
    made, notes = workflows.own_data.make_own_data(
        name,
        questions,
        own_tables.Tables(tables, TextFiles(encoding), shape),
        mirror,
        licence=licence,
        metric=metric,
        decimal_mark=decimal_mark,
    )
    say_in_columns(*notes)
    if as_json:
        emit({**asdict(made), "demonstrations": made.shown, "notes": notes})
        return 0
    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{counted(made.tables, 'table')}; {counted(made.asked, 'question')} to ask{shown}")
    if made.card not in made.kept:
        say_in_columns(f"{made.why}; --metric names another")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    say(f"{next_command(mirror)}torr run {quote(str(made.recipe))}")  # one line, as it is to be copied
    return 0


@app.command("tables")
@guarded
def show_tables(
    files: Annotated[list[Path], Argument(metavar="FILE", help="XLSX files.")],
    *,
    show: Annotated[
        str | None, Option(help="Print every table in this format (`torr list serializers`).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the tables in workbooks, and how sure their headers are.

    The confidence is the probability that the numbers of header rows and header columns are both right.
    """
    format_ = serializers.get(show) if show else None
    if isinstance(format_, serializers.PictureSerializer):
        raise InputError(f"--show: found {show}, which draws; expected a format of text, such as markdown")
    records: list[dict[str, Any]] = [
        {
            "file": path,
            "sheet": each.sheet,
            "range": each.range,
            "rows": each.table.n_rows,
            "columns": each.table.n_columns,
            "header_rows": each.table.header_rows,
            "header_columns": each.table.header_columns,
            "confidence": round(each.confidence, 4),
            "title": each.table.title,
            "notes": each.table.notes,
            "reasons": each.reasons,
            **({"text": format_.serialize(each.table)} if format_ else {}),
        }
        for path in files
        for each in workbooks.read_workbook(path)
    ]
    if as_json:
        emit({"tables": records})
        return 0
    names = ("sheet", "range", "header_rows", "header_columns", "confidence", "title")
    rows = [
        {
            **({"file": row["file"].name} if len(files) > 1 else {}),
            **{name: row[name] for name in names},
            "confidence": f"{row['confidence']:.2f}",
        }
        for row in records
    ]
    console.print_rows(rows, left=("file", "sheet", "range", "title"))
    for row in records if format_ else ():
        console.show_text(row["text"].rstrip("\n"))
    if unsure := sum(row["confidence"] < own_tables.UNSURE for row in records):
        say(
            f"{counted(unsure, 'table')} with headers that are a guess: --header-rows and "
            "--header-columns of torr data make say how many; --json gives the reasons"
        )
    return 0
