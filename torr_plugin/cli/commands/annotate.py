"""``torr annotate``: questions about tables by models, reviewed by people, as a data set."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ... import catalog
from ...workflows import annotation
from .. import console
from ..command import OrderedCommand, command_app, emit, guarded, writing
from .options import (
    Chat,
    ExecutorName,
    Json,
    MirrorTo,
    ModelArgs,
    Models,
    Only,
    Pool,
    Reviews,
    models_of_line,
    names_in,
)

app = command_app(
    "Have models write questions about your tables and answer them, review them, and make a data set of them."
)

TablesFolder = Annotated[Path, typer.Argument(help="A folder with a CSV, TSV, HTML or XLSX file a table.")]
AnnotationOut = Annotated[
    Path, typer.Option("--out", help="The folder for replies and review files; an earlier one is resumed.")
]
Types = Annotated[
    str | None,
    typer.Option(
        help="Only these types of questions: fact_checking, numerical_reasoning, data_analysis, "
        "chart_generation, structure_comprehending."
    ),
]
MostQuestions = Annotated[
    int, typer.Option("--questions", min=1, max=50, help="Questions of a type about a table, at most.")
]
Asker = Annotated[
    str | None, typer.Option(help="The model that writes questions, by its name.  [default: the first]")
]
Answerers = Annotated[
    str | None, typer.Option(metavar="NAMES", help="The models that answer, e.g. a,b.  [default: all]")
]
JudgeName = Annotated[
    str | None, typer.Option("--judge", help="The model that scores answers.  [default: the asker]")
]
TextFormat = Annotated[str, typer.Option(help="The format in which models see the tables.")]
MaxTokens = Annotated[int, typer.Option(min=1, help="At most this many tokens per reply.")]
WithTree = Annotated[
    bool, typer.Option("--tree", help="Show those who answer the trees of the table's headers too.")
]
Executor = Annotated[ExecutorName, typer.Option(help="In this process, or on Ray.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Send failed requests again.")]
PlanAlone = Annotated[
    bool, typer.Option("--plan", help="Show what this would ask and cost, at most, and ask nothing.")
]
Encoding = Annotated[str | None, typer.Option(help="Of CSV and HTML files, e.g. cp1250; else detected.")]
HeaderRows = Annotated[
    int | None, typer.Option(min=0, help="Rows of headings of every table; else what the file shows.")
]
HeaderColumns = Annotated[
    int | None, typer.Option(min=0, help="Columns of headings of every table; else what the file shows.")
]


@app.command(cls=OrderedCommand, short_help="Ask for questions and answers; write files to review them in.")
@guarded
def run(
    ctx: typer.Context,
    tables: TablesFolder,
    out: AnnotationOut,
    model: Models = None,
    model_args: ModelArgs = None,
    models: Pool = None,
    only: Only = None,
    chat: Chat = None,
    asker: Asker = None,
    answerers: Answerers = None,
    judge: JudgeName = None,
    types: Types = None,
    questions: MostQuestions = 5,
    serializer: TextFormat = "latex",
    max_tokens: MaxTokens = 4096,
    tree: WithTree = False,
    encoding: Encoding = None,
    header_rows: HeaderRows = None,
    header_columns: HeaderColumns = None,
    executor: Executor = ExecutorName.local,
    retry_failed: RetryFailed = False,
    plan: PlanAlone = False,
    as_json: Json = False,
) -> int:
    """Ask models for questions about tables, for answers, and for scores of the answers.

    Writes review.csv, review.xlsx, review.jsonl and the page review.html. Run again to resume.
    """
    task = annotation.annotation_task(
        tables,
        models_of_line(ctx, (), names=model, args=model_args, pool=models, only=only, chat=chat),
        types=names_in(types),
        most=questions,
        serializer=serializer,
        asker=asker,
        answerers=names_in(answerers),
        judge=judge,
        max_tokens=max_tokens,
        tree=tree,
        encoding=encoding,
        header_rows=header_rows,
        header_columns=header_columns,
    )
    for note in task.notes:
        console.say_in_columns(note)
    if plan:
        rounds = annotation.planned_rounds(task, out)
        emit({"tables": len(task.tables), "rounds": rounds}) if as_json else console.show_rounds(rounds)
        return 0
    found = annotation.annotate(
        task,
        out,
        executor=executor.value,
        retry_failed=retry_failed,
        progress=console.RunProgress,
        tell=console.say_in_columns,
    )
    if as_json:
        emit(asdict(found))
    else:
        console.show_annotation(found)
    return 1 if found.failed else 0


@app.command(short_help="Make a data set of the questions that people accepted.")
@guarded
def accept(
    annotated: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `torr annotate run` wrote.")],
    *,
    name: Annotated[str, typer.Option(help="The name of the data sets, each with its type behind it.")],
    review: Reviews = None,
    to: MirrorTo = None,
    licence: Annotated[str, typer.Option(help="The licence of the tables.")] = "unknown",
    as_json: Json = False,
) -> int:
    """Make a data set a type of the accepted questions: its data, a card, and a first recipe for all.

    Questions that were rejected or not reviewed are left out and counted. The column provenance of the data
    says who asked, who answered what, how it was scored, and what a reviewer changed.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    with writing(mirror):
        found = annotation.accept(annotated, name, mirror, reviews=review or (), licence=licence)
    for note in found.notes:
        console.say_in_columns(note)
    if as_json:
        emit(asdict(found))
    else:
        console.show_accepted(found, mirror, there=os.environ.get("TORR_DATA") == str(mirror))
    return 0
