"""``torr synth``: generated data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ... import catalog, question_writing
from ...core.errors import InputError
from ...core.texts import names_in
from .. import console
from .. import questions as shown
from ..command import OrderedCommand, command_app, emit, guarded, say
from .options import Json, MirrorTo, Reviews

app = command_app("Make data sets: by construction, or with questions that models write.")

_TYPES = range(1, 16)


@app.command(cls=OrderedCommand)
@guarded
def qa(
    ctx: typer.Context,
    documents: Annotated[
        Path,
        Argument(
            metavar="DOCS", help="A folder of HTML, Markdown or JSON files, a mirror, or a documents.parquet."
        ),
    ],
    options: shown.WritingOptions,
    writer: Annotated[
        str | None, Option(help="The model that writes questions, by its name.  [default: the first]")
    ] = None,
    filter_by: Annotated[
        str | None, Option("--filter", help="The model that decides which to keep.  [default: the last]")
    ] = None,
    levels: Annotated[
        list[str] | None,
        Option(metavar="NAMES", help="Only these levels of questions: extraction,calculation,analysis."),
    ] = None,
    questions: Annotated[
        int, Option(min=1, max=50, help="Questions of a level about a chunk, one after the other.")
    ] = 1,
    chunk_tokens: Annotated[
        int, Option(min=1, help="Length of a chunk; a longer table is a chunk nevertheless.")
    ] = 4000,
    chunks: Annotated[
        int | None, Option(min=1, help="At most this many chunks of a document, drawn.")
    ] = None,
    ground: Annotated[
        bool,
        Option(
            "--ground",
            help="Have each question quote a sentence to check its answer by, and answer it from the tables "
            "alone.",
        ),
    ] = False,
    seed: Annotated[int, Option(help="Seed of the choice of chunks.")] = 0,
) -> int:
    """Have models write questions about documents and filter them.

    One writes them, level by level, and another filters. Writes questions.parquet, and documents.parquet
    as canonical HTML. Run again to resume.
    """
    task = question_writing.SynthesisTask(
        source=documents,
        roles=question_writing.synthesis_roles(options.entries(ctx), writer, filter_by),
        levels=question_writing.levels_called(names_in(levels)),
        questions=questions,
        chunk_tokens=chunk_tokens,
        chunks=chunks,
        ground=ground,
        seed=seed,
    )
    return options.write(task, question_writing.synthesize, shown.show_synthesis)


@app.command()
@guarded
def accept(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="What `torr synth qa` wrote.")],
    review: Reviews = None,
    to: MirrorTo = None,
    all_kept: Annotated[
        bool, Option("--all-kept", help="Also take what the filter kept and nobody reviewed.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make data of the questions about documents that people accepted.

    A mirror of both, for the cards tablequest.*. Questions that were rejected, not reviewed or dropped by
    the filter are left out and counted. The column provenance says what a reviewer changed.
    """
    mirror = to or catalog.mirror_folder() or Path("data")
    result = question_writing.accept_questions(folder, mirror, reviews=review or (), unreviewed=all_kept)
    emit(result) if as_json else shown.show_accepted_questions(result, mirror)
    return 0


@app.command()
@guarded
def hctqa(
    out: Annotated[Path, Option(help="A new or empty folder.")],
    tables: Annotated[int | None, Option(min=1, help="How many; else every combination of layouts.")] = None,
    seed: Annotated[int, Option(help="Seed of the tables.")] = 0,
    parameters: Annotated[Path | None, Option(help="A folder with the three parameter files.")] = None,
    topics: Annotated[
        list[str] | None, Option(metavar="NAMES", help="Only these families of tables, by valueName: A,B.")
    ] = None,
    questions: Annotated[
        list[str] | None, Option(metavar="NUMBERS", help="Only these types of questions, 1 to 15: 1,2.")
    ] = None,
    formats: Annotated[
        list[str] | None, Option(metavar="NAMES", help="Files of each table: html,csv,latex,xlsx,png.")
    ] = None,
    nonsense: Annotated[bool, Option("--nonsense", help="Also write all of it in made-up words.")] = False,
    replica: Annotated[int | None, Option(min=1, help="How many variants of each combination.")] = None,
    shuffle: Annotated[
        list[str] | None, Option(metavar="NAMES", help="Instead of the file's: none,row,cols,rowscols,all.")
    ] = None,
    sft: Annotated[str | None, Option(help="Also write a fine-tuning set: alpaca or chat.")] = None,
    sft_table: Annotated[str, Option(help="Format of the tables in the fine-tuning set.")] = "html",
    as_json: Json = False,
) -> int:
    """Make human-centric tables with questions, after HCT-QA."""
    options = {
        "tables": tables,
        "seed": seed,
        "parameters": parameters,
        "topics": names_in(topics),
        "kinds": _types(names_in(questions)),
        "formats": names_in(formats),
        "nonsense": nonsense,
        "replica": replica,
        "shuffle": names_in(shuffle),
        "sft": sft,
        "sft_table": sft_table,
    }
    with console.counting("tables") as progress:
        result = catalog.data_set_makers.get("hctqa")(options, out, progress)
    if as_json:
        emit(result)
    else:
        say(f"{result['tables']:,} tables and {result['questions']:,} questions in {out}")
    return 0


def _types(given: tuple[str, ...]) -> tuple[int, ...]:
    for part in given:
        if not part.isdecimal() or int(part) not in _TYPES:
            raise InputError(f"--questions: found {part!r}, expected types of questions from 1 to 15: 1,2,5")
    return tuple(sorted({int(part) for part in given}))
