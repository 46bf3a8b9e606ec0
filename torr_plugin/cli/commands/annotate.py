"""``torr annotate``: questions about tables by models, accepted by people, as data."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ... import catalog, question_writing
from ...catalog import own_tables
from ...core.texts import names_in
from .. import questions as shown
from ..command import OrderedCommand, command_app, emit, guarded, say_in_columns
from .options import Json, MirrorTo, Reviews

app = command_app(
    "Have models write questions about your tables and answer them, review them, and make a data set of them."
)


@app.command(cls=OrderedCommand)
@guarded
def run(
    ctx: typer.Context,
    tables: Annotated[Path, Argument(help="A folder with a CSV, TSV, HTML or XLSX file a table.")],
    options: shown.WritingOptions,
    asker: Annotated[
        str | None, Option(help="The model that writes questions, by its name.  [default: the first]")
    ] = None,
    answerers: Annotated[
        list[str] | None, Option(metavar="NAMES", help="The models that answer, e.g. a,b.  [default: all]")
    ] = None,
    judge: Annotated[str | None, Option(help="The model that scores answers.  [default: the asker]")] = None,
    types: Annotated[
        list[str] | None,
        Option(
            metavar="NAMES",
            help="Only these types of questions: fact_checking, numerical_reasoning, data_analysis, "
            "chart_generation, structure_comprehending.",
        ),
    ] = None,
    questions: Annotated[int, Option(min=1, max=50, help="Questions of a type about a table, at most.")] = 5,
    tree: Annotated[
        bool, Option("--tree", help="Show those who answer the trees of the table's headers too.")
    ] = False,
) -> int:
    """Ask for questions and answers; write files to review them in.

    Models write questions about tables, answer them, and score the answers. Writes review.csv,
    review.xlsx, review.jsonl and the page review.html. Run again to resume.
    """
    task = question_writing.AnnotationTask(
        source=own_tables.Tables(tables),
        roles=question_writing.annotation_roles(options.entries(ctx), asker, names_in(answerers), judge),
        types=names_in(types),
        questions=questions,
        tree=tree,
    )
    return options.write(task, question_writing.annotate, shown.show_annotation)


@app.command()
@guarded
def accept(
    annotated: Annotated[Path, Argument(metavar="FOLDER", help="What `torr annotate run` wrote.")],
    *,
    name: Annotated[str, Option(help="The name of the data sets, each with its type behind it.")],
    review: Reviews = None,
    to: MirrorTo = None,
    licence: Annotated[str, Option(help="The licence of the tables.")] = "unknown",
    as_json: Json = False,
) -> int:
    """Make a data set of the questions that people accepted.

    One a type of questions, with its data and card, and a first recipe for all. Questions that were
    rejected or not reviewed are left out and counted. The column provenance of the data says who asked,
    who answered what, how it was scored, and what a reviewer changed.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    result = question_writing.accept_annotation(
        annotated, name, mirror, reviews=review or (), licence=licence
    )
    say_in_columns(*result["notes"])
    if as_json:
        emit({**result, "made": {kind: asdict(each) for kind, each in result["made"].items()}})
    else:
        shown.show_accepted(result, mirror)
    return 0
