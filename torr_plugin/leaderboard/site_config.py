"""``site.yaml``: what a published site shows and how it looks, completed by the command's options."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ..core.errors import RecipeError, RunError
from ..core.yaml_files import YamlFile, read_yaml_file
from ..recipes.fields import SOME, ConfigSection, Text
from .site import build_site
from .theming import SiteText, find_theme, theme_names

_EXPECTED = "a mapping with 'studies', and any of 'title', 'lead', 'theme', 'models', 'contact', 'citation'"


class ConfiguredStudy(ConfigSection):
    """A study of the site."""

    run: Text
    """A run directory or scores file; a relative path starts from the file's folder."""

    title: Text | None = None
    """What it is called; by default as its recipe calls it."""

    command: Text | None = None
    """The command that makes the run, shown where the run is missing."""


class SiteConfigFile(ConfigSection):
    """The whole file."""

    studies: Annotated[tuple[ConfiguredStudy, ...], SOME]
    """The studies, in the order that the site lists them."""

    title: Text | None = None
    """Of the site, above the list of several studies, or in the header of one."""

    lead: Text | None = None
    """A sentence or two below the title."""

    theme: Text | None = None
    """A bundled theme's name, or the path of a theme's folder or CSS file."""

    models: Text | None = None
    """A file of models: name, and any of family, size and open."""

    contact: Text | None = None
    """Whom to write to."""

    citation: Text | None = None
    """How the site wants to be cited."""


@dataclass(frozen=True)
class SiteConfig:
    """What ``site.yaml`` says, its paths taken from the file's folder."""

    runs: tuple[Path, ...]
    words: SiteText
    theme: str | Path | None
    models: Path | None


def read_config(path: Path) -> SiteConfig:
    """What a site's file says.

    Raises:
        RecipeError: the file cannot be read, a key is unknown or of another kind, a run is not there or
            stands twice; ``FILE:LINE: FIELD: found; expected``.
    """
    source = read_yaml_file(path, _EXPECTED)
    config_file = source.validate(SiteConfigFile)
    runs = tuple(_run(source, config_file, at) for at in range(len(config_file.studies)))
    words = SiteText(
        title=config_file.title or "",
        lead=config_file.lead or "",
        contact=config_file.contact or "",
        citation=config_file.citation or "",
        studies={run: each.title for run, each in zip(runs, config_file.studies, strict=True) if each.title},
    )
    return SiteConfig(
        runs,
        words,
        _theme(path.parent, config_file.theme),
        path.parent / config_file.models if config_file.models else None,
    )


def _run(source: YamlFile, config_file: SiteConfigFile, at: int) -> Path:
    study = config_file.studies[at]
    line, field = source.place(("studies", at, "run"))
    where = f"{source.path}:{line}: {field}"
    found = source.path.parent / study.run
    if not found.exists():
        made = f"; '{study.command}' makes it" if study.command else ""
        raise RecipeError(f"{where}: found no {found}; expected a run directory or a scores file{made}")
    if any(other.run == study.run for other in config_file.studies[:at]):
        raise RecipeError(f"{where}: {study.run!r} stands twice; expected each run once")
    return found


def _theme(folder: Path, theme: str | None) -> str | Path | None:
    """The theme's name, or its path where it is no bundled one's name."""
    return theme if theme is None or theme in theme_names() else folder / theme


@dataclass(frozen=True)
class SiteOptions:
    """A site to build: the options, completed by those of a configuration."""

    runs: tuple[Path, ...]
    out: Path
    theme: str | Path | None = None
    models: Path | None = None
    charts: bool = True
    previous: Path | None = None
    words: SiteText = field(default_factory=SiteText)

    def refuse_wrong_theme(self) -> None:
        """A theme that cannot be used is reported before anything is read or built.

        Raises:
            RunError: as :func:`.theming.find_theme`.
        """
        if self.theme is not None:
            find_theme(self.theme)

    def build(self) -> Path:
        """Build it; the path of ``index.html``.

        Raises:
            InputError: as :func:`.site.build_site`.
        """
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

    config_file = read_config(config)
    return SiteOptions(
        runs=tuple(runs) if runs else config_file.runs,
        out=out,
        theme=theme or config_file.theme,
        models=models or config_file.models,
        charts=charts,
        previous=previous,
        words=config_file.words,
    )
