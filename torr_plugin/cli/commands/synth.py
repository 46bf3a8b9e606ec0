"""``torr synth``: generated data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import workflows
from .. import console
from ..command import OrderedCommand, command_app, emit, guarded, say, writing
from .options import Json
from .synth_accept import accept
from .synth_filings import filings
from .synth_qa import qa

app = command_app("Make data sets: by construction, or with questions that models write.")
app.command(short_help="Make annual reports with tables, text and questions.")(filings)
app.command(short_help="Make data of the questions about documents that people accepted.")(accept)
app.command(cls=OrderedCommand, short_help="Have models write questions about documents and filter them.")(qa)


@app.command(short_help="Make human-centric tables with questions, after HCT-QA.")
@guarded
def hctqa(
    out: Annotated[Path, typer.Option(help="A new or empty folder.")],
    tables: Annotated[
        int | None, typer.Option(min=1, help="Number of tables; by default every combination of layouts.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the tables.")] = 0,
    parameters: Annotated[
        Path | None,
        typer.Option(help="A folder with the three parameter files; by default the built-in topics."),
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="Only these families of tables, by valueName: A,B.")
    ] = None,
    questions: Annotated[
        str | None, typer.Option(help="Only these types of questions, from 1 to 15: 1,2,5.")
    ] = None,
    formats: Annotated[
        str | None, typer.Option(help="Also write each table as a file: html,csv,latex,xlsx,png.")
    ] = None,
    nonsense: Annotated[
        bool, typer.Option("--nonsense", help="Also write every table and question in made-up words.")
    ] = False,
    replica: Annotated[int | None, typer.Option(min=1, help="How many variants of each combination.")] = None,
    shuffle: Annotated[
        str | None,
        typer.Option(help="Use these instead of the parameter file's: none,row,cols,rowscols,all."),
    ] = None,
    no_overflow: Annotated[
        bool, typer.Option("--no-overflow", help="Fail if a range has too few numbers for a table.")
    ] = False,
    names: Annotated[
        bool, typer.Option("--names", help="Show attribute names where col_row_name_pos says so.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="How many processes; the files are the same.")] = 1,
    sft: Annotated[str | None, typer.Option(help="Also write a fine-tuning set: alpaca or chat.")] = None,
    sft_table: Annotated[str, typer.Option(help="Format of the tables in the fine-tuning set.")] = "html",
    as_json: Json = False,
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
    with writing(out):
        result = workflows.make_synthetic_study(options, out, console.table_progress)
    if as_json:
        emit(result)
    else:
        say(f"{result['tables']:,} tables and {result['questions']:,} questions in {out}")
    return 0
