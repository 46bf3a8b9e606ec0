"""``site.yaml``: what a published site shows, and in what look; one file to publish it again from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import ValidationError

from ..core.errors import RecipeError
from ..recipes.fields import SOME, Part, Text
from ..recipes.loading import refuse_other_keys
from ..recipes.problems import problem
from ..recipes.source import Source, read_source
from .words import SiteText

_EXPECTED = "a mapping with 'studies', and any of 'title', 'lead', 'theme', 'models', 'contact', 'citation'"


class ConfiguredStudy(Part):
    """A study of the site."""

    run: Text
    """A run directory or scores file; a relative path starts from the file's folder."""

    title: Text | None = None
    """What it is called; by default as its recipe calls it."""

    command: Text | None = None
    """The command that makes the run, said where the run is not there."""


class SiteConfigFile(Part):
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
    source = read_source(path, _EXPECTED)
    if not isinstance(source.data, dict):
        raise RecipeError(f"{path}:1: found {type(source.data).__name__}; expected {_EXPECTED}")
    refuse_other_keys(source)
    try:
        said = SiteConfigFile.model_validate(source.data)
    except ValidationError as error:
        raise problem(error, SiteConfigFile, source) from error
    runs = tuple(_run(source, said, at) for at in range(len(said.studies)))
    words = SiteText(
        title=said.title or "",
        lead=said.lead or "",
        contact=said.contact or "",
        citation=said.citation or "",
        studies={run: each.title for run, each in zip(runs, said.studies, strict=True) if each.title},
    )
    return SiteConfig(
        runs, words, _theme(path.parent, said.theme), path.parent / said.models if said.models else None
    )


def _run(source: Source, said: SiteConfigFile, at: int) -> Path:
    study = said.studies[at]
    line, field = source.place(("studies", at, "run"))
    where = f"{source.path}:{line}: {field}"
    found = source.path.parent / study.run
    if not found.exists():
        made = f"; '{study.command}' makes it" if study.command else ""
        raise RecipeError(f"{where}: found no {found}; expected a run directory or a scores file{made}")
    if any(other.run == study.run for other in said.studies[:at]):
        raise RecipeError(f"{where}: {study.run!r} stands twice; expected each run once")
    return found


def _theme(folder: Path, theme: str | None) -> str | Path | None:
    """The theme's name, or its path where it is no bundled one's name."""
    from .theming import theme_names

    return theme if theme is None or theme in theme_names() else folder / theme
