"""``python -m torr_plugin.leaderboard RUN... --out site``."""

from __future__ import annotations

from ..cli.command import command_app, emit, guarded, run_app, say
from ..cli.commands.options import Json
from ..cli.commands.publish import SiteLine
from ..cli.console import counting

app = command_app("Turn runs, or scores files, into a static site that opens from a disk, without a network.")


@app.command()
@guarded
def leaderboard(line: SiteLine, as_json: Json = False) -> int:
    """Turn runs, or scores files, into a static site that opens from a disk, without a network."""
    site = line.options()
    with counting("pages and examples") as progress:
        page = site.build(progress)
    if as_json:
        emit(site.outcome(page))
    else:
        for missing in site.left_out:
            say(f"Left out: found no {missing}")
        say(f"The leaderboard: {page}")
    return 0


if __name__ == "__main__":
    run_app(app)
