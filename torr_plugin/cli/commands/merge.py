"""``torr merge``: runs of one study as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import workflows
from ...core.errors import InputError
from .. import console
from ..command import emit, guarded, say
from .options import Json


@guarded
def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories of one study.")],
    out: Annotated[Path, typer.Option(help="The run directory to make.")],
    as_json: Json = False,
) -> int:
    """Make one run of several of one study, so that their models are analysed and published together.

    Of a model that is in several runs, the first one's answers count, and the others fill what it lacks.
    """
    if len(runs) < 2:
        raise InputError(f"RUN: found {runs[0]}; expected two or more runs of one study")
    done = workflows.merge_runs(runs, out, tell=console.say_in_columns)
    if as_json:
        emit({"run": str(done.run), "models": done.models, "notes": done.notes})
        return 0
    console.show_summary(done.analysis)
    say(f"The run: {done.run}")
    return 0
