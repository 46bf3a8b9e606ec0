"""``torr annotate``, ``torr synth qa`` and ``accept``: questions by models, accepted by people, as data."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ... import catalog, question_writing
from ...catalog import own_tables
from .. import console
from .. import questions as shown
from ..command import OrderedCommand, command_app, emit, guarded, writing
from .options import ExecutorName, Json, MirrorTo, ModelOptions, RetryFailed, Reviews, names_in

if TYPE_CHECKING:
    from ...question_writing.flow import WritingTask

app = command_app(
    "Have models write questions about your tables and answer them, review them, and make a data set of them."
)

Out = Annotated[
    Path, typer.Option("--out", help="The folder for replies and review files; an earlier one is resumed.")
]
MaxTokens = Annotated[int, typer.Option(min=1, help="At most this many tokens per reply.")]
Executor = Annotated[ExecutorName, typer.Option(help="In this process, or on Ray.")]
PlanAlone = Annotated[
    bool, typer.Option("--plan", help="Show what this would ask and cost, at most, and ask nothing.")
]


@app.command(cls=OrderedCommand, short_help="Ask for questions and answers; write files to review them in.")
@guarded
def run(
    ctx: typer.Context,
    tables: Annotated[Path, typer.Argument(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    out: Out,
    options: ModelOptions,
    asker: Annotated[
        str | None, typer.Option(help="The model that writes questions, by its name.  [default: the first]")
    ] = None,
    answerers: Annotated[
        str | None, typer.Option(metavar="NAMES", help="The models that answer, e.g. a,b.  [default: all]")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="The model that scores answers.  [default: the asker]")
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            help="Only these types of questions: fact_checking, numerical_reasoning, data_analysis, "
            "chart_generation, structure_comprehending."
        ),
    ] = None,
    questions: Annotated[
        int, typer.Option(min=1, max=50, help="Questions of a type about a table, at most.")
    ] = 5,
    max_tokens: MaxTokens = 4096,
    tree: Annotated[
        bool, typer.Option("--tree", help="Show those who answer the trees of the table's headers too.")
    ] = False,
    encoding: Annotated[
        str | None, typer.Option(help="Of CSV and HTML files, e.g. cp1250; else detected.")
    ] = None,
    header_rows: Annotated[
        int | None, typer.Option(min=0, help="Rows of headings of every table; else what the file shows.")
    ] = None,
    header_columns: Annotated[
        int | None, typer.Option(min=0, help="Columns of headings of every table; else what the file shows.")
    ] = None,
    executor: Executor = "local",
    retry_failed: RetryFailed = False,
    plan: PlanAlone = False,
    as_json: Json = False,
) -> int:
    """Ask models for questions about tables, for answers, and for scores of the answers.

    Writes review.csv, review.xlsx, review.jsonl and the page review.html. Run again to resume.
    """
    from ...catalog.text_files import TextFiles

    shape = own_tables.TableShape(header_rows, header_columns)
    task = question_writing.AnnotationTask(
        source=own_tables.Tables(tables, TextFiles(encoding), shape),
        available=options.entries(ctx),
        types=names_in(types),
        asker=asker,
        answerers=names_in(answerers),
        judge=judge,
        questions=questions,
        tree=tree,
        max_tokens=max_tokens,
    )
    if plan:
        return _planned(task, out, as_json=as_json)
    found = question_writing.annotate(task, out, _asking(executor, retry_failed=retry_failed))
    emit(asdict(found)) if as_json else shown.show_annotation(found)
    return 1 if found.failed else 0


@guarded
def qa(
    ctx: typer.Context,
    documents: Annotated[
        Path,
        typer.Argument(
            metavar="DOCS",
            help="A folder of HTML, Markdown or JSON files, a mirror, or a documents.parquet.",
        ),
    ],
    out: Out,
    options: ModelOptions,
    writer: Annotated[
        str | None,
        typer.Option(help="The model that writes questions, by its name.  [default: the first]"),
    ] = None,
    filter_by: Annotated[
        str | None,
        typer.Option("--filter", help="The model that decides which to keep.  [default: the last]"),
    ] = None,
    levels: Annotated[
        str | None, typer.Option(help="Only these levels of questions: extraction,calculation,analysis.")
    ] = None,
    questions: Annotated[
        int, typer.Option(min=1, max=50, help="Questions of a level about a chunk, one after the other.")
    ] = 1,
    chunk_tokens: Annotated[
        int, typer.Option(min=1, help="Length of a chunk; a longer table is a chunk nevertheless.")
    ] = 4000,
    context_tokens: Annotated[
        int | None, typer.Option(min=1, help="Leave out chunks that are longer.")
    ] = None,
    chunks: Annotated[
        int | None, typer.Option(min=1, help="At most this many chunks of a document, drawn.")
    ] = None,
    ground: Annotated[
        bool,
        typer.Option(
            "--ground",
            help="Have each question quote a sentence to check its answer by, and answer it from the tables "
            "alone.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the choice of chunks.")] = 0,
    max_tokens: MaxTokens = 4096,
    executor: Executor = "local",
    retry_failed: RetryFailed = False,
    plan: PlanAlone = False,
    as_json: Json = False,
) -> int:
    """Have one model write questions about documents, level by level, and another filter them.

    Writes questions.parquet, and documents.parquet as canonical HTML. Run again to resume.
    """
    from ...question_writing.document_questions.question import levels_called

    task = question_writing.SynthesisTask(
        source=documents,
        available=options.entries(ctx),
        writer=writer,
        filter_by=filter_by,
        levels=levels_called(names_in(levels)),
        questions=questions,
        chunk_tokens=chunk_tokens,
        context_tokens=context_tokens,
        chunks=chunks,
        ground=ground,
        seed=seed,
        max_tokens=max_tokens,
    )
    if plan:
        return _planned(task, out, as_json=as_json)
    found = question_writing.synthesize(task, out, _asking(executor, retry_failed=retry_failed))
    emit(asdict(found)) if as_json else shown.show_synthesis(found)
    return 1 if found.failed else 0


def _asking(executor: ExecutorName, *, retry_failed: bool) -> question_writing.Asking:
    return question_writing.Asking(executor, retry_failed, console.run_progress, console.say_in_columns)


def _planned(task: WritingTask, out: Path, *, as_json: bool) -> int:
    """Show what a task would ask."""
    for note in task.notes:
        console.say_in_columns(note)
    rounds = question_writing.planned_rounds(task, out)
    emit({**task.about, "rounds": rounds}) if as_json else shown.show_rounds(rounds)
    return 0


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
        found = question_writing.accept_annotation(
            annotated, name, mirror, reviews=review or (), licence=licence
        )
    for note in found.notes:
        console.say_in_columns(note)
    emit(asdict(found)) if as_json else shown.show_accepted(found, _next(mirror))
    return 0


@guarded
def accept_questions(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `torr synth qa` wrote.")],
    review: Reviews = None,
    to: MirrorTo = None,
    all_kept: Annotated[
        bool, typer.Option("--all-kept", help="Also take what the filter kept and nobody reviewed.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make a mirror of the questions that people accepted and of their documents, for the cards tablequest.*.

    Questions that were rejected, not reviewed or dropped by the filter are left out and counted. The column
    provenance says what a reviewer changed.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    with writing(mirror):
        found = question_writing.accept_questions(folder, mirror, reviews=review or (), unreviewed=all_kept)
    emit(asdict(found)) if as_json else shown.show_accepted_questions(found, _next(mirror))
    return 0


def _next(mirror: Path) -> str:
    """Begins the command that reads a mirror."""
    there = os.environ.get("TORR_DATA") == str(mirror)
    return "Next: " if there else f"Next: TORR_DATA={quote(str(mirror))} "
