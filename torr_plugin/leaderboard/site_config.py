"""``site.yaml``: what a published site shows and how it looks, completed by the command's options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os.path import normpath
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ..core.errors import RunError
from ..core.yaml_files import YamlFile, read_yaml_file
from ..recipes.model_entries import SOME, ConfigSection, Flag, Text
from .site import Progress, build_site, silent
from .theming import SiteText, find_theme, theme_names

_EXPECTED = (
    "a mapping with 'studies', and any of 'title', 'lead', 'theme', 'models', 'address', 'contact', "
    "'citation'"
)


SiteAddress = Annotated[Text, Field(pattern=r"^https?://[^\s\"'<>?#]+$")]


class ConfiguredStudy(ConfigSection):
    """A study of the site."""

    run: Text
    """A run directory or scores file; a relative path starts from the file's folder."""

    title: Text | None = None
    """What it is called; by default as its recipe calls it."""

    description: Text | None = None
    """A sentence or two on it, with its source; by default its recipe's."""

    command: Text | None = None
    """The command that makes the run, shown where the run is missing."""

    optional: Flag = False
    """Whether the site is built without it where the run is missing."""


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
    """A file of what models are: name, and any of maker, family, size, open, licence, price, ..."""

    address: SiteAddress | None = None
    """Where it is published, so that what is shared of it can be found."""

    contact: Text | None = None
    """Whom to write to."""

    citation: Text | None = None
    """How the site wants to be cited."""


@dataclass(frozen=True)
class SiteOptions:
    """A site to build, from a command's options and ``site.yaml``."""

    runs: tuple[Path, ...] = ()
    out: Path = Path("site")
    theme: str | Path | None = None
    models: Path | None = None
    charts: bool = True
    words: SiteText = field(default_factory=SiteText)
    left_out: tuple[str, ...] = ()
    """Optional studies that are not there, a line each."""

    def build(self, progress: Progress = silent) -> Path:
        """Build it; the path of ``index.html``.

        Args:
            progress: as of :func:`.site.build_site`.

        Raises:
            InputError: as :func:`.site.build_site`.
        """
        return build_site(
            self.runs,
            self.out,
            theme=self.theme,
            charts=self.charts,
            models=self.models,
            words=self.words,
            progress=progress,
        )

    @property
    def studies(self) -> int:
        """How many studies it shows: runs of one study are put together."""
        from .source import study_groups  # which loads what reads studies

        return len(study_groups(self.runs, self.words.title_of))

    def outcome(self, page: Path) -> dict[str, Any]:
        """The result of a command as plain data."""
        found: dict[str, Any] = {"site": str(self.out), "page": str(page), "studies": self.studies}
        return {**found, "left_out": list(self.left_out)} if self.left_out else found


def read_config(path: Path) -> SiteOptions:
    """Read a site's file; its paths start from the file's folder.

    Raises:
        RecipeError: the file cannot be read, a key is unknown or of another kind, a run is missing that is
            not optional, or all are, or one is given twice; ``FILE:LINE: FIELD: found; expected``.
    """
    source = read_yaml_file(path, _EXPECTED)
    found = source.validate(SiteConfigFile)
    given = [(source.path.parent / study.run, study) for study in found.studies]
    there = {run: study for run, study in given if run.exists()}
    _refuse_repeat(source, found.studies)
    for at, (run, study) in enumerate(given):
        if not (run.exists() or (study.optional and there)):
            raise source.error(("studies", at, "run"), f"found no {_missing(run, study)}")
    theme = found.theme
    return SiteOptions(
        tuple(there),
        theme=theme if theme is None or theme in theme_names() else path.parent / theme,
        models=path.parent / found.models if found.models else None,
        words=SiteText(
            **{name: getattr(found, name) or "" for name in ("title", "lead", "contact", "citation")},
            address=f"{found.address.rstrip('/')}/" if found.address else "",
            studies={run: each.title for run, each in there.items() if each.title},
            descriptions={run: each.description for run, each in there.items() if each.description},
        ),
        left_out=tuple(_missing(run, study) for run, study in given if run not in there),
    )


def _refuse_repeat(source: YamlFile, studies: Sequence[ConfiguredStudy]) -> None:
    for at, study in enumerate(studies):
        if any(other.run == study.run for other in studies[:at]):
            raise source.error(
                ("studies", at, "run"), f"{study.run!r} is given twice; expected each run once"
            )


def _missing(run: Path, study: ConfiguredStudy) -> str:
    made = f"; '{study.command}' makes it" if study.command else ""
    return f"{normpath(run)}; expected a run directory or a scores file{made}"


def site_options(
    runs: list[Path] | None,
    out: Path,
    *,
    config: Path | None,
    theme: str | None,
    models: Path | None,
    charts: bool,
) -> SiteOptions:
    """A command's options, completed by those of the configuration.

    Raises:
        RecipeError: the configuration is wrong.
        RunError: neither it nor the command line names a run, or the theme cannot be used.
    """
    given = read_config(config) if config else SiteOptions()
    if not (runs or given.runs):
        raise RunError("RUN: found none; expected a run directory or scores file, or --config FILE")
    if chosen := theme or given.theme:
        find_theme(chosen)  # one that cannot be used is reported before anything is read or built
    return replace(
        given,
        runs=tuple(runs or given.runs),
        out=out,
        theme=chosen,
        models=models or given.models,
        charts=charts,
    )
