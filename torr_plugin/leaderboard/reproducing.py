"""The commands that make a study again, to be copied into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .study import Study

HARNESSES = ("helm", "lm-eval", "unitxt")
"""Of ``torr import``."""

_DEFAULTS = {"resamples": 1000, "level": 0.95, "two_way": False}


def commands_again(study: Study) -> tuple[str, ...]:
    """From the recipe, the harness's folder or the scores file to the pages; nothing in them is the shell's.

    The recipe is that of the site's own folder, in which they are to be run.
    """
    said, run = study.source.study, f"runs/{study.slug}"
    if not said:
        path = study.source.path.name
        # a name that begins with a hyphen would be an option
        return (_leaderboard(f"./{path}" if path.startswith("-") else path),)
    again = _analysis(study, run)
    imported = said.get("imported")
    if isinstance(imported, Mapping):
        return (_import(imported, run), *again, _leaderboard(run))
    limit = said.get("limit")
    chosen = ("--limit", str(limit)) if limit else ()
    return (
        _command("torr", "run", f"{study.paths.data}/recipe.yaml", *chosen, "--out", run),
        *again,
        _leaderboard(run),
    )


def _command(*parts: str) -> str:
    return shlex.join(parts)


def _leaderboard(path: str) -> str:
    return _command("python", "-m", "torr_plugin.leaderboard", path, "--out", "site")


def _import(imported: Mapping[str, Any], run: str) -> str:
    named = str(imported.get("harness") or "").lower()
    harness = named if named in HARNESSES else "HARNESS"
    options: list[str] = []
    for option in imported.get("options") or ():
        try:
            options += shlex.split(str(option))
        except ValueError:  # quotes that do not end
            options.append(str(option))
    return _command("torr", "import", harness, "FOLDER", *options, "--out", run)


def _analysis(study: Study, run: str) -> tuple[str, ...]:
    """The command that analyses as it was done here, where a run would not do so by itself."""
    said, settings = study.source.study, study.analysis.settings
    recipe = said.get("recipe")
    wanted = {**_DEFAULTS, **((recipe.get("analysis") or {}) if isinstance(recipe, Mapping) else {})}
    seed = said.get("seed") or 0
    if settings.seed == seed and all(getattr(settings, name) == wanted[name] for name in _DEFAULTS):
        return ()
    drawn = ("--two-way",) if settings.two_way else ()
    options = (
        "--resamples",
        str(settings.resamples),
        "--level",
        f"{settings.level:g}",
        "--seed",
        str(settings.seed),
    )
    return (_command("torr", "analyse", run, *options, *drawn, "--out", run),)
