"""``torr synth filings``: synthetic annual reports with questions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ... import workflows
from ...core.errors import counted
from .. import console
from ..command import emit, guarded, say, writing
from .options import Json


@guarded
def filings(
    out: Annotated[Path, typer.Option(help="A new or empty folder; later a mirror for TORR_DATA.")],
    documents: Annotated[int, typer.Option(min=1, help="Number of filings.")] = 10,
    pages: Annotated[
        int, typer.Option(min=1, max=1000, help="Length of each; a page has about 3,000 characters.")
    ] = 20,
    questions: Annotated[
        int, typer.Option(min=0, help="Number of questions on each, the levels in turn.")
    ] = 6,
    levels: Annotated[
        str | None, typer.Option(help="Only these levels of questions: extraction,calculation,analysis.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the filings and questions.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="How many processes; the files are the same.")] = 1,
    html: Annotated[bool, typer.Option("--html", help="Also write each filing as an HTML file.")] = False,
    as_json: Json = False,
) -> int:
    """Make annual reports with tables and text that agree, and questions at three levels."""
    options = workflows.SyntheticFilingsOptions(
        documents=documents,
        pages=pages,
        questions=questions,
        seed=seed,
        levels=workflows.named(levels),
        html=html,
        workers=workers,
    )
    with writing(out):
        result = workflows.make_synthetic_filings(
            options, out, partial(console.table_progress, unit="filings")
        )
    if as_json:
        emit(result)
    else:
        filings = counted(result["documents"], "filing")
        say(f"{filings} and {counted(result['questions'], 'question')} in {out}")
    return 0
