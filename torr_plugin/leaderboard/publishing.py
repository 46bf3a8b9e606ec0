"""What ``torr publish`` and ``python -m torr_plugin.leaderboard`` share: options, and how a site is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import RunError
from .words import SiteText

Runs = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Run directories, or scores files (Parquet, CSV, JSONL); those of --config without any.",
        show_default=False,
    ),
]
Out = Annotated[Path, typer.Option(help="Where the site goes.")]
Config = Annotated[
    Path | None,
    typer.Option(help="A site.yaml: studies, titles, theme, contact, citation.", show_default=False),
]
ThemeName = Annotated[
    str | None,
    typer.Option("--theme", help="A bundled theme, or a theme's folder or CSS file.", show_default=False),
]
Models = Annotated[
    Path | None,
    typer.Option(
        help="A YAML list of models: name, and any of family, size (billions of parameters) and open.",
        show_default=False,
    ),
]
Charts = Annotated[
    bool, typer.Option(help="Draw every chart as SVG and PNG too, for download; takes some seconds.")
]
Previous = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the site published before, whose history goes on; else what is in --out.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class SiteOptions:
    """A site to build: the options, completed by those of a configuration."""

    runs: tuple[Path, ...]
    out: Path
    theme: str | Path | None = None
    models: Path | None = None
    charts: bool = True
    previous: Path | None = None
    words: SiteText = SiteText()  # noqa: RUF009, it is frozen

    def refuse_wrong_theme(self) -> None:
        """A theme that cannot be used is said before anything is looked at or built.

        Raises:
            RunError: as :func:`.theming.find_theme`.
        """
        from .theming import find_theme

        if self.theme is not None:
            find_theme(self.theme)

    def build(self) -> Path:
        """Build it; the path of ``index.html``.

        Raises:
            InputError: as :func:`.site.build_site`.
        """
        from .site import build_site

        return build_site(
            self.runs,
            self.out,
            theme=self.theme,
            charts=self.charts,
            previous=self.previous,
            models=self.models,
            words=self.words,
        )

    def outcome(self, page: Path) -> dict[str, Any]:
        """The result of a command as plain data."""
        return {"site": str(self.out), "page": str(page), "studies": len(self.runs)}


def site_options(
    runs: list[Path] | None,
    out: Path,
    *,
    config: Path | None,
    theme: str | None,
    models: Path | None,
    charts: bool,
    previous: Path | None,
) -> SiteOptions:
    """What the options ask for; one on the line overrules that of the configuration.

    Raises:
        RecipeError: the configuration is wrong.
        RunError: neither it nor the line names a run, or ``previous`` is no folder.
    """
    if previous is not None and not previous.is_dir():
        # a history that a misspelt path would begin anew is lost for good
        raise RunError(f"--previous {previous}: no such folder; expected that of the site published before")
    if config is None:
        if not runs:
            raise RunError("RUN: found none; expected a run directory or scores file, or --config FILE")
        return SiteOptions(tuple(runs), out, theme, models, charts, previous)
    from .configuring import read_config

    said = read_config(config)
    return SiteOptions(
        runs=tuple(runs) if runs else said.runs,
        out=out,
        theme=theme or said.theme,
        models=models or said.models,
        charts=charts,
        previous=previous,
        words=said.words,
    )
