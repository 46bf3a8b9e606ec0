"""``torr publish``: checks runs and makes a static site of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ... import leaderboard, recipes, running
from .. import console
from ..command import emit, end_without_collecting, guarded, say
from .options import Json

Runs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Run directories, or scores files (Parquet, CSV, JSONL); those of --config without any."
    ),
]
Out = Annotated[Path, typer.Option(help="Where the site goes.")]
Config = Annotated[Path | None, typer.Option(help="A site.yaml: studies, titles, theme, contact, citation.")]
ThemeName = Annotated[
    str | None, typer.Option("--theme", help="A bundled theme, or a theme's folder or CSS file.")
]
Models = Annotated[
    Path | None,
    typer.Option(
        help="A YAML list of models: name, and any of family, size (billions of parameters) and open."
    ),
]
Charts = Annotated[
    bool, typer.Option(help="Draw every chart as SVG, PNG and PDF too, for download; takes some seconds.")
]
Previous = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the site published before, whose history goes on; else what is in --out."
    ),
]


@guarded
def publish(
    runs: Runs = None,
    out: Out = Path("site"),
    config: Config = None,
    theme: ThemeName = None,
    models: Models = None,
    charts: Charts = True,
    previous: Previous = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the runs and list what is wrong; build nothing.")
    ] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Publish despite errors.")] = False,
    as_json: Json = False,
) -> int:
    """Check runs or scores files, and turn them into a static site that opens without a network.

    Exit code 1 if the check finds errors: then nothing is built, unless --anyway is given.
    """
    from ...leaderboard.checking import check as check_runs
    from ...leaderboard.site_config import site_options

    site = site_options(
        runs, out, config=config, theme=theme, models=models, charts=charts, previous=previous
    )
    if not check:
        running.refuse_repeats(site.runs)
        leaderboard.check_site_folder(out, site.runs)
    found = check_runs(site.runs, recipes.read_models(site.models) if site.models else None, site.words)
    plain = [asdict(each) for each in found]
    errors = sum(each.level == "error" for each in found)
    if check or (errors and not anyway):
        if as_json:
            emit({"studies": site.studies, "errors": errors, "findings": plain})
        else:
            console.show_findings(plain, site.studies)
        if not check:
            say("torr: not published; fix the errors, or add --anyway")
        return 1 if errors else 0
    page = site.build()
    end_without_collecting()
    if as_json:
        emit({**site.outcome(page), "findings": plain})
        return 0
    if len(found) > 1:
        say(f"{console.verdict(plain, site.studies)} `torr publish --check` says which.")
    telling = [each for each in plain if each["level"] != "note"] or plain
    for only in telling if len(telling) == 1 else ():
        console.say_in_columns("{level}: {where}: {what}; {advice}".format(**only))
    for line in site.left_out:
        say(f"Left out: found no {line}")
    say(f"The leaderboard: {page}")
    return 0
