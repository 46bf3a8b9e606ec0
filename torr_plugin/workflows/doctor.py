"""What is installed here, what is missing, and how to get it; without a network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from .. import __version__, catalog, recipes
from ..core.errors import OWN, DataError, InputError
from ..core.versions import install_hint, installed_version, pip_command
from ..plugins import load as load_plugins
from ..plugins.versions import without_entry_point

if TYPE_CHECKING:
    from ..catalog import Card
    from ..catalog.schema import TableLoader

State = Literal["good", "optional", "wrong"]
"""``optional``: missing, but not required. ``wrong``: to be fixed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: what is there, in few words, and how to fix it."""

    name: str
    state: State
    found: str
    advice: str = ""


def diagnose() -> dict[str, list[Finding]]:
    """Check everything, without changing, downloading or importing anything that takes long: by part."""
    return {part.__name__: list(part()) for part in (versions, extras, data, plugins)}


_NOT_FOR_USERS = ("test", "lint", "docs", "all")
_FOR = {
    "ray": "studies on a cluster, --executor ray",
    "vllm": "the models vllm and vllm-vlm",
    "hf": "the models hf and hf-multimodal",
    "api": "models on servers",
    "helm": "studies within HELM",
    "image": "the serializer image",
}


def versions() -> Iterator[Finding]:
    """Python, torr-plugin, and each required package with its required range."""
    here = ".".join(map(str, sys.version_info[:3]))
    wanted = metadata(OWN)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(here, prereleases=True):
        yield Finding("Python", "good", here)
    else:
        yield Finding("Python", "wrong", f"{here}, needed: {wanted}", "install another Python")
    yield Finding(OWN, "good", __version__)
    yield from map(requirement_finding, _requirements())


def extras() -> Iterator[Finding]:
    """Each extra: complete, or what is missing and how to get it."""
    always = _requirements()
    for extra in metadata(OWN).get_all("Provides-Extra") or []:
        if extra not in _NOT_FOR_USERS:
            yield _extra(extra, [each for each in _requirements(extra) if each not in always])


def _requirements(extra: str = "", package: str = OWN) -> list[Requirement]:
    """The requirements of a package that hold here, with or without an extra."""
    try:
        found = [Requirement(text) for text in requires(package) or []]
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
    return [each for each in found if each.marker is None or each.marker.evaluate({"extra": extra})]


def requirement_finding(requirement: Requirement) -> Finding:
    """One package: its version, and whether it is in the required range."""
    there = installed_version(requirement.name)
    advice = pip_command(f"{requirement.name}{requirement.specifier}")
    if there is None:
        return Finding(requirement.name, "wrong", "not installed", advice)
    if not requirement.specifier.contains(there, prereleases=True):
        return Finding(requirement.name, "wrong", f"{there}, needed: {requirement.specifier}", advice)
    return Finding(requirement.name, "good", there)


def _extra(name: str, needed: Iterable[Requirement]) -> Finding:
    """One extra; an extra of an extra (``lm-eval[hf]``) stands for its packages."""
    parts = [part for requirement in needed for part in _parts(requirement)]
    absent = sorted({each.name for each in parts if installed_version(each.name) is None})
    if absent:
        text = f"not there: {', '.join(absent)}{f' ({_FOR[name]})' if name in _FOR else ''}"
        return Finding(name, "optional", text, install_hint(f".[{name}]"))
    found = [requirement_finding(each) for each in parts]
    for each in found:
        if each.state == "wrong":
            return Finding(name, "wrong", f"{each.name} {each.found}", each.advice)
    return Finding(name, "good", ", ".join(f"{each.name} {each.found}" for each in found))


def _parts(requirement: Requirement) -> list[Requirement]:
    """A requirement, and those of its extras."""
    plain = _requirements(package=requirement.name) if requirement.extras else []
    of_extras = [each for extra in requirement.extras for each in _requirements(extra, requirement.name)]
    return [requirement, *(each for each in of_extras if each not in plain)]


def data() -> Iterator[Finding]:
    """The mirror, and each card that reads one: there, missing or broken (files' heads are read)."""
    folder = catalog.mirror_folder()
    if folder is None:
        text = "TORR_DATA is not set: cards are read from the hub, over the network"
        yield Finding("mirror", "optional", text, "torr data pull --to DIR; export TORR_DATA=DIR")
    elif not folder.is_dir():
        text = f"TORR_DATA={folder}: no such folder"
        yield Finding("mirror", "wrong", text, f"torr data pull --to {folder}, or unset TORR_DATA")
    else:
        yield Finding("mirror", "good", f"TORR_DATA={folder}")
        yield from _cards(folder)


def _cards(folder: Path) -> Iterator[Finding]:
    of_plugins, made = {name for plugin in load_plugins() for name in plugin.adds.get("cards", ())}, 0
    for name in catalog.card_names(subsets=False):  # a subset is read from the files of the whole
        try:
            card = catalog.load_card(name)
        except InputError as error:
            if name not in of_plugins:  # theirs are reported with the plugin
                yield Finding(name, "wrong", str(error), "reinstall torr-plugin")
            continue
        if card.loader.type_ == "load_tables":
            yield _card(card, card.loader, folder)
        elif card.loader.type_ == "load_generated":
            made += 1
    yield Finding("generated cards", "good", f"{made}, which need no data")


def _card(card: Card, loader: TableLoader, folder: Path) -> Finding:
    from ..catalog.loading import mirror_files, mirror_rows  # brings pyarrow, needed where there is a mirror

    needed = [split for split in dict.fromkeys((card.test_split, card.demo_split)) if split in loader.splits]
    paths = mirror_files(loader, folder)
    files = {split: paths[split] for split in needed}
    absent = [split for split, path in files.items() if not path.is_file()]
    get = f"torr data pull {card.name}"
    if absent:
        return Finding(card.name, "optional", f"not in the mirror: {', '.join(absent)}", get)
    try:
        for split in needed:
            mirror_rows(loader, split, card.name, folder)
    except DataError as error:
        return Finding(card.name, "wrong", str(error), get)
    return Finding(card.name, "good", ", ".join(f"{path.parent.name}/{path.name}" for path in files.values()))


def plugins() -> Iterator[Finding]:
    """Each plugin, and its unreadable cards and recipes."""
    for plugin in load_plugins():
        if plugin.problem:
            yield Finding(plugin.name, "wrong", plugin.problem, _remedy(plugin.package))
            continue
        yield Finding(plugin.name, "good", f"{plugin.version}; adds {', '.join(plugin.adds) or 'nothing'}")
        yield from _unreadable(plugin.adds.get("cards", ()), catalog.load_card)
        yield from _unreadable(plugin.adds.get("recipes", ()), recipes.load)
    for name, number, lacking in without_entry_point():
        yield Finding(name, "optional", f"{number}; {lacking}, so it adds nothing")


def _remedy(package: str) -> str:
    without = "TORR_PLUGINS=off goes without plugins"
    if package == "unknown":  # nothing is installed under it
        return without
    return f"pip install -U {package}, or pip uninstall {package}; {without}"


def _unreadable(names: Iterable[str], read: Callable[[str], object]) -> Iterator[Finding]:
    for name in names:
        try:
            read(name)
        except InputError as error:
            yield Finding(name, "wrong", str(error), "fix the file, or uninstall the plugin")
