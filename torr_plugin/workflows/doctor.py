"""What is installed here, what is missing, and how to get it; without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from .. import __version__, recipes
from ..catalog import card_names, load_card, mirror_folder
from ..core.errors import OWN, DataError, InputError
from ..core.installing import install_hint, pip_command
from ..core.versions import installed_version
from ..plugins import load as load_plugins
from ..plugins.versions import without_entry_point
from ..running.registry import clashes

if TYPE_CHECKING:
    from ..catalog import Card
    from ..catalog.schema.loaders import TableLoader

State = Literal["good", "optional", "wrong"]
"""``optional``: missing, but not required. ``wrong``: to be fixed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked.

    Attributes:
        name: what it is.
        state: good, or what kind of problem it is.
        found: what is there, in few words.
        advice: how to fix it; empty if there is nothing to do.
    """

    name: str
    state: State
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Findings by part: ``versions``, ``extras``, ``data``, ``machine``, ``plugins``."""

    parts: Mapping[str, tuple[Finding, ...]]

    @property
    def wrong(self) -> list[Finding]:
        """The findings that have to be fixed."""
        return [each for part in self.parts.values() for each in part if each.state == "wrong"]

    def as_dict(self) -> dict[str, Any]:
        """The report as ``torr doctor --json`` prints it."""
        return {"good": not self.wrong} | {
            part: [asdict(each) for each in found] for part, found in self.parts.items()
        }


def diagnose() -> Report:
    """Check everything, without changing, downloading or importing anything that takes long."""
    parts = (versions, extras, data, machine, plugins)
    return Report({part.__name__: tuple(part()) for part in parts})


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
    yield from map(requirement_finding, requirements())


def extras() -> Iterator[Finding]:
    """Each extra: complete, or what is missing and how to get it."""
    always = requirements()
    for extra in metadata(OWN).get_all("Provides-Extra") or []:
        if extra not in _NOT_FOR_USERS:
            yield _extra(extra, [each for each in requirements(extra) if each not in always])


def requirements(extra: str = "", package: str = OWN) -> list[Requirement]:
    """The requirements of a package that hold here, with or without an extra."""
    try:
        texts = requires(package) or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
    found = [Requirement(text) for text in texts]
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
    each_needed = [part for requirement in needed for part in _parts(requirement)]
    absent = sorted({each.name for each in each_needed if installed_version(each.name) is None})
    if absent:
        text = f"not there: {', '.join(absent)}{f' ({_FOR[name]})' if name in _FOR else ''}"
        return Finding(name, "optional", text, install_hint(f".[{name}]"))
    found = [requirement_finding(each) for each in each_needed]
    for each in found:
        if each.state == "wrong":
            return Finding(name, "wrong", f"{each.name} {each.found}", each.advice)
    return Finding(name, "good", ", ".join(f"{each.name} {each.found}" for each in found))


def _parts(requirement: Requirement) -> list[Requirement]:
    """A requirement, and those of its extras."""
    plain = requirements(package=requirement.name) if requirement.extras else []
    of_extras = [each for extra in requirement.extras for each in requirements(extra, requirement.name)]
    return [requirement, *(each for each in of_extras if each not in plain)]


def data() -> Iterator[Finding]:
    """The mirror, and each card that reads one: there, missing or broken (files' heads are read).

    Cards whose tables are generated need none, and are counted together.
    """
    folder = mirror_folder()
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
    of_plugins, made = cards_of_plugins(), 0
    for name in card_names(subsets=False):  # a subset is read from the files of the whole
        try:
            card = load_card(name)
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
    from ..catalog.loading import mirror_file, mirror_rows  # brings pyarrow, needed where there is a mirror

    needed = [split for split in dict.fromkeys((card.test_split, card.demo_split)) if split in loader.splits]
    files = {split: mirror_file(loader, split, folder) for split in needed}
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


_SWITCHES = ("HF_HUB_OFFLINE", "RAY_ADDRESS", "TORR_PLUGINS")
_SECONDS = 10


def machine() -> Iterator[Finding]:
    """Processors, GPUs, and the environment variables that change what commands do."""
    yield Finding("processors", "good", str(os.cpu_count() or 1))
    yield _gpus()
    for name in _SWITCHES:
        if os.environ.get(name):
            yield Finding(name, "good", os.environ[name])


def _gpus() -> Finding:
    """The GPUs that the driver lists, without importing torch."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("GPUs", "optional", "none found (no nvidia-smi)")
    ask = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("GPUs", "optional", f"nvidia-smi failed: {type(error).__name__}")
    names = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return Finding("GPUs", "good" if names else "optional", "; ".join(names) or "none found")


def plugins() -> Iterator[Finding]:
    """Each plugin, its unreadable cards and recipes, and its models whose name is taken."""
    loaded = load_plugins()
    for plugin in loaded:
        if plugin.problem:
            yield Finding(plugin.name, "wrong", plugin.problem, _remedy(plugin.package))
            continue
        yield Finding(plugin.name, "good", f"{plugin.version}; adds {', '.join(plugin.adds) or 'nothing'}")
        yield from _unreadable(plugin.adds.get("cards", ()), load_card)
        if studies := plugin.adds.get("recipes"):
            yield from _unreadable(studies, recipes.load)
    for name, number, lacking in without_entry_point():
        yield Finding(name, "optional", f"{number}; {lacking}, so it adds nothing")
    if any(plugin.adds.get("models") for plugin in loaded):
        for name, problem in clashes().items():
            yield Finding(name, "wrong", problem, "rename the model in the plugin")


def _remedy(package: str) -> str:
    without = "TORR_PLUGINS=off goes without plugins"
    if package == "unknown":  # nothing is installed under it
        return without
    return f"pip install -U {package}, or pip uninstall {package}; {without}"


def cards_of_plugins() -> frozenset[str]:
    """The names of the cards that plugins bring."""
    return frozenset(name for plugin in load_plugins() for name in plugin.adds.get("cards", ()))


def _unreadable(names: Iterable[str], read: Callable[[str], object]) -> Iterator[Finding]:
    for name in names:
        try:
            read(name)
        except InputError as error:
            yield Finding(name, "wrong", str(error), "fix the file, or uninstall the plugin")
