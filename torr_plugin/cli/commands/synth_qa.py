"""``torr synth qa``: questions about documents, by models."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ...synthesis import filings
from ...workflows import synth_qa
from .. import console
from ..command import emit, guarded
from .annotate import Executor, MaxTokens, PlanAlone, RetryFailed
from .options import Chat, ExecutorName, Json, ModelArgs, Models, Only, Pool, models_of_line, names_in

_FEWER = "replies without a question lead to nothing, and repeated questions are not filtered"


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
    out: Annotated[
        Path, typer.Option(help="The folder for replies and questions; an earlier one is resumed.")
    ],
    model: Models = None,
    model_args: ModelArgs = None,
    models: Pool = None,
    only: Only = None,
    chat: Chat = None,
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
    executor: Executor = ExecutorName.local,
    retry_failed: RetryFailed = False,
    plan: PlanAlone = False,
    as_json: Json = False,
) -> int:
    """Have one model write questions about documents, level by level, and another filter them.

    Writes questions.parquet, and documents.parquet as canonical HTML. Run again to resume.
    """
    options = synth_qa.SynthesisOptions(
        levels=filings.levels_called(names_in(levels)),
        questions=questions,
        chunk_tokens=chunk_tokens,
        context_tokens=context_tokens,
        chunks=chunks,
        ground=ground,
        seed=seed,
        max_tokens=max_tokens,
    )
    asked = models_of_line(ctx, (), names=model, args=model_args, pool=models, only=only, chat=chat)
    task = synth_qa.synthesis_task(documents, asked, options, writer=writer, filter_by=filter_by)
    if plan:
        rounds = synth_qa.planned_synthesis(task, out)
        counts = {"documents": task.documents, "chunks": len(task.excerpts)}
        emit({**counts, "rounds": rounds}) if as_json else console.show_rounds(rounds, _FEWER)
        for note in task.notes:
            console.say_in_columns(note)
        return 0
    found = synth_qa.synthesize(
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
        console.show_synthesis(found)
    return 1 if found.failed else 0
