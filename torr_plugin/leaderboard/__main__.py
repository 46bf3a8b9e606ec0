"""``python -m torr_plugin.leaderboard RUN... --out site``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..command import command_app, emit, guarded, run_app, say

app = command_app(
    "Turn runs, or scores files, into a static site: one page a study, readable without a network."
)


@app.command()
@guarded
def leaderboard(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run directories, or scores files (Parquet, CSV, JSONL).", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Where the site goes.")] = Path("site"),
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as one JSON object on stdout, nothing else there."),
    ] = False,
) -> int:
    """Turn runs, or scores files, into a static site: one page a study, readable without a network."""
    from .site import build_site

    page = build_site(runs, out)
    if as_json:
        emit({"site": str(out), "page": str(page), "studies": len(runs)})
    else:
        say(f"The leaderboard: {page}")
    return 0


if __name__ == "__main__":
    run_app(app)
