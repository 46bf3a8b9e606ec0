"""``torr synth``: generated data sets. ``torr properties``: what the tables of a data set are like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ... import workflows
from .. import console
from ..command import command_app, emit, guarded, say, writing
from .options import Json

app = command_app("Make data sets: tables, questions and answers that hold by construction.")


@app.callback()
def _commands() -> None:
    """Require the generator's name, although there is only one."""


def _option(text: str, **more: Any) -> Any:
    return typer.Option(help=text, show_default=False, **more)


@app.command()
@guarded
def hctqa(
    out: Annotated[Path, _option("A new or empty folder.")],
    tables: Annotated[
        int | None, _option("How many tables; else every combination of layouts.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, other tables.")] = 0,
    parameters: Annotated[
        Path | None, _option("A folder with the three parameter files; else our own topics.")
    ] = None,
    topics: Annotated[str | None, _option("These families of tables alone, by valueName: A,B.")] = None,
    questions: Annotated[str | None, _option("These types of questions alone, of 1 to 15: 1,2,5.")] = None,
    formats: Annotated[str | None, _option("Also a file a table: html,csv,latex,xlsx,png.")] = None,
    nonsense: Annotated[
        bool, typer.Option("--nonsense", help="Also every table and question in made-up words.")
    ] = False,
    replica: Annotated[int | None, _option("Variants of each combination.", min=1)] = None,
    shuffle: Annotated[str | None, _option("Of none,row,cols,rowscols,all, instead of the file's.")] = None,
    no_overflow: Annotated[
        bool, typer.Option("--no-overflow", help="Refuse a range with too few numbers for a table.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--names", help="Show attributes' names where col_row_name_pos says.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the files are the same.")] = 1,
    sft: Annotated[str | None, _option("Also a fine-tuning set: alpaca or chat.")] = None,
    sft_table: Annotated[str, typer.Option(help="How tables are written in it.")] = "html",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object on stdout.")
    ] = False,
) -> int:
    """Make human-centric tables with questions, SQL and answers, after HCT-QA."""
    options = workflows.SyntheticStudyOptions(
        tables=tables,
        seed=seed,
        parameters=parameters,
        topics=workflows.named(topics),
        kinds=workflows.numbered(questions),
        formats=workflows.named(formats),
        nonsense=nonsense,
        replica=replica,
        shuffle=workflows.named(shuffle),
        overflow=not no_overflow,
        names=names,
        workers=workers,
        sft=sft,
        sft_table=sft_table,
    )
    result = workflows.make_synthetic_study(options, out, console.table_progress)
    if as_json:
        emit(result)
    else:
        say(f"{result['tables']:,} tables and {result['questions']:,} questions in {out}")
    return 0


@guarded
def properties(
    card: Annotated[
        str,
        typer.Argument(
            help="A card, e.g. cards.hctqa.real, or a tables.parquet that torr synth wrote.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Also write properties.parquet, .csv and agreement.csv there.", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many tables.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Detect HCT-QA's table properties, and compare them with the data set's own annotation."""
    report = workflows.properties_report(card, limit)
    if out is not None:
        with writing(out):
            report.write(out)
    if as_json:
        emit(report.to_json())
    else:
        console.show_properties(report, Path(card).name)
    for line in report.notes:
        console.say_in_columns(line)
    return 0
