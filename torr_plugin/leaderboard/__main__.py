"""``python -m torr_plugin.leaderboard RUN... --out site``."""

from __future__ import annotations

from pathlib import Path

from ..cli.command import command_app, emit, guarded, run_app, say
from ..cli.commands.options import Json
from ..cli.commands.publish import Charts, Config, Models, Out, Previous, Runs, ThemeName
from .site_config import site_options

app = command_app("Turn runs, or scores files, into a static site that opens from a disk, without a network.")


@app.command()
@guarded
def leaderboard(  # noqa: PLR0917, typer calls it by name
    runs: Runs = None,
    out: Out = Path("site"),
    config: Config = None,
    theme: ThemeName = None,
    models: Models = None,
    charts: Charts = True,
    previous: Previous = None,
    as_json: Json = False,
) -> int:
    """Turn runs, or scores files, into a static site that opens from a disk, without a network."""
    site = site_options(
        runs, out, config=config, theme=theme, models=models, charts=charts, previous=previous
    )
    page = site.build()
    if as_json:
        emit(site.outcome(page))
    else:
        for line in site.left_out:
            say(f"Left out: found no {line}")
        say(f"The leaderboard: {page}")
    return 0


if __name__ == "__main__":
    run_app(app)
