"""The command-line options of ``torr publish`` and ``python -m torr_plugin.leaderboard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
