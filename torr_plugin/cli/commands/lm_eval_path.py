"""``torr lm-eval-path``: a folder with the studies as lm-eval's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import emit, guarded, say, writing
from ..results import results
from .options import Json


@guarded
def lm_eval_path(
    recipes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Recipe files of your own, beside the shipped ones and plugins'.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the folder here, not in your cache.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> int:
    """Print a folder with the studies as lm-eval's tasks, for its --include_path; make it where needed."""
    from ...integrations.lm_eval.folder import cached, written
    from ...integrations.lm_eval.listing import listing

    found = listing(recipes or ())
    for line in found.left_out:
        say(line)
    with writing(out or Path(".")):
        folder = cached(found.files) if out is None else written(out, found.files)
    if as_json:
        emit({"path": str(folder), "groups": list(found.groups), "tasks": list(found.tasks)})
    else:
        results().write(f"{folder}\n")
    return 0
