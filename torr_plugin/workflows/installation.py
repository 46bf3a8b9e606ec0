"""What is installed here, what is missing, and how to get it; without a network."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from typing import TYPE_CHECKING, Literal

from .. import __version__, catalog, plugins, recipes
from ..core.errors import OWN, InputError
from ..core.versions import install_hint, installed_version, pip_command

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_NOT_FOR_USERS = ("test", "lint", "docs", "all")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: what is there, in few words, and how to fix it.

    ``optional``: missing, but not required. ``wrong``: to be fixed.
    """

    name: str
    state: Literal["good", "optional", "wrong"]
    found: str
    advice: str = ""


def checks() -> dict[str, list[Finding]]:
    """What was checked, by part: versions, extras, data, plugins."""
    parts = {"versions": _versions, "extras": _extras, "data": _data, "plugins": _plugins}
    return {part: list(check()) for part, check in parts.items()}


def _versions() -> Iterator[Finding]:
    """Python, torr-plugin, and each required package with its required range."""
    from packaging.specifiers import SpecifierSet

    here, wanted = ".".join(map(str, sys.version_info[:3])), metadata(OWN)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(here, prereleases=True):
        yield Finding("Python", "good", here)
    else:
        yield Finding("Python", "wrong", f"{here}, needed: {wanted}", "install another Python")
    yield Finding(OWN, "good", __version__)
    yield from map(requirement_finding, _requirements())


def _extras() -> Iterator[Finding]:
    """Each extra: complete, or what is missing and how to get it."""
    always = _requirements()
    for extra in metadata(OWN).get_all("Provides-Extra") or []:
        if extra in _NOT_FOR_USERS:
            continue
        needed = [requirement for requirement in _requirements(extra) if requirement not in always]
        parts = list(map(requirement_finding, needed))
        if absent := [part.name for part in parts if part.found == "not installed"]:
            yield Finding(extra, "optional", f"not there: {', '.join(absent)}", install_hint(f".[{extra}]"))
        elif wrong := next((part for part in parts if part.state == "wrong"), None):
            yield Finding(extra, "wrong", f"{wrong.name} {wrong.found}", wrong.advice)
        else:
            yield Finding(extra, "good", ", ".join(f"{part.name} {part.found}" for part in parts))


def _requirements(extra: str = "", package: str = OWN) -> list[Requirement]:
    """The requirements of a package that hold here, with those of their own extras (lm-eval[hf])."""
    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(text) for text in requires(package) or []]
    except PackageNotFoundError:  # a checkout that is not installed; a package that is missing
        return []
    requirements = [
        requirement
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra})
    ]
    inner = [
        _requirements(name, requirement.name)
        for requirement in requirements
        if extra
        for name in requirement.extras
    ]
    plain = {requirement.name for requirement in requirements}
    return requirements + [
        requirement
        for part in inner
        for requirement in part
        if requirement.marker and requirement.name not in plain
    ]


def requirement_finding(requirement: Requirement) -> Finding:
    """One package: its version, and whether it is in the required range."""
    there = installed_version(requirement.name)
    advice = pip_command(f"{requirement.name}{requirement.specifier}")
    if there is None:
        return Finding(requirement.name, "wrong", "not installed", advice)
    if not requirement.specifier.contains(there, prereleases=True):
        return Finding(requirement.name, "wrong", f"{there}, needed: {requirement.specifier}", advice)
    return Finding(requirement.name, "good", there)


def _data() -> Iterator[Finding]:
    """The mirror; ``torr data verify`` reads what is in it."""
    folder = catalog.mirror_folder()
    if folder is None:
        text = "TORR_DATA is not set: cards are read from the hub, over the network"
        yield Finding("mirror", "optional", text, "torr data pull --to DIR; export TORR_DATA=DIR")
    elif not folder.is_dir():
        text = f"TORR_DATA={folder}: no such folder"
        yield Finding("mirror", "wrong", text, f"torr data pull --to {folder}, or unset TORR_DATA")
    else:
        yield Finding("mirror", "good", f"TORR_DATA={folder}; torr data verify says what is in it")


def _plugins() -> Iterator[Finding]:
    """Each plugin, and its unreadable cards and recipes."""
    for plugin in plugins.load():
        if plugin.problem:
            remedy = f"pip install -U {plugin.package}, or pip uninstall {plugin.package}; "
            without = "TORR_PLUGINS=off goes without plugins"
            known = plugin.package != "unknown"  # else nothing is installed under it
            yield Finding(plugin.name, "wrong", plugin.problem, f"{remedy if known else ''}{without}")
            continue
        adds = ", ".join(plugin.adds) or "nothing"
        yield Finding(plugin.name, "good", f"{plugin.version}; adds {adds}")
        for kind, read in (("cards", catalog.load_card), ("recipes", recipes.load)):
            for name in plugin.adds.get(kind, ()):
                try:
                    read(name)
                except InputError as error:
                    yield Finding(name, "wrong", str(error), "fix the file, or uninstall the plugin")
