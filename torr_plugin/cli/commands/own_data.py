"""``torr data make``: a data set of your own tables. ``torr data tables``: what is found in workbooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from ... import catalog
from ...catalog import own_tables
from ...core.errors import InputError, counted
from ...tables import Table, serializers, workbooks
from .. import console
from ..command import emit, guarded, say, writing
from .options import Json, MirrorTo

if TYPE_CHECKING:
    from ...catalog.own_tables import AnswerMetric, DataAndCard
    from ...tables.workbooks import Formulas, SheetTable


class DecimalMark(str, Enum):
    """What stands between a number and its fraction."""

    point = "."
    comma = ","


FormulaTexts = Annotated[
    bool, Option("--formula-texts", help="Read a formula without a stored value as its text; else refuse it.")
]


@guarded
def tables(
    files: Annotated[list[Path], Argument(metavar="FILE...", help="XLSX files.")],
    *,
    sheet: Annotated[str | None, Option(help="Only this sheet; else all that are not hidden.")] = None,
    header_rows: Annotated[int | None, Option(min=0, help="Rows of headings; else detected.")] = None,
    header_columns: Annotated[int | None, Option(min=0, help="Columns of headings; else detected.")] = None,
    formula_texts: FormulaTexts = False,
    hidden: Annotated[bool, Option("--hidden", help="Read hidden sheets, rows and columns too.")] = False,
    show: Annotated[
        str | None, Option(help="Print every table in this format (`torr list serializers`).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the tables that are found in workbooks: where they are, their headers, and how sure those are.

    The confidence is the probability that the numbers of header rows and header columns are both right.
    """
    options = workbooks.ReadingOptions(header_rows, header_columns, _formulas(formula_texts), hidden)
    write = _writer(show) if show else None
    found = [(path, each) for path in files for each in workbooks.read_workbook(path, sheet, options)]
    records = [_record(path, each, write) for path, each in found]
    if as_json:
        emit({"tables": records})
        return 0
    shown = ("sheet", "range", "header_rows", "header_columns", "confidence", "title")
    several = len(files) > 1
    rows = [
        {
            **({"file": row["file"].name} if several else {}),
            **{name: row[name] for name in shown},
            "confidence": f"{row['confidence']:.2f}",
        }
        for row in records
    ]
    console.print_rows(rows, left=("file", "sheet", "range", "title"))
    for row in records if write else ():
        console.show_text(row["text"].rstrip("\n"))
    if unsure := sum(each.confidence < own_tables.UNSURE for _, each in found):
        say(
            f"{counted(unsure, 'table')} with headers that are a guess: --header-rows and "
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


def _record(path: Path, found: SheetTable, write: Callable[[Table], str] | None) -> dict[str, Any]:
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
    name: Annotated[str, Argument(help="The name of the data set, e.g. towns.")],
    *,
    tables: Annotated[Path, Option(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    questions: Annotated[
        Path,
        Option(
            help="A CSV, TSV, XLSX or JSON lines file: table, question, answer (or any_of, all_of)[, id, "
            "split (test or train), sheet, range, absolute_tolerance, relative_tolerance]."
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
    sheet: Annotated[str, Option(help="The sheet of every workbook; else the first with a table.")] = "",
    formula_texts: FormulaTexts = False,
    decimal_mark: Annotated[
        DecimalMark, Option(help="In numbers that can be read in two ways, for number_match.")
    ] = DecimalMark.point,
    as_json: Json = False,
) -> int:
    """Make a data set of your own tables and questions about them: its data, a card, a first recipe.

    Run again when the files have changed: the data are replaced; an existing card or recipe stays.
    Data that this command did not make are never replaced.
    """
    from ...catalog.text_files import TextFiles  # brings charset_normalizer

    mirror = to or catalog.mirror_folder() or Path("data")
    shape = own_tables.TableShape(header_rows, header_columns, sheet, _formulas(formula_texts))
    with writing(mirror):
        made = own_tables.make_data_set(
            name,
            questions,
            own_tables.Tables(tables, TextFiles(encoding), shape),
            mirror,
            beside=Path(),
            licence=licence,
            metric=None if metric is None else _answer_metric(metric),
            decimal_mark=decimal_mark.value,
        )
    notes = [*(_unfit_card(made, mirror, metric) if made.card in made.kept else ()), *made.notes]
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
                "metric": made.metric,
                "notes": notes,
            }
        )
        return 0
    shown = f", {made.shown:,} for demonstrations" if made.shown else ", no demonstrations"
    say(f"{counted(made.tables, 'table')}; {counted(made.asked, 'question')} to ask{shown}")
    for path in (*made.data, made.card, made.recipe):
        say(f"{path}{' (was there: left as it is)' if path in made.kept else ''}")
    there = os.environ.get("TORR_DATA") == str(mirror)
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    say(f"Next: {variable}torr run {quote(str(made.recipe))}")  # one line, as it is to be copied
    return 0


def _answer_metric(name: str) -> AnswerMetric:
    """A metric by its name, for a card; refuses one that needs more than answers."""
    from ...scoring.metrics import metrics, needs_of
    from ...scoring.metrics.unitxt import PREFIX

    metric = metrics.get(name)
    needs = needs_of(metric)
    if needs:
        raise InputError(f"--metric: {name} needs {', '.join(needs)} of each example, which tables lack")
    if metric.name.startswith(PREFIX):
        return own_tables.AnswerMetric(metric.name.removeprefix(PREFIX), metric.main)
    return own_tables.AnswerMetric(f"metrics.torr.{metric.name}", metric.main)


def _unfit_card(made: DataAndCard, mirror: Path, metric: str | None) -> Iterator[str]:
    """Notes on an existing card that cannot read the new data, leaves out a part, or rates otherwise."""
    from ...catalog.loading import stream_rows
    from ...catalog.reading import read_rows
    from ...catalog.schema import TableLoader

    again = f"edit {made.card}, or remove it to have it made again"
    try:
        card = catalog.load_card(made.card)
    except InputError:  # reported when it is used
        return
    loader = card.loader
    if not isinstance(loader, TableLoader) or loader.mirror != made.data[0].parent.name:
        return  # a card of other data
    try:
        rows = stream_rows(loader, card.test_split, card.name, mirror)
        next(read_rows(card.reading, rows, split=card.test_split, card=card.name), None)
    except InputError as error:
        yield f"{made.card}: left as found, but cannot read the data now: {error}; {again}"
        return
    unread = [name for name in made.columns if name not in loader.columns]
    if unread:
        yield f"{made.card}: left as found, but does not read {', '.join(unread)}; {again}"
    one_text = own_tables.AS_ONE_TEXT
    needs_another = card.main_metric in one_text and made.metric not in one_text
    if needs_another or (metric is not None and made.metric != card.main_metric):
        yield f"{made.card}: left as found, with the metric {card.main_metric}; {again}"
