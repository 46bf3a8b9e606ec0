"""``torr quickstart``: the embedded study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import check_folder, emit, guarded, say
from .options import Json
from .run import outcome


@guarded
def quickstart(
    out: Annotated[Path, typer.Option(help="Where the site goes.")] = Path("site"),
    run_dir: Annotated[Path, typer.Option("--run", help="Where the run goes.")] = Path("runs/quickstart"),
    as_json: Json = False,
) -> int:
    """Run the embedded study: bundled tables, embedded baselines, a site at ./site."""
    from ...leaderboard import build_site
    from ...recipes import load, plan
    from ...workflows.study import run_study
    from ..console import show_summary

    check_folder(out)
    planned = plan(load("quickstart"))
    summary, analysis = run_study(planned, planned.recipe.models, run_dir)
    page = build_site([run_dir], out)
    if as_json:
        emit({**outcome(summary), "site": str(out)})
    else:
        show_summary(analysis)
        say(f"The leaderboard: {page}")
        say(f"The run, every prompt and answer in Parquet: {summary.run}")
    return 1 if summary.failed else 0
